/** Following: this page shows the view of another person, and sends its own view to its followers. Needs no DOM. */

import { CameraGlide } from '../model/cameraGlide.js';
import { Followers } from '../protocol/followers.js';
import { Following } from '../protocol/following.js';
import { TransientType } from '../protocol/transientMessages.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../protocol/following.js').Person} Person
 *
 * @typedef {object} Parts
 * @property {import('../protocol/transientMessages.js').TransientMessages} messages
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => boolean} glides returns false if the camera jumps
 * @property {(bounds: Bounds) => boolean} [reach] shows the sheet of a part of the plane; returns true if another sheet was shown
 *   before
 * @property {() => number} me returns the number of this participant; 0: none
 * @property {(person: Person | null) => void} show receives the followed person after each change
 * @property {() => number} [now] milliseconds
 * @property {() => void} requestFrame
 */

/** Events: `follow`, after a change of the followed person (detail: as in the event `change` of `Following`), and `followers`. */
export class FollowController extends EventTarget {
  #parts;
  #following;
  #followers;
  #glide;
  #now;

  /** @param {Parts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    const { messages, camera, view, glides, me, requestFrame, now = () => performance.now() } = parts;
    this.#now = now;
    this.#following = new Following((message, to) => messages.send(TransientType.follow, message, to));
    this.#followers = new Followers((message, to) => messages.send(TransientType.view, message, to));
    this.#glide = new CameraGlide(camera, { size: () => view, glides });
    messages.on(TransientType.follow, (sender, message) => {
      this.#followers.receive(sender, message, now());
      requestFrame();
    });
    messages.on(TransientType.view, (sender, message) => {
      if (this.#following.receive(sender, message, me())) requestFrame();
    });
    this.#following.addEventListener('change', (event) => {
      this.#followingChanged(/** @type {CustomEvent} */ (event).detail);
    });
    this.#followers.addEventListener('change', () => this.dispatchEvent(new Event('followers')));
  }

  /** The followed person; null: none. */
  get person() {
    return this.#following.person;
  }

  /** @returns {number[]} the numbers of the participants who follow this page */
  get followers() {
    return this.#followers.numbers;
  }

  /** @param {{ numbers: number[] }} person @returns {boolean} true if the person follows this page */
  isFollower({ numbers }) {
    return numbers.some((number) => this.#followers.has(number));
  }

  /** @param {{ numbers: number[] }} person @returns {boolean} true if this page follows the person */
  isFollowed({ numbers }) {
    return this.person?.numbers.some((number) => numbers.includes(number)) ?? false;
  }

  /** Follows a person; or stops, if the page already follows that person. @param {Person} person */
  toggle(person) {
    if (this.isFollowed(person)) return this.stop();
    this.#glide.stop();
    this.#following.start(person, this.#now());
    // A movement of the camera ends the following even before the first view arrives.
    this.#glide.to(this.#seen);
  }

  stop() {
    this.#following.stop();
  }

  /** Shows a part of the plane. @param {Bounds} bounds */
  goTo(bounds) {
    this.stop();
    this.#glide.stop();
    this.#lead(bounds);
    this.#parts.requestFrame();
  }

  /** Keeps following although the camera moved, because the page had to leave a removed sheet. */
  sheetRemoved() {
    this.#glide.stop();
    if (!this.person) return;
    this.#following.forgetView();
    this.#glide.to(this.#seen);
  }

  /** @param {boolean} isAlone true if there is no session any more */
  sessionChanged(isAlone) {
    this.#following.sessionChanged();
    // The camera shows the picture of the new session until the view arrives.
    this.#glide.stop();
    if (isAlone) this.stop();
  }

  /** @param {(number: number) => boolean} isHere */
  keepOnly(isHere) {
    this.#followers.keepOnly(isHere);
  }

  /** @param {readonly Person[]} others all other people */
  peopleChanged(others) {
    this.#following.peopleChanged(others, this.#now());
    this.#parts.show(this.person);
  }

  /** Sends all repeated messages at once, because the connection is back. */
  repeatSoon() {
    this.#following.repeatSoon();
  }

  /** To be called about once a second. @param {number} now milliseconds */
  tick(now) {
    this.#following.tick(now);
    this.#followers.expire(now);
    // The view is repeated in a frame, because a hidden page has no view.
    if (this.#followers.numbers.length > 0) this.#parts.requestFrame();
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    if (this.#glide.isInterrupted) {
      this.#glide.stop();
      this.stop();
    }
    const { person, view } = this.#following;
    if (view) this.#lead(view.bounds);
    const isMoving = this.#glide.frame(now);
    if (!isMoving && !person) this.#glide.stop();
    // The view of another participant is passed on as it is. Otherwise views would grow along a chain of followers.
    const own = { bounds: this.#seen, of: this.#parts.me() };
    const isPending = this.#followers.frame(person ? view : own, now);
    return isMoving || isPending;
  }

  /** Moves the camera to a part of the plane. @param {Bounds} bounds */
  #lead(bounds) {
    // The change of the sheet does not interrupt the movement.
    if (this.#parts.reach?.(bounds)) this.#glide.stop();
    this.#glide.to(bounds);
  }

  /** @returns {Bounds} */
  get #seen() {
    const { camera, view } = this.#parts;
    return camera.seen(view.width, view.height);
  }

  /** @param {{ name: string, isGone: boolean }} detail */
  #followingChanged(detail) {
    this.#parts.show(this.person);
    if (!this.person) this.#glide.stop();
    this.dispatchEvent(new CustomEvent('follow', { detail }));
    this.#parts.requestFrame();
  }
}
