/** The session that the picture belongs to: creates, joins, follows and leaves sessions. Uses no DOM. */

import { browserEnvironment } from '../sync/environment.js';
import { browserTabs } from '../persist/tabLease.js';
import { LocalBoards } from '../persist/localBoards.js';
import { PageLeases } from '../persist/pageLeases.js';
import { loadAtLast, loadSession } from './loading.js';

/**
 * @typedef {import('../edit/drawing.js').Drawing} Drawing
 * @typedef {import('../persist/outboxStore.js').OutboxStore} OutboxStore
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/groupSession.js').SavedParticipant} SavedParticipant
 * @typedef {import('../sync/journal/groupSessionJournal.js').GroupSessionJournal} GroupSessionJournal
 * @typedef {{ name: string, color: string }} Profile
 */

/**
 * A storage that stores nothing, for the outboxes of other tabs: this tab must not continue them after a reload.
 * @type {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>}
 */
const NO_STORAGE = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
const ACTIVITY = Object.freeze({ identifier: 'drawtogether', title: 'Draw Together', type: 'generic' });

/**
 * Events: `session` (the session changed; it may be null), `followed` (detail: `from`, the old session's id, and `by`, a
 * participant), `opened` (the stored picture or a new board is displayed), `leave` (another page is about to replace this one),
 * `unkept` (the browser refused to store something), `unloaded` (parts that a session needs could not be loaded yet; detail: the
 * error).
 */
export class Sharing extends EventTarget {
  #drawing;
  #itemStore;
  #base;
  #profile;
  #storage;
  #newId;
  #tabs;
  /** @type {import('../persist/tabLease.js').AcquireLease} */
  #acquireLease;
  #env;
  #load;
  #openJournal;
  #database;
  #alone;
  #items;
  #snapshotDatabase;
  /** @type {import('../persist/sessionSnapshots.js').SessionSnapshots | null} created for the first session */
  #snapshots = null;
  /** @type {'' | 'whole' | 'part'} */
  #lastSeen = '';
  /** @type {Promise<void> | null} while the stored board is being read */
  #opening = null;
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {GroupSessionJournal | null} */
  #journal = null;
  /** @type {OutboxStore | null} */
  #store = null;
  /** The parts that a session needs; null before the first session. @type {typeof import('./session.js') | null} */
  #parts = null;
  /** @type {import('./saveScheduler.js').SaveScheduler | null} created for the first session */
  #saves = null;
  /** @type {string | null} */
  #over = null;
  /** The title of the page; null until it is needed. @type {import('../protocol/titleSync.js').Title | null} */
  title = null;
  /** The names and the order of the sheets; null until they are needed. @type {import('../protocol/sheetSync.js').Sheets | null} */
  sheets = null;
  /** The id of a session that the gateway no longer knew; '' for none. */
  gone = '';
  /** The leases of this page. */
  leases;

  /**
   * @param {object} options
   * @param {Drawing} options.drawing
   * @param {import('../edit/itemStore.js').ItemStore} options.itemStore
   * @param {import('../model/scene.js').Items} options.items
   * @param {URL} options.base address of the gateway
   * @param {() => Profile} options.profile
   * @param {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} options.storage that lives as long as the tab
   * @param {import('../persist/database.js').Database} options.database
   * @param {import('../persist/database.js').Database} options.snapshots for the pictures of sessions
   * @param {() => string} options.newId random
   * @param {import('../persist/tabLease.js').TabEnvironment} [options.tabs]
   * @param {import('../sync/environment.js').Environment} [options.env]
   * @param {(failed: (error: Error) => void) => ReturnType<typeof loadSession>} [options.load] loads the parts that a session needs;
   *   `failed` is called for the first failure
   * @param {(session: GroupSession) => GroupSessionJournal} [options.openJournal]
   */
  constructor({
    drawing,
    itemStore,
    items,
    base,
    profile,
    storage,
    database,
    snapshots,
    newId,
    tabs = browserTabs,
    env = browserEnvironment,
    load = (failed) => loadAtLast(loadSession, failed),
    openJournal,
  }) {
    super();
    this.#drawing = drawing;
    this.#itemStore = itemStore;
    this.#base = base;
    this.#profile = profile;
    this.#storage = storage;
    this.#newId = newId;
    this.#tabs = tabs;
    this.leases = new PageLeases(newId(), tabs);
    this.#acquireLease = this.leases.acquire.bind(this.leases);
    this.#env = env;
    this.#load = load;
    this.#openJournal = openJournal;
    this.#database = database;
    const take = this.#acquireLease;
    const release = this.leases.release.bind(this.leases);
    this.#alone = new LocalBoards({ drawing, itemStore, items, database, storage, newId, take, release });
    this.#items = items;
    this.#snapshotDatabase = snapshots;
    this.#alone.addEventListener('refused', () => this.dispatchEvent(new Event('unkept')));
  }

  get session() {
    return this.#session;
  }

  /** The id of an ended session whose picture is still shown; null: none. Drawing is disabled then. */
  get over() {
    return this.#over;
  }

  /** The id of the shown session or board; null while neither is open. */
  get pageId() {
    return this.#session?.id ?? this.#over ?? this.#alone.id;
  }

  /** The board of another tab that the shown one is a copy of; null if it is not a copy. */
  get copiedFrom() {
    return this.isShared ? null : this.#alone.copiedFrom;
  }

  /** True if the page shows a session, which may have ended. */
  get isShared() {
    return (this.#session?.id ?? this.#over) !== null;
  }

  /** The journal of the session's attachments; null without a session. */
  get journal() {
    return this.#journal;
  }

  /** The part of the last known picture that is shown until the first connection; '' if none is. */
  get lastSeen() {
    return this.#lastSeen;
  }

  /** True if the board, or the changes that the session does not have yet, are stored, so that a later page finds them. */
  get isKept() {
    return this.#store?.isKept ?? this.#alone.isKept;
  }

  /**
   * Opens a board that this person drew without a session.
   * @param {string | null} [board] its id; null: the last one of this tab
   */
  async openAlone(board = null) {
    this.#opening = this.#alone.open(board);
    await this.#opening;
    this.#opening = null;
    this.dispatchEvent(new Event('opened'));
  }

  /** Creates a session with the current picture. @returns {Promise<GroupSession>} */
  async share() {
    await this.#opening;
    const id = await this.#create();
    return await this.#enter(id, { bringsPicture: true });
  }

  /** Joins an existing session. If this tab was a participant before, it continues as that participant. @param {string} id */
  async join(id) {
    return await this.#enter(id, { bringsPicture: false });
  }

  /**
   * Starts an empty page: in a session, a new session for all its participants. The old session keeps its picture and its
   * link. Without a session, the old board stays on this device.
   */
  async newPage() {
    const old = this.#session;
    if (!old) return await this.#newBoard();
    const id = await this.#create({ id: old.id, token: old.token });
    await this.#follow(old, id, old.localParticipant?.number ?? 0);
  }

  /** Leaves the session. The others continue, and the picture stays on this page. */
  leave() {
    this.#session?.leave();
  }

  /**
   * Separates the page from its session. The picture stays. The person can continue to draw alone or, if the session has ended
   * for everybody, only look at the picture.
   * @param {{ comesBack?: boolean, isOver?: boolean }} [options] `comesBack`: a later page may send the pending entries
   */
  detach({ comesBack = false, isOver = false } = {}) {
    this.#drawing.endStroke();
    const pending = this.#session?.pending.flatMap(({ entry }) => entry.key ?? []) ?? [];
    this.#drawing.detach();
    this.sheets?.detach();
    // The gateway no longer has the picture of an ended session. The items are stored while they belong to the session.
    if (isOver) this.#snapshots?.end(pending);
    else if (comesBack) this.#snapshots?.stop();
    else this.#snapshots?.forget();
    this.#itemStore.detach();
    this.title?.detach();
    this.#over = isOver && this.#session ? this.#session.id : null;
    if (this.#session?.reason?.kind === 'unknown') this.gone = this.#session.id;
    if (comesBack && this.#session) this.#store?.save(this.#session.save());
    else this.#store?.forget();
    if (!isOver) this.#alone.begin();
    this.#become(null, null);
  }

  /** Stores all changes that are not stored yet, at once. */
  saveNow() {
    this.#alone.saveNow();
    this.#save();
    this.#snapshots?.saveNow();
  }

  /** @returns {Promise<boolean> | undefined} true if it is stored */
  #save() {
    this.#saves?.cancel();
    if (!this.#session || this.#session.state === 'invalidated') return;
    return this.#store?.save(this.#session.save()).then((isKept) => {
      if (!isKept) this.dispatchEvent(new Event('unkept'));
      return isKept;
    });
  }

  /**
   * Creates a session.
   * @param {{ id: string, token: string | null }} [follows] the session before it @returns {Promise<string>} its id
   */
  async #create(follows) {
    const { createSession } = await loadSession();
    const { id } = await createSession({ base: this.#base, activity: ACTIVITY, follows });
    return id;
  }

  /** @param {string} id @param {{ bringsPicture: boolean }} options */
  async #enter(id, { bringsPicture }) {
    const failed = (/** @type {Error} */ detail) => {
      // Until the parts are loaded, this person draws without a session, and the session gets this drawing.
      bringsPicture = true;
      this.#alone.begin();
      this.dispatchEvent(new CustomEvent('unloaded', { detail }));
    };
    this.#parts = await this.#load(failed);
    const {
      drainOrphanedOutboxes,
      GroupSession,
      journalOpener,
      OutboxStore,
      SaveScheduler,
      SessionSnapshots,
      Sheets,
      Title,
    } = this.#parts;
    const [database, newId, acquireLease] = [this.#database, this.#newId, this.#acquireLease];
    const newStore = (/** @type {typeof NO_STORAGE} */ storage) =>
      new OutboxStore({ session: id, storage, database, newId, acquireLease });
    const store = newStore(this.#storage);
    const saved = await store.open();
    const sheets = this.sheets ??= new Sheets();
    const saves = this.#saves ??= new SaveScheduler(() => this.#save(), this.#env);
    const snapshots = this.#snapshots ??= new SessionSnapshots({
      drawing: this.#drawing,
      sheets,
      items: this.#items,
      database: this.#snapshotDatabase,
      base: this.#base,
      newId: this.#newId,
      take: this.#acquireLease,
      env: this.#env,
    });
    const stored = bringsPicture ? null : await snapshots.read(id);
    this.#openJournal ??= journalOpener(this.#database, this.#tabs);
    const deleteBoard = this.#alone.close();
    const newSession = (/** @type {SavedParticipant | null} */ saved) =>
      new GroupSession({ id, base: this.#base, profile: this.#profile(), saved, env: this.#env });
    const session = newSession(saved);
    snapshots.follow(id);
    this.#lastSeen = stored ? (stored.isWhole ? 'whole' : 'part') : '';
    this.#drawing.attach(session, { bringsPicture, stored: stored?.shapes });
    (this.title ??= new Title()).attach(session, { bringsPicture });
    sheets.attach(session, { bringsPicture, stored: this.#drawing.stored });
    session.addEventListener('savechange', (event) => {
      // A finished stroke is stored at once; unfinished strokes and received results are stored later.
      saves.schedule(/** @type {CustomEvent} */ (event).detail.isUrgent);
    });
    session.addEventListener('newsession', (event) => {
      const { session: next, by } = /** @type {CustomEvent} */ (event).detail;
      if (typeof next === 'string') this.#follow(session, next, by);
    });
    this.#become(session, store);
    const uploadsStarted = this.#journal && this.#itemStore.attach(session, this.#journal, { bringsPicture });
    if (stored) {
      this.#itemStore.showStored(stored.items);
      this.dispatchEvent(new Event('opened'));
    }
    // The picture is stored for the session before the board is deleted. If the page is killed in between, the picture exists
    // twice instead of being lost.
    if (bringsPicture) Promise.all([uploadsStarted, this.#save()]).then(([, isKept]) => isKept && deleteBoard());
    else this.#save();
    session.addEventListener('connectionchange', () => session.isConnected && (this.#lastSeen = ''));
    const drain = () => drainOrphanedOutboxes(() => newStore(NO_STORAGE), newSession);
    session.addEventListener('connectionchange', drain, { once: true });
    session.join();
    return session;
  }

  async #newBoard() {
    await this.#opening;
    await this.#alone.itemsStored;
    // The person may have created a session during the wait.
    if (this.#session) return;
    // No `await` from here on, so that no stroke is drawn between the boards.
    this.#drawing.endStroke();
    this.dispatchEvent(new Event('leave'));
    this.#alone.setAside();
    const wasOver = this.#over !== null;
    this.#over = null;
    this.#drawing.clear();
    this.#itemStore.clear();
    this.title?.clear();
    this.sheets?.clear();
    this.#alone.begin();
    if (wasOver) this.#become(null, null);
    this.dispatchEvent(new Event('opened'));
  }

  /** @param {GroupSession} old @param {string} id @param {number} by */
  async #follow(old, id, by) {
    if (this.#session !== old) return;
    // An unfinished stroke or text belongs to the old session.
    this.#drawing.endStroke();
    this.dispatchEvent(new Event('leave'));
    this.#session = null;
    const who = old.participant(by);
    if (this.#store) this.#parts?.drainAndLeave(old, this.#store);
    await this.#enter(id, { bringsPicture: false });
    this.dispatchEvent(
      new CustomEvent('followed', { detail: { from: old.id, by: who, isOwn: by === old.localParticipant?.number } }),
    );
  }

  /** @param {GroupSession | null} session @param {OutboxStore | null} store */
  #become(session, store) {
    this.#journal?.close();
    if (session) this.#over = null;
    this.#session = session;
    this.#store = store;
    this.#journal = session && (this.#openJournal?.(session) ?? null);
    this.dispatchEvent(new Event('session'));
  }
}
