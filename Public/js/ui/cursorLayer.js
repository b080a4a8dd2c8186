/** Shows the others' pointers, each with its name. */

import { textOn } from '../canvas/colors.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../canvas/camera.js').Camera} Camera
 * @typedef {import('../canvas/remoteCursors.js').RemoteCursors} RemoteCursors
 * @typedef {import('../session/participants.js').Participant} Participant
 */

/** As wide as most tags are, in pixels. */
const TAG_ROOM = 150;

export class CursorLayer {
  #layer = element('cursors');
  #cursors;
  #camera;
  #participant;
  /** @type {Map<number, { shown: HTMLElement, tag: HTMLElement }>} */
  #shown = new Map();

  /** @param {RemoteCursors} cursors @param {Camera} camera @param {(number: number) => Participant | null} participant */
  constructor(cursors, camera, participant) {
    this.#cursors = cursors;
    this.#camera = camera;
    this.#participant = participant;
  }

  frame() {
    for (const [number, { shown }] of this.#shown) {
      if (this.#cursors.all.has(number)) continue;
      shown.remove();
      this.#shown.delete(number);
    }
    for (const [number, cursor] of this.#cursors.all) this.#place(number, cursor);
  }

  /** @param {number} number @param {Readonly<import('../canvas/remoteCursors.js').RemoteCursor>} cursor */
  #place(number, { x, y, isIdle }) {
    const participant = this.#participant(number);
    if (!participant) return;
    const { shown, tag } = this.#shown.get(number) ?? this.#add(number);
    const [left, top] = this.#camera.toCanvas(x, y);
    shown.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    shown.toggleAttribute('data-idle', isIdle);
    // At the right edge there is no room beside it.
    shown.toggleAttribute('data-left', left > innerWidth - TAG_ROOM);
    if (tag.textContent === participant.name && shown.dataset.color === participant.color) return;
    tag.textContent = participant.name;
    shown.dataset.color = participant.color;
    shown.style.setProperty('--own', participant.color);
    shown.style.setProperty('--on-own', textOn(participant.color));
  }

  /** @param {number} number */
  #add(number) {
    const tag = make('span', { class: 'tag' });
    const shown = make('div', { class: 'cursor' }, make('span', { class: 'dot' }), tag);
    this.#layer.append(shown);
    const made = { shown, tag };
    this.#shown.set(number, made);
    return made;
  }
}
