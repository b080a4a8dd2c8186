/** The reactions: pictures with names that rise beside the tools and fade. */

import { textOn } from '../model/palette.js';
import { element, make } from './elements.js';
import { reactionGlyph } from './reactionGlyphs.js';

/** @typedef {import('../protocol/moments.js').Reaction} Reaction */

/** The number of reactions in a row. With this number, their names fit on a phone, too. */
const COLUMNS = 4;

export class ReactionLayer {
  #layer = make('div', { class: 'reactions', 'aria-hidden': 'true' });
  #author;
  /** @type {Map<Readonly<Reaction>, HTMLElement>} */
  #shown = new Map();

  /** @param {(number: number) => { name: string, color: string }} author */
  constructor(author) {
    this.#author = author;
    element('tools').before(this.#layer);
  }

  /** @param {ReadonlySet<Readonly<Reaction>>} reactions */
  frame(reactions) {
    for (const [reaction, shown] of this.#shown) {
      if (reactions.has(reaction)) continue;
      shown.remove();
      this.#shown.delete(reaction);
    }
    for (const reaction of reactions) if (!this.#shown.has(reaction)) this.#add(reaction);
  }

  /** @param {Readonly<Reaction>} reaction */
  #add(reaction) {
    const { name, color } = this.#author(reaction.number);
    const tag = make('span', { class: 'tag' }, name);
    const shown = make('div', { class: 'reaction' }, reactionGlyph(reaction.emoji), tag);
    shown.style.setProperty('--own', color);
    shown.style.setProperty('--on-own', textOn(color));
    shown.style.setProperty('--column', String(reaction.slot % COLUMNS));
    shown.style.setProperty('--row', String(Math.floor(reaction.slot / COLUMNS)));
    this.#layer.append(shown);
    this.#shown.set(reaction, shown);
  }
}
