/** The others on the page: where their pointers are, and whose hand was at what. */

import { textOn } from '../model/palette.js';
import { CURSOR_TYPE, CursorSender, RemoteCursors } from '../protocol/cursorMessage.js';
import { overlap } from '../model/stroke.js';
import { GroupSessionMessenger } from '../sync/groupSessionMessenger.js';
import { words } from '../i18n/i18n.js';
import { element, make } from './elements.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 */

/** In pixels. */
const NEARBY = 140;

/** Everybody's pointers: one's own is told to the others, theirs are shown. */
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
   * @param {{ glides: () => boolean, requestFrame: () => void }} options whether they glide or jump; asks for a frame
   */
  constructor(camera, { glides, requestFrame }) {
    this.#cursors = new RemoteCursors({ glides });
    this.#layer = new CursorLayer(this.#cursors, camera, (number) => this.#session?.participant(number) ?? null);
    this.#camera = camera;
    this.#requestFrame = requestFrame;
  }

  /** @param {GroupSession | null} session from now on */
  follow(session) {
    this.#cursors.keepOnly(() => false);
    this.#session = session;
    this.#messenger = session && new GroupSessionMessenger(session, { deliveryMode: 'unreliable' });
    if (this.#messenger) this.#listen(this.#messenger);
  }

  /** @param {Participant[]} active whose pointers there can be */
  keepOnly(active) {
    this.#cursors.keepOnly((number) => active.some((one) => one.number === number));
  }

  /** @param {number} number @param {import('../model/stroke.js').Bounds} bounds @returns {boolean} whether their pointer is shown there, or nearby */
  isAt(number, { left, top, right, bottom }) {
    const cursor = this.#cursors.all.get(number);
    const reach = NEARBY / this.#camera.scale;
    return cursor !== undefined && !cursor.isIdle && cursor.toX > left - reach && cursor.toX < right + reach &&
      cursor.toY > top - reach && cursor.toY < bottom + reach;
  }

  /** @param {[number, number] | null} point of the plane where one's own is; null: it left */
  moved(point) {
    this.#sender.moved(point);
    this.#requestFrame();
  }

  /** @param {number} now @returns {boolean} whether another frame is needed */
  frame(now) {
    const isPending = this.#sender.frame(now);
    const isMoving = this.#cursors.frame(now);
    this.#layer.frame();
    return isPending || isMoving;
  }

  /** @param {object} message */
  #send(message) {
    if (!this.#session?.isConnected) return;
    // One that is lost, to the rate or on the way, is made good by the next.
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

/** As wide as most tags are, in pixels. */
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

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} Parts
 * @property {Camera} camera
 * @property {(number: number) => Participant | null} participant
 * @property {(number: number, bounds: Bounds) => boolean} isSeenAt whether a participant's pointer is there
 * @property {() => void} requestFrame
 */

const SHOWN_MS = 1600;
/** So many at once are enough; of one person, the last. */
const MAX_LABELS = 6;

/** Short-lived labels with the name of the participant who added, changed or removed something. Not shown near their pointer. */
export class ChangeLabels {
  #parts;
  #layer = element('cursors');
  /** @type {Map<number, { shown: HTMLElement, bounds: Bounds, until: number }>} by the participant's number */
  #labels = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {number} now @returns {boolean} whether another frame is needed */
  frame(now) {
    for (const [number, { shown, bounds, until }] of this.#labels) {
      if (now >= until) {
        shown.remove();
        this.#labels.delete(number);
        continue;
      }
      const [left, top] = this.#parts.camera.toCanvas(bounds.left, bounds.top);
      shown.style.transform = `translate(${Math.max(8, left).toFixed(1)}px, ${Math.max(76, top).toFixed(1)}px)`;
    }
    return this.#labels.size > 0;
  }

  /** Shows who changed something. @param {import('../model/scene.js').RemoteChange} change */
  show({ sender, before, after }) {
    const one = after ?? before;
    const { camera, participant, requestFrame, isSeenAt } = this.#parts;
    const who = participant(sender);
    // A stroke that is being drawn is neither added nor changed yet.
    if (!who || !one?.isFinished || before?.isFinished === false) return;
    const { bounds } = one;
    if (!overlap(bounds, camera.seen(innerWidth, innerHeight)) || isSeenAt(sender, bounds)) return;
    this.#labels.get(sender)?.shown.remove();
    this.#labels.delete(sender);
    if (this.#labels.size >= MAX_LABELS) return;
    const tag = make('div', { class: 'change-label' }, after ? who.name : words.tookAway(who.name));
    tag.style.setProperty('--own', who.color);
    tag.style.setProperty('--on-own', textOn(who.color));
    this.#layer.append(tag);
    this.#labels.set(sender, { shown: tag, bounds, until: performance.now() + SHOWN_MS });
    requestFrame();
  }
}
