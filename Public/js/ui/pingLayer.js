/**
 * The pings on the shown sheet: a ring with a name at the point that a participant shows, or an arrow at the edge of the page if
 * the point is outside of the view.
 */

import { edgePlace } from '../model/edgePlace.js';
import { textOn } from '../model/palette.js';
import { laterStrings } from '../i18n/later.js';
import { element, make, makeSVG } from './elements.js';

/**
 * @typedef {import('../protocol/moments.js').Ping} Ping
 * @typedef {{ name: string, color: string }} Author
 * @typedef {{ shown: HTMLElement, at: number, isOutside: boolean }} Shown
 */

/** The room for a name, in pixels. Most names are narrower. */
const TAG_ROOM = 190;

export class PingLayer {
  /** The arrows are buttons, so they are not in the layer of the pointers, which screen readers ignore. */
  #edge = make('div', { class: 'edge-pings' });
  #camera;
  #view;
  #author;
  #go;
  #isHere;
  /** @type {Map<number, Shown>} by the participant's number */
  #shown = new Map();

  /**
   * @param {object} parts
   * @param {import('../model/camera.js').Camera} parts.camera
   * @param {{ width: number, height: number }} parts.view the canvas, in pixels
   * @param {(number: number) => Author} parts.author
   * @param {(ping: Readonly<Ping>) => void} parts.go called when the person presses an arrow
   * @param {(x: number, y: number) => boolean} parts.isHere returns true if a point is on the shown sheet
   */
  constructor({ camera, view, author, go, isHere }) {
    this.#camera = camera;
    this.#view = view;
    this.#author = author;
    this.#go = go;
    this.#isHere = isHere;
    element('cursors').after(this.#edge);
  }

  /** @param {ReadonlyMap<number, Readonly<Ping>>} pings */
  frame(pings) {
    // An arrow to another sheet would have no direction.
    const here = [...pings.values()].filter(({ x, y }) => this.#isHere(x, y));
    for (const [number, { shown }] of this.#shown) {
      if (here.some((ping) => ping.number === number)) continue;
      shown.remove();
      this.#shown.delete(number);
    }
    for (const ping of here) this.#place(ping);
  }

  /** @param {Readonly<Ping>} ping */
  #place(ping) {
    const [x, y] = this.#camera.toCanvas(ping.x, ping.y);
    const edge = edgePlace(x, y, this.#view);
    const { shown } = this.#elementOf(ping, edge !== null);
    const at = edge ?? { x, y, angle: 0 };
    shown.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
    shown.style.setProperty('--angle', `${at.angle.toFixed(3)}rad`);
    // At the right edge, the name is on the left side.
    shown.toggleAttribute('data-left', at.x > this.#view.width - TAG_ROOM);
  }

  /** @param {Readonly<Ping>} ping @param {boolean} isOutside @returns {Shown} */
  #elementOf(ping, isOutside) {
    const known = this.#shown.get(ping.number);
    if (known && known.at === ping.at && known.isOutside === isOutside) return known;
    known?.shown.remove();
    const author = this.#author(ping.number);
    const shown = isOutside ? this.#arrow(ping, author) : ring(author);
    shown.style.setProperty('--own', author.color);
    shown.style.setProperty('--on-own', textOn(author.color));
    (isOutside ? this.#edge : element('cursors')).append(shown);
    const made = { shown, at: ping.at, isOutside };
    this.#shown.set(ping.number, made);
    return made;
  }

  /** @param {Readonly<Ping>} ping @param {Author} author */
  #arrow(ping, { name }) {
    const label = laterStrings.showsPlaceOutside(name);
    const made = make('button', { type: 'button', class: 'edge-ping', 'aria-label': label, title: label });
    const arrow = makeSVG('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' });
    arrow.append(makeSVG('path', { d: 'M4 12h15M13 6l6 6-6 6' }));
    made.append(arrow, make('span', { class: 'tag' }, name));
    made.addEventListener('click', () => this.#go(ping));
    return made;
  }
}

/** @param {Author} author */
function ring({ name }) {
  return make('div', { class: 'ping' }, make('i'), make('i'), make('span', { class: 'tag' }, name));
}
