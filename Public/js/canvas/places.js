/** Where pictures and files lie: where they were added, unless they were moved since. */

import { fitted } from './arranging.js';
import { CARD } from './item.js';
import { DEFAULT_SIDE, madeUpPlace } from './placement.js';

/**
 * @typedef {import('./item.js').Item} Item
 * @typedef {import('./placement.js').Place} Place
 * @typedef {import('./placement.js').Placement} Placement
 */

const UNKNOWN = Object.freeze({ width: DEFAULT_SIDE, height: DEFAULT_SIDE });

export class Places {
  #moved;
  /** @type {Map<string, Placement | null>} as their metadata say */
  #added = new Map();
  /** @type {Map<string, number>} of the entries that told of them: the `z` of those that say none */
  #sequences = new Map();

  /** @param {import('./placements.js').Placements} moved */
  constructor(moved) {
    this.#moved = moved;
  }

  /** @param {string} id @param {Placement | null} placement null: it says none */
  add(id, placement) {
    this.#added.set(id, placement);
  }

  /** @param {string} id @param {number} sequence */
  told(id, sequence) {
    this.#sequences.set(id, sequence);
  }

  /** @param {string} id */
  delete(id) {
    this.#added.delete(id);
    this.#sequences.delete(id);
  }

  /** @param {Item} item @returns {Place} where it is to be seen */
  of(item) {
    return this.#place(item, this.#moved.of(item.id));
  }

  /** @param {Item} item @returns {Place} the same, whoever pulls at it */
  lying(item) {
    return this.#place(item, this.#moved.lying(item.id));
  }

  /** @param {Item} item @param {Placement | null} moved @returns {Place} */
  #place({ id, isPicture, natural }, moved) {
    const added = this.#added.get(id);
    const { x, y } = moved ?? added ?? madeUpPlace(id);
    const { width, height } = isPicture ? sizeOf(moved) ?? sizeOf(added) ?? fitted(natural ?? UNKNOWN, UNKNOWN) : CARD;
    return { x, y, width, height, z: moved?.z ?? added?.z ?? this.#sequences.get(id) ?? 0 };
  }
}

/** @param {Placement | null | undefined} placement @returns {import('./placement.js').Size | null} */
function sizeOf(placement) {
  return placement?.width && placement.height ? { width: placement.width, height: placement.height } : null;
}
