/** The session on the page: sharing, people, lost connections, and the end. */

import { identity, peopleAmong } from '../protocol/presence.js';
import { errorText, noticeText, strings } from '../i18n/i18n.js';
import { announce, confirmed, toast } from './dialogs.js';
import { element } from './elements.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/participants.js').Participant} Participant
 * @typedef {typeof import('./sessionDialogs.js') & { showLink: (link: string) => Promise<unknown> }} Dialogs
 *
 * @typedef {object} Parts
 * @property {import('../app/sharing.js').Sharing} sharing
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('./settings.js').Settings} settings
 * @property {import('./people.js').People} people
 * @property {import('./connectionBanner.js').ConnectionBanner} banner
 * @property {(participants: Participant[]) => void} participantsChanged
 * @property {() => Promise<Dialogs>} dialogs loads the dialogs
 */

export class SessionFlow {
  #parts;
  /** @type {AbortController | null} */
  #lifetime = null;
  #isDirty = true;
  /** The people in the session, by `identity`. @type {Set<string>} */
  #present = new Set();
  /** The people of the previous session: their arrival in this one is not reported. @type {Set<string>} */
  #followers = new Set();
  /** @type {Promise<GroupSession> | null} set while a session is being created, so that a second press creates no other one */
  #sharing = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.sharing.addEventListener('session', () => this.#sessionChanged());
    parts.sharing.addEventListener('followed', (event) => this.#followed(/** @type {CustomEvent} */ (event).detail));
    parts.people.addEventListener('rename', () => this.rename());
    element('share').addEventListener('click', () => this.share());
    // The name or the color was changed in another tab.
    addEventListener('storage', ({ key }) => parts.settings.renamed(key) && this.showProfile());
    this.#showPeople();
  }

  /** @returns {GroupSession | null} */
  get #session() {
    return this.#parts.sharing.session;
  }

  /** This person. In a session, the color is the one that the gateway gave. */
  get #me() {
    const { name, color } = this.#parts.settings;
    return { name, color: this.#session?.localParticipant?.color ?? color };
  }

  /** Creates a session if there is none, and shows its link. */
  async share() {
    try {
      // The dialogs are loaded before the session is created, because its link could not be shown without them.
      const { showLink } = await this.#parts.dialogs();
      this.#sharing ??= this.#session ? null : this.#parts.sharing.share();
      const session = this.#session ?? await this.#sharing;
      if (session) await showLink(linkTo(session.id));
    } catch (error) {
      toast(errorText(error));
    } finally {
      this.#sharing = null;
    }
  }

  async rename() {
    const { settings, dialogs } = this.#parts;
    const { askName } = await dialogs();
    const name = await askName(settings.name);
    if (name === null || !settings.rename(name)) return;
    this.showProfile();
  }

  /** Sends and shows the changed name or color of this person. */
  showProfile() {
    const { name, color } = this.#parts.settings;
    this.#session?.setProfile({ name, color });
    this.#showPeople();
  }

  /** Starts an empty page, for everybody in the session. */
  async newPage() {
    const count = this.#count;
    const isAgreed = await confirmed({
      title: count > 1 ? strings.newPageForAll(count) : strings.newPageTitle,
      text: this.#oldPageText,
      action: strings.newPage,
      isDestructive: !this.#session && !this.#parts.sharing.isKept,
    });
    if (!isAgreed) return;
    try {
      await this.#parts.sharing.newPage();
    } catch (error) {
      toast(errorText(error));
    }
  }

  get #oldPageText() {
    if (this.#session) return strings.oldPageStays;
    return this.#parts.sharing.isKept ? strings.oldPageKept : strings.oldPageGoes;
  }

  async leave() {
    const text = this.#count > 1 ? strings.leaveOthers : strings.leaveText;
    if (await confirmed({ title: strings.leaveTitle, text, action: strings.leave })) {
      this.#parts.sharing.leave();
    }
  }

  async end() {
    const count = this.#count;
    const title = count > 1 ? strings.endForAll(count) : strings.endTitle;
    const question = { title, text: strings.endText, action: strings.end, isDestructive: true };
    if (await confirmed(question)) this.#session?.end();
  }

  /** The number of people. A person with several tabs counts once. */
  get #count() {
    return Math.max(1, peopleAmong(this.#session?.activeParticipants ?? []).length);
  }

  #sessionChanged() {
    this.#lifetime?.abort();
    this.#lifetime = new AbortController();
    const session = this.#session;
    this.#parts.banner.hide();
    this.#isDirty = true;
    [this.#followers, this.#present] = [this.#present, new Set()];
    if (session) this.#listen(session, this.#lifetime);
    this.#showPeople();
  }

  /** @param {GroupSession} session @param {AbortController} lifetime */
  #listen(session, lifetime) {
    const { banner } = this.#parts;
    banner.lost(false);
    session.addEventListener('connectionchange', () => {
      if (session.isConnected) banner.back();
      else banner.lost(session.state === 'joined');
      banner.saving(session.isUnsaved);
      this.#showPeople();
    }, lifetime);
    session.addEventListener('participantschange', (event) => {
      this.#participantsChanged(/** @type {CustomEvent} */ (event).detail);
    }, lifetime);
    session.addEventListener('statechange', () => {
      if (session.state === 'invalidated') this.#sessionEnded(session);
    }, lifetime);
    session.addEventListener('notice', (event) => {
      const { code, detail } = /** @type {CustomEvent} */ (event).detail;
      banner.saving(session.isUnsaved);
      // The banner shows `storage-full` as long as it lasts.
      if (code !== 'storage-full' && typeof detail === 'string') toast(noticeText(code, detail));
    }, lifetime);
    session.addEventListener('error', (event) => {
      const { detail: error } = /** @type {CustomEvent} */ (event);
      if (error.code === 'session-quota') toast(errorText(error));
      if (error.code === 'storage-full') {
        const isDiskSlow = error.limit === session.limits.unsavedSessionBytes;
        toast(isDiskSlow ? strings.slowDisk : strings.noRoom);
      }
    }, lifetime);
  }

  /** @param {{ joined: Participant[], left: Participant[] }} change */
  #participantsChanged({ joined, left }) {
    this.#showPeople();
    // Another tab of a present person is not reported.
    const known = new Set(this.#session?.activeParticipants.filter((one) => !joined.includes(one)).map(identity));
    known.add(identity(this.#me));
    const unknown = (/** @type {Participant[]} */ all) => peopleAmong(all.filter((one) => !known.has(identity(one))));
    const arrivals = unknown(joined);
    const reported = arrivals.filter((one) => !this.#followers.delete(identity(one)));
    // The people of the first list were here before, so they are not reported as new.
    if (this.#isDirty) announce(arrivals.length > 0 ? strings.areHere(names(arrivals), arrivals.length) : '');
    else {
      if (reported.length > 0) toast(strings.joined(names(reported), reported.length), { color: reported[0].color });
      const departed = unknown(left);
      if (departed.length > 0) toast(strings.left(names(departed), departed.length), { color: departed[0].color });
    }
    this.#isDirty = false;
    this.#present = new Set(this.#session?.activeParticipants.map(identity));
  }

  #showPeople() {
    const { people, participantsChanged } = this.#parts;
    const session = this.#session;
    const active = session?.activeParticipants ?? [];
    const others = active.filter(({ number }) => number !== session?.localParticipant?.number);
    people.show(this.#me, others, !session || session.isConnected);
    const count = this.#count;
    element('end-label').textContent = count > 1 ? strings.endFor(count) : strings.end;
    participantsChanged(active);
  }

  /** @param {{ from: string, by: Participant | null, isOwn: boolean }} detail */
  #followed({ from, by, isOwn }) {
    const text = isOwn || !by ? strings.aNewPage : strings.startedNewPage(by.name);
    toast(text, { color: by?.color, link: { href: linkTo(from), text: strings.seeOldPage } });
  }

  /** @param {GroupSession} session */
  async #sessionEnded(session) {
    const { sharing, scene, dialogs } = this.#parts;
    // The page already shows the next session, so the end of the old one is not reported.
    if (sharing.session !== session) return;
    const { kind, message } = describeEnd(session);
    const isOver = kind === 'ended';
    sharing.detach({ comesBack: session.reason?.canComeBack, isOver });
    if (isOver) return;
    if (kind === 'left') return toast(strings.youLeft);
    const hasPicture = !scene.isEmpty;
    const text = hasPicture ? `${message} ${strings.pictureStays}` : message;
    const canRetry = kind === 'full' || kind === 'refused' || kind === 'version';
    const title = endedTitle(session);
    // If the dialog cannot be loaded, a message shows the reason.
    const loaded = await dialogs().catch(() => null);
    if (!loaded) return toast(text, { title, stays: true });
    const choice = await loaded.showEndedDialog({ title, text, canRetry, hasPicture });
    if (choice === 'retry') location.assign(linkTo(session.id));
    if (choice === 'start') await this.share();
  }
}

/** @param {GroupSession} session */
function describeEnd(session) {
  const { reason } = session;
  if (!reason) return { kind: /** @type {const} */ ('left'), message: '' };
  const { kind } = reason;
  // A former participant did not follow a wrong link.
  if (kind === 'unknown' && session.localParticipant) {
    return { kind, message: strings.goneText };
  }
  return { kind, message: errorText(reason) };
}

/** @param {GroupSession} session */
function endedTitle(session) {
  const { kind } = describeEnd(session);
  return kind === 'unknown' && session.localParticipant ? strings.goneTitle : strings.overTitles[kind];
}

/** @param {string} id of a session @returns {string} */
function linkTo(id) {
  return new URL(`/s/${id}`, location.href).href;
}

/** @param {Participant[]} people */
function names(people) {
  if (people.length > 3) return strings.people(people.length);
  return strings.names(people.map(({ name }) => name));
}
