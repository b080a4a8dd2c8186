/** The pointers of the participants: this person's is sent to the others, and theirs are shown. */

import { textOn } from '../model/palette.js';
import { CURSOR_TYPE, CursorSender, RemoteCursors } from '../protocol/cursorMessage.js';
import { GroupSessionMessenger } from '../sync/groupSessionMessenger.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 */

/** The distance within which a pointer shows the author of a change, in pixels. */
const NEARBY = 140;

/** Sends this person's pointer to the others, and shows theirs. */
export class SharedCursors {
  #camera;
  #cursors;
  #layer;
  #requestFrame;
  #sender = new CursorSender((message) => this.#send(message));
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionMessenger | null} */
  #messenger = null;

  /**
   * @param {Camera} camera
   * @param {{ glides: () => boolean, requestFrame: () => void }} options `glides`: returns false if pointers jump;
   *   `requestFrame` requests a frame
   */
  constructor(camera, { glides, requestFrame }) {
    this.#cursors = new RemoteCursors({ glides });
    this.#layer = new CursorLayer(this.#cursors, camera, (number) => this.#session?.participant(number) ?? null);
    this.#camera = camera;
    this.#requestFrame = requestFrame;
  }

  /** Switches to another session. @param {GroupSession | null} session null: none */
  follow(session) {
    this.#cursors.keepOnly(() => false);
    this.#session = session;
    this.#messenger = session && new GroupSessionMessenger(session, { deliveryMode: 'unreliable' });
    if (this.#messenger) this.#listen(this.#messenger);
  }

  /** @param {Participant[]} active the participants whose pointers are kept */
  keepOnly(active) {
    this.#cursors.keepOnly((number) => active.some((one) => one.number === number));
  }

  /**
   * @param {number} number @param {import('../model/stroke.js').Bounds} bounds
   * @returns {boolean} true if the participant's pointer is shown in or near the bounds
   */
  isAt(number, { left, top, right, bottom }) {
    const cursor = this.#cursors.all.get(number);
    const reach = NEARBY / this.#camera.scale;
    return cursor !== undefined && !cursor.isIdle && cursor.toX > left - reach && cursor.toX < right + reach &&
      cursor.toY > top - reach && cursor.toY < bottom + reach;
  }

  /** @param {[number, number] | null} point the position of this person's pointer, in the plane; null: it left */
  moved(point) {
    this.#sender.moved(point);
    this.#requestFrame();
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    const isPending = this.#sender.frame(now);
    const isMoving = this.#cursors.frame(now);
    this.#layer.frame();
    return isPending || isMoving;
  }

  /** @param {object} message */
  #send(message) {
    if (!this.#session?.isConnected) return;
    // A message that is dropped or lost does no harm: the next one has the new position.
    this.#messenger?.send(message, { type: CURSOR_TYPE }).catch(() => {});
  }

  /** @param {GroupSessionMessenger} messenger until its session ends */
  async #listen(messenger) {
    for await (const { message, context } of messenger.messages(CURSOR_TYPE)) {
      if (messenger !== this.#messenger || !context.source) continue;
      this.#cursors.receive(context.source.number, message, performance.now());
      this.#requestFrame();
    }
  }
}

/** The room for a name, in pixels. Most names are narrower. */
const TAG_ROOM = 150;

/** Shows the others' pointers, each with its name. */
class CursorLayer {
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

  /** @param {number} number @param {Readonly<import('../protocol/cursorMessage.js').RemoteCursor>} cursor */
  #place(number, { x, y, isIdle }) {
    const participant = this.#participant(number);
    if (!participant) return;
    const { shown, tag } = this.#shown.get(number) ?? this.#add(number);
    const [left, top] = this.#camera.toCanvas(x, y);
    shown.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    shown.toggleAttribute('data-idle', isIdle);
    // At the right edge, the name is on the left side of the pointer.
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
