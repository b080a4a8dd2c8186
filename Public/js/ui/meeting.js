/**
 * The parts for a meeting: following, pointing, raised hands, reactions, and the request to come here. They use unreliable
 * messages only, so they never delay the drawing.
 */

import { RaisedHands } from '../protocol/raisedHands.js';
import { SenderLimit } from '../protocol/senderLimit.js';
import { encodeView } from '../protocol/sharedView.js';
import { TransientMessages, TransientType } from '../protocol/transientMessages.js';
import { identity } from '../protocol/presence.js';
import { laterStrings } from '../i18n/later.js';
import { announce, toast } from './dialogs.js';
import { element } from './elements.js';
import { FollowController } from './followController.js';
import { FollowFrame } from './followFrame.js';
import { GatherOffers } from './gatherOffers.js';
import { isBusy, listenToKeys } from './keys.js';
import { MeetingPanel } from './meetingPanel.js';
import { MeetingPeople } from './meetingPeople.js';
import { PingInput } from './pingInput.js';
import { Pointing } from './pointing.js';
import { openPopover } from './popovers.js';

/**
 * @typedef {import('./people.js').Person} Person
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 *
 * @typedef {object} Parts
 * @property {import('../app/sharing.js').Sharing} sharing
 * @property {import('./settings.js').Settings} settings
 * @property {import('./people.js').People} people
 * @property {import('../model/camera.js').Camera} camera
 * @property {import('../render/renderer.js').Renderer} view
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../tools/selectTool.js').SelectTool} selectTool
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {Pick<import('../protocol/earlyMessages.js').EarlyMessages, 'take'>} earlyMessages
 * @property {() => boolean} isWorking returns true while the person draws or writes
 * @property {() => boolean} glides returns false if the camera jumps
 * @property {(bounds: import('../model/stroke.js').Bounds) => boolean} reach shows the sheet of a part of the plane; returns true
 *   if another sheet was shown before
 * @property {(x: number, y: number) => string} elsewhere returns the name of the sheet at a point; '' if it is the shown one
 * @property {() => void} requestFrame
 */

/** The interval at which messages are repeated and expired parts are removed. */
const TICK_MS = 1000;
/** The limit of this person's requests to come here, the same as that of the receivers. */
const GATHERS_PER_SECOND = 1 / 8;
const GATHER_BURST = 2;

export class Meeting {
  #parts;
  #messages = new TransientMessages();
  #follow;
  #pointing;
  #hands;
  #people;
  #offers;
  #panel;
  #pingInput;
  #gatherLimit = new SenderLimit(GATHERS_PER_SECOND, GATHER_BURST);
  /** @type {AbortController | null} */
  #lifetime = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { sharing, settings, people, camera, view, selection, requestFrame } = parts;
    const messages = this.#messages;
    const me = () => this.#me;
    const author = (/** @type {number} */ number) => sharing.session?.participant(number) ?? settings;
    const frame = new FollowFrame(() => this.#follow.stop());
    this.#follow = new FollowController({ ...parts, messages, me, show: (person) => frame.show(person) });
    // Using a tool ends the following, so that the page does not move under the pen.
    element('canvas').addEventListener('pointerdown', () => this.#follow.stop(), { capture: true });
    const show = (/** @type {number} */ x, /** @type {number} */ y) => this.#center(x, y);
    const isHere = (/** @type {number} */ x, /** @type {number} */ y) => parts.elsewhere(x, y) === '';
    this.#pointing = new Pointing({ messages, camera, view, author, me, requestFrame, show, isHere });
    this.#hands = new RaisedHands({
      send: (message, to) => messages.send(TransientType.hand, message, to),
      isMine: (number) => identity(author(number)) === identity(author(this.#me)),
    });
    const changed = () => this.#showPanel();
    this.#people = new MeetingPeople({ people, hands: this.#hands, follow: this.#follow, me, author, changed });
    this.#offers = new GatherOffers({
      author,
      view: () => this.#seen,
      isBusy: () => document.hidden || parts.isWorking() || isBusy(null) || this.#follow.person !== null,
      go: (bounds) => this.#follow.goTo(bounds),
    });
    this.#panel = new MeetingPanel({
      act: (action, isByKey) => this.#act(action, isByKey),
      react: (emoji) => this.#pointing.react(emoji),
    });
    const ping = (/** @type {[number, number]} */ point) => this.#ping(point);
    this.#pingInput = new PingInput({ ...parts, selected: () => selection.bounds, ping });
    this.#listen();
    this.#bindKeys();
    this.#enter(sharing.session);
    // The session may have been entered before this part of the page was loaded.
    messages.receiveEarlier(parts.earlyMessages.take());
    this.#showPanel();
  }

  /** The tool of the laser pointer. */
  get laserTool() {
    return this.#pointing.laserTool;
  }

  /** Follows a person; or stops, if the page already follows that person. @param {Person} person */
  choose(person) {
    this.#follow.toggle(person);
  }

  /** Keeps following after the page had to leave a removed sheet. */
  sheetRemoved() {
    this.#follow.sheetRemoved();
  }

  openList() {
    return this.#people.openList();
  }

  /** @param {number} now milliseconds @returns {boolean} true if another frame is needed */
  frame(now) {
    // Pointing is drawn first, at the camera position that the canvas shows, before following moves the camera.
    const isPointing = this.#pointing.frame(now);
    return this.#follow.frame(now) || isPointing;
  }

  /** The number of this participant; 0: none. */
  get #me() {
    return this.#parts.sharing.session?.localParticipant?.number ?? 0;
  }

  /** @returns {import('../model/stroke.js').Bounds} the visible part of the plane */
  get #seen() {
    const { camera, view } = this.#parts;
    return camera.seen(view.width, view.height);
  }

  #listen() {
    const { sharing, people } = this.#parts;
    const messages = this.#messages;
    this.#follow.addEventListener('follow', () => this.#offers.withdraw(this.#follow.person?.numbers ?? []));
    sharing.addEventListener('session', () => this.#enter(sharing.session));
    people.addEventListener('shown', () => this.#follow.peopleChanged(people.others));
    this.#pointing.addEventListener('ping', (event) => {
      const { number, x, y } = /** @type {CustomEvent<import('../protocol/moments.js').Ping>} */ (event).detail;
      const participant = sharing.session?.participant(number);
      const name = participant?.name ?? '';
      const sheet = this.#parts.elsewhere(x, y);
      if (sheet === '') announce(laterStrings.showsPlace(name));
      else toast(laterStrings.showsPlaceOn(name, sheet), { color: participant?.color });
    });
    messages.on(TransientType.hand, (sender, message) => this.#hands.receive(sender, message));
    messages.on(TransientType.gather, (sender, message) => {
      // A page that follows the sender shows that part of the page already.
      if (!this.#follow.isFollowed({ numbers: [sender] })) this.#offers.receive(sender, message);
    });
  }

  /** Switches to another session. @param {GroupSession | null} session null: none */
  #enter(session) {
    this.#lifetime?.abort();
    this.#lifetime = new AbortController();
    this.#messages.follow(session);
    this.#keepOnly(new Set());
    this.#follow.sessionChanged(session === null);
    this.#hands.sessionChanged(session === null);
    if (!session) return;
    session.addEventListener('participantschange', (event) => {
      const { joined } = /** @type {CustomEvent<{ joined: Participant[] }>} */ (event).detail;
      const here = new Set(session.activeParticipants.map(({ number }) => number));
      this.#keepOnly(here);
      // The first list has all participants, who learn of a raised hand by the repeated message.
      const isFirst = joined.some(({ number }) => number === this.#me);
      this.#hands.participantsChanged((number) => here.has(number), isFirst ? [] : joined);
    }, this.#lifetime);
    session.addEventListener('connectionchange', () => {
      this.#hands.repeatSoon();
      this.#follow.repeatSoon();
      this.#showPanel();
    }, this.#lifetime);
    const timer = setInterval(() => this.#tick(session), TICK_MS);
    this.#lifetime.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  /** @param {ReadonlySet<number>} here the numbers of the present participants */
  #keepOnly(here) {
    const isHere = (/** @type {number} */ number) => here.has(number);
    for (const one of [this.#follow, this.#pointing, this.#people, this.#offers]) one.keepOnly(isHere);
  }

  /** @param {GroupSession} session */
  #tick(session) {
    if (!session.isConnected) return;
    this.#hands.tick();
    // A hidden page needs no views, so it stops its messages, and the others forget it as a follower.
    if (!document.hidden) this.#follow.tick(performance.now());
  }

  #bindKeys() {
    const { sharing } = this.#parts;
    listenToKeys({
      j: () => this.#pingInput.pingHere(),
      w: () => this.#act('hand', true),
    }, () => sharing.over !== null);
    // This listener must run before those of other keys, so that Escape only stops following.
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#follow.person || openPopover() || isBusy(event.target)) return;
      event.preventDefault();
      this.#follow.stop();
    }, { capture: true });
  }

  /** @param {import('./meetingPanel.js').Action} action @param {boolean} isByKey */
  #act(action, isByKey) {
    switch (action) {
      case 'hand':
        return this.#toggleHand();
      case 'ping':
        return isByKey ? this.#pingInput.pingHere() : this.#pingInput.pick();
      case 'laser':
        return this.#parts.toolbar.choose('laser');
      case 'gather':
        return this.#gather();
      case 'list':
        return void this.openList();
    }
  }

  #toggleHand() {
    if (!this.#parts.sharing.session) return;
    const wasRaised = this.#hands.isRaised;
    if (wasRaised) this.#hands.lower();
    else this.#hands.raise();
    announce(wasRaised ? laterStrings.youLoweredHand : laterStrings.youRaisedHand);
  }

  #gather() {
    if (!this.#gatherLimit.allows(0, performance.now())) return toast(laterStrings.notSoOften);
    this.#messages.send(TransientType.gather, { view: encodeView(this.#seen) });
    toast(laterStrings.askedToCome(this.#parts.people.others.length));
  }

  /** @param {[number, number]} point */
  #ping(point) {
    announce(this.#pointing.ping(point) ? laterStrings.youShowPlace : laterStrings.notSoOften);
  }

  /** Moves the camera to a point, at the same scale. @param {number} x @param {number} y */
  #center(x, y) {
    const { left, top, right, bottom } = this.#seen;
    const [dx, dy] = [(right - left) / 2, (bottom - top) / 2];
    this.#follow.goTo({ left: x - dx, top: y - dy, right: x + dx, bottom: y + dy });
  }

  #showPanel() {
    const { sharing, people } = this.#parts;
    this.#panel.show({
      isShared: sharing.session !== null && people.others.length > 0,
      isConnected: sharing.session?.isConnected ?? false,
      isRaised: this.#hands.isRaised,
    });
  }
}
