/** The pages that this device has opened, with and without a session. */

import { browserDatabase, browserSnapshots, Database, within } from './database.js';

/**
 * @typedef {object} PageRecord
 * @property {string} id of the session or of the board
 * @property {boolean} isShared true for a session
 * @property {boolean} isEnded true if the session has ended
 * @property {string} title '' if it has none
 * @property {string[]} people the names of others, the latest first
 * @property {number} at milliseconds since 1970, of the last visit or change
 * @property {Blob | null} thumbnail
 *
 * @typedef {PageRecord & { isOnlyHere: boolean, isUnsent: boolean }} Page `isOnlyHere`: this device may have the only copy;
 *   `isUnsent`: the session does not have all changes of this device
 *
 * @typedef {object} Parts
 * @property {Pick<import('./pageLeases.js').PageLeases, 'hold' | 'acquire' | 'release'>} leases
 * @property {Database} [database] the database of the list
 * @property {Database} [boards] with the boards and the outboxes
 * @property {Database} [snapshots] with the pictures of sessions
 */

/** @type {import('./database.js').Schema} */
export const LIST = { name: 'drawtogether-list', version: 1, stores: ['pages'] };
/** The maximum number of pages. Older ones are dropped, but never the only copy of a picture. */
const MAX_PAGES = 200;

export class PageList {
  #leases;
  #database;
  #boards;
  #snapshots;

  /** @param {Parts} parts */
  constructor({ leases, database, boards = browserDatabase, snapshots = browserSnapshots }) {
    this.#leases = leases;
    this.#database = database ?? new Database(() => indexedDB, LIST);
    this.#boards = boards;
    this.#snapshots = snapshots;
  }

  /** @param {string} id @returns {Promise<PageRecord | null>} */
  async find(id) {
    const [record] = await this.#database.read(['pages'], ({ pages }) => [pages.get(id)]) ?? [];
    return record ?? null;
  }

  /** Stores a page. The browser has it when this returns. @param {PageRecord} record @returns {Promise<boolean>} */
  async put(record) {
    return await this.#database.write(['pages'], ({ pages }) => void pages.put(record, record.id));
  }

  /** @returns {Promise<Page[]>} newest first */
  async all() {
    const [stored, boards, sessions, unsent] = await Promise.all([
      this.#stored(),
      this.#filledBoards(),
      this.#endedSessions(),
      this.#unsentSessions(),
    ]);
    const records = new Map(stored.map((record) => [record.id, record]));
    // Pages that are not in the list: they are older than it, or the browser refused to store their record.
    for (const { id, at } of boards) if (!records.has(id)) records.set(id, newRecord(id, { at }));
    for (const { id, at } of sessions) {
      if (!records.has(id)) records.set(id, newRecord(id, { at, isShared: true, isEnded: true }));
    }
    const isFilled = new Set(boards.map(({ id }) => id));
    const hasPicture = new Set(sessions.map(({ id }) => id));
    return [...records.values()]
      .filter(({ id, isShared, title }) => isShared || isFilled.has(id) || title !== '')
      .map((record) => ({
        ...record,
        isOnlyHere: !record.isShared || hasPicture.has(record.id),
        isUnsent: unsent.has(record.id),
      }))
      .sort((a, b) => b.at - a.at);
  }

  /**
   * @param {Pick<PageRecord, 'id' | 'isShared'>} page one that is not shown
   * @returns {Promise<boolean>} false: another tab shows this board
   */
  async canOpen({ id, isShared }) {
    if (isShared) return true;
    const isFree = await this.#leases.hold(id);
    // If this page kept the lease, the page that opens the board would have to wait until this page is closed.
    if (isFree) this.#leases.release(id);
    return isFree;
  }

  /**
   * Removes a page with everything that this device has of it. A session that has not ended stays on the gateway.
   * @param {Pick<PageRecord, 'id' | 'isShared'>} page @returns {Promise<boolean>} false: another tab shows it
   */
  async remove({ id, isShared }) {
    if (isShared) await Promise.all([this.#removeSnapshot(id), this.#removeOutboxes(id)]);
    else if (await this.#leases.hold(id)) await this.#removeBoard(id);
    else return false;
    await this.forget(id);
    return true;
  }

  /** Removes the record of a page only. @param {string} id */
  async forget(id) {
    await this.#database.write(['pages'], ({ pages }) => void pages.delete(id));
  }

  /** Drops the oldest pages beyond the maximum, and boards without content. @param {string | null} shown its id */
  async prune(shown) {
    const pages = await this.all();
    const dropped = pages.slice(MAX_PAGES).filter((one) => !one.isOnlyHere && !one.isUnsent && one.id !== shown);
    for (const page of dropped) await this.remove(page);
    const listed = new Set(pages.map(({ id }) => id));
    const [boards, records] = await Promise.all([this.#allBoards(), this.#stored()]);
    const others = [...boards, ...records.filter(({ isShared }) => !isShared)].filter(({ id }) => !listed.has(id));
    for (const id of new Set(others.map(({ id }) => id))) {
      // A board that is open in a tab, such as this one, may get content at any time, so it stays.
      if (!await this.#leases.acquire(id, { isPatient: false })) continue;
      if (await this.#removeEmptyBoard(id)) await this.forget(id);
      this.#leases.release(id);
    }
  }

  /** @returns {Promise<PageRecord[]>} */
  async #stored() {
    return (await this.#database.read(['pages'], ({ pages }) => [pages.getAll()]))?.[0] ?? [];
  }

  /** @returns {Promise<import('./localBoards.js').BoardRecord[]>} */
  async #allBoards() {
    return (await this.#boards.read(['pages'], ({ pages }) => [pages.getAll()]))?.[0] ?? [];
  }

  /** @returns {Promise<import('./localBoards.js').BoardRecord[]>} the boards with content */
  async #filledBoards() {
    const boards = await this.#allBoards();
    const counts = await this.#boards.read(
      ['marks', 'items'],
      ({ marks, items }) => boards.flatMap(({ id }) => [marks.count(within(id)), items.count(within(id))]),
    ) ?? [];
    return boards.filter((_, at) => counts[2 * at] + counts[2 * at + 1] > 0);
  }

  /** @returns {Promise<import('./snapshotWriter.js').SessionRecord[]>} those whose picture is stored */
  async #endedSessions() {
    /** @type {import('./snapshotWriter.js').SessionRecord[]} */
    const sessions = (await this.#snapshots.read(['sessions'], (stores) => [stores.sessions.getAll()]))?.[0] ?? [];
    return sessions.filter(({ isEnded }) => isEnded);
  }

  /** @returns {Promise<Set<string>>} the ids of sessions that do not have all changes of this device */
  async #unsentSessions() {
    const outboxes = await this.#outboxes();
    return new Set(outboxes.filter(({ count }) => count > 0).map(({ session }) => session));
  }

  /** @returns {Promise<import('./outboxStore.js').StoredOutbox[]>} */
  async #outboxes() {
    return (await this.#boards.read(['outboxes'], ({ outboxes }) => [outboxes.getAll()]))?.[0] ?? [];
  }

  /** @param {string} board */
  async #removeBoard(board) {
    await this.#boards.write(['pages', 'marks', 'items', 'files'], ({ pages, ...contents }) => {
      pages.delete(board);
      for (const store of Object.values(contents)) store.delete(within(board));
    });
  }

  /** @param {string} board @returns {Promise<boolean>} false: it has content, or the browser refused */
  async #removeEmptyBoard(board) {
    const counts = await this.#boards.read(['pages', 'marks', 'items', 'files'], ({ pages, marks, items, files }) => {
      const counting = [marks.count(within(board)), items.count(within(board))];
      counting[1].onsuccess = () => {
        if (counting.some(({ result }) => result > 0)) return;
        pages.delete(board);
        files.delete(within(board));
      };
      return counting;
    }, 'readwrite');
    return counts?.every((count) => count === 0) ?? false;
  }

  /** @param {string} session */
  async #removeSnapshot(session) {
    await this.#snapshots.write(['sessions', 'parts'], ({ sessions, parts }) => {
      sessions.delete(session);
      parts.delete(within(session));
    });
  }

  /** Removes the outboxes of a session, except those of open tabs. @param {string} session */
  async #removeOutboxes(session) {
    for (const outbox of await this.#outboxes()) {
      if (outbox.session !== session || !await this.#leases.hold(outbox.claim)) continue;
      await this.#boards.write(['outboxes', 'entries'], ({ outboxes, entries }) => {
        outboxes.delete(outbox.claim);
        entries.delete(within(outbox.claim));
      });
    }
  }
}

/** @param {string} id @param {Partial<PageRecord>} [known] @returns {PageRecord} */
export function newRecord(id, known = {}) {
  return { id, isShared: false, isEnded: false, title: '', people: [], at: 0, thumbnail: null, ...known };
}
