/** The changes of whole shapes, and the commands that undo and redo them. */

import { Text } from '../model/text.js';

/** @typedef {import('../model/shapes.js').Shape} Shape */

/**
 * Adds, replaces and removes shapes, on this page and in the session. Pushes the commands of drawn, erased and changed shapes to
 * the undo history.
 */
export class ShapeCommands {
  #shapes;
  #sync;
  #history;

  /**
   * @param {import('../model/shapes.js').Shapes} shapes @param {import('../protocol/shapeSync.js').ShapeSync} sync
   * @param {import('./undoHistory.js').UndoHistory} history
   */
  constructor(shapes, sync, history) {
    this.#shapes = shapes;
    this.#sync = sync;
    this.#history = history;
  }

  /** Pushes the drawn shapes of one movement as one command. @param {Shape[]} shapes */
  pushDrawn(shapes) {
    if (shapes.length === 0) return;
    this.#history.push({
      undo: () => this.#removeAll(shapes),
      redo: () => this.#addAll(shapes),
      content: { kind: 'added', shapes, items: [] },
    });
  }

  /** Pushes the erased shapes of one movement as one command. @param {Shape[]} shapes */
  pushErased(shapes) {
    if (shapes.length === 0) return;
    this.#history.push({
      undo: () => this.#addAll(shapes),
      redo: () => this.#removeAll(shapes),
      content: { kind: 'removed', shapes, items: [] },
    });
  }

  /** Pushes the change of a text. @param {Text} before @param {Text} after */
  pushTextChange(before, after) {
    const { id } = after;
    // Undo restores only the changed properties, because another participant may have moved the text since the change.
    const [back, forward] = [changes(after, before), changes(before, after)];
    this.#history.push({
      undo: () => this.#changeText(id, back),
      redo: () => this.#changeText(id, forward),
      content: { kind: 'text', id, before: back, after: forward },
    });
  }

  /** Adds or restores a shape. @param {Shape} shape */
  add(shape) {
    shape.isFinished = true;
    this.#replace(shape, false);
  }

  /** Replaces a shape that still exists. @param {Shape} shape */
  update(shape) {
    shape.isFinished = true;
    this.#replace(shape, true);
  }

  /** Removes a shape. @param {Shape} shape */
  remove(shape) {
    this.#shapes.remove(shape.id);
    this.#sync.remove(shape);
  }

  /** @param {Shape} shape @param {boolean} existing true: only if the session still has it */
  #replace(shape, existing) {
    this.#shapes.set(shape);
    this.#sync.replace(shape, { existing });
  }

  /** @param {Shape[]} shapes @returns {boolean} true if at least one existed */
  #removeAll(shapes) {
    const there = shapes.filter(({ id }) => this.#shapes.find(id));
    for (const shape of there) this.remove(shape);
    return there.length > 0;
  }

  /** @param {Shape[]} shapes @returns {boolean} true if at least one had been removed */
  #addAll(shapes) {
    const missing = shapes.filter(({ id }) => !this.#shapes.find(id));
    for (const shape of missing) this.add(shape);
    return missing.length > 0;
  }

  /** @param {string} id @param {Partial<Text>} changes @returns {boolean} true if the text exists */
  #changeText(id, changes) {
    const there = this.#shapes.base(id);
    if (!(there instanceof Text)) return false;
    this.#replace(there.rewritten(changes), true);
    return true;
  }
}

/**
 * @param {Text} from @param {Text} to
 * @returns {Partial<Text>} the properties of text and style that differ, with the values of `to`
 */
function changes(from, to) {
  const { text, rgb, color, size, font, fill } = to;
  const all = Object.entries({ text, rgb, color, size, font, fill });
  return Object.fromEntries(all.filter(([name, value]) => from[/** @type {'text'} */ (name)] !== value));
}
