/** The names and the order of the sheets. They belong to the session, and every participant can change them. */

import { OptimisticOverlay } from '../model/optimisticOverlay.js';
import { cleanSheetName, defaultSheet, isSheet, MAX_ORDER, MAX_SHEETS, SHEET_TYPE } from '../model/sheets.js';
import { Retention } from '../sync/wire.js';

/**
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../sync/wire.js').OutgoingEntry} OutgoingEntry
 * @typedef {{ type: string, key: string, payload: Uint8Array }} StoredEntry
 * @typedef {import('../model/sheets.js').Sheet} Sheet
 */

/** The number of free sheets among which participants choose by their own numbers. */
const SPREAD = 8;
/** The beginning of the keys: `sheet` in ASCII. The number of the sheet follows. */
const KEY = '73686565-7400-8000-8000-';

/** @param {number} number @returns {string} the key of the sheet's entry */
export function keyOf(number) {
  return KEY + number.toString(16).toUpperCase().padStart(12, '0');
}

/** @param {string | null | undefined} key @returns {number} 0 if it is not the key of a sheet */
export function numberOf(key) {
  const number = key?.startsWith(KEY) ? Number.parseInt(key.slice(KEY.length), 16) : 0;
  return isSheet(number) ? number : 0;
}

/**
 * Events: `change`, of the entries; `remotechange`, after another participant has changed a sheet (detail: `number`, `before`,
 * `after` and `by`); `localchange`, a change without a session (detail: the entry).
 */
export class Sheets extends EventTarget {
  /** @type {OptimisticOverlay<Sheet, never>} */
  #overlay = new OptimisticOverlay((key) => this.#changed(key));
  /** @type {GroupSession | null} */
  #session = null;
  /** @type {AbortController | null} */
  #lifetime = null;
  /** The displayed sheets that have an entry. @type {Map<number, Sheet>} */
  #sheets = new Map();
  #isReported = true;

  /** @param {number} number @returns {Readonly<Sheet> | null} null: it has no entry */
  find(number) {
    return this.#sheets.get(number) ?? null;
  }

  /** True if a sheet has an entry. Without any, the page is one sheet without borders. */
  get isDivided() {
    return this.#sheets.size > 0;
  }

  /**
   * Returns the sheets that can be shown, in order. A sheet with objects needs no entry, so that no object is lost.
   * @param {Iterable<number>} [filled] the sheets with objects @returns {number[]} at least one
   */
  shown(filled = []) {
    const all = new Set([1, ...this.#sheets.keys(), ...this.isDivided ? filled : []]);
    const there = [...all].filter((number) => !this.#of(number).isRemoved);
    return there.length > 0 ? there.sort((a, b) => this.#compare(a, b)) : [1];
  }

  /** The removed sheets, in order. @returns {number[]} */
  get removed() {
    const all = [...this.#sheets.keys()].filter((number) => this.#of(number).isRemoved);
    return all.sort((a, b) => this.#compare(a, b));
  }

  /**
   * Returns a number for a new sheet. If a few people add sheets at the same time, their sheets get different numbers.
   * @param {Iterable<number>} filled the sheets with objects @returns {number} 0 if there is none left
   */
  freeNumber(filled) {
    const taken = new Set([1, ...this.#sheets.keys(), ...filled]);
    const free = [];
    for (let number = 1; number <= MAX_SHEETS; number += 1) if (!taken.has(number)) free.push(number);
    const me = this.#session?.localParticipant?.number ?? 1;
    return free[Math.min((me - 1) % SPREAD, free.length - 1)] ?? 0;
  }

  /** Changes a sheet for everybody. @param {number} number @param {Sheet | null} sheet null: its entry is removed */
  set(number, sheet) {
    const key = keyOf(number);
    const entry = entryOf(number, sheet);
    this.#overlay.edit(key, sheet && readSheet(entry.payload, number));
    const session = this.#session;
    if (!session || session.state === 'invalidated') {
      this.#overlay.confirmLocally(key);
      this.dispatchEvent(new CustomEvent('localchange', { detail: entry }));
      return;
    }
    this.#overlay.addPending(key, sheet !== null);
    session.send(entry);
  }

  /** Shows entries that this device has stored, until those of the session are known. @param {Iterable<StoredEntry>} stored */
  restore(stored) {
    for (const { type, key, payload } of stored) {
      const number = numberOf(key);
      const sheet = type === SHEET_TYPE && number > 0 ? readSheet(payload, number) : null;
      if (sheet && !this.#overlay.base(key)) this.#overlay.confirm(key, undefined, () => sheet);
    }
  }

  /** The entries of the sheets as the session has them, to be stored. @returns {StoredEntry[]} */
  get stored() {
    return [...this.#overlay.confirmedKeys].map((key) => {
      return { type: SHEET_TYPE, key, payload: encodeSheet(numberOf(key), this.#overlay.confirmed(key)) };
    });
  }

  /**
   * Joins the sheets to a session.
   * @param {GroupSession} session
   * @param {{ bringsPicture: boolean, stored?: Iterable<StoredEntry> }} options `bringsPicture`: true to give the present sheets
   *   to the session; `stored`: the entries that it had when they were stored
   */
  attach(session, { bringsPicture, stored = [] }) {
    const brought = bringsPicture ? [...this.#sheets] : [];
    this.clear();
    this.#session = session;
    this.#lifetime = new AbortController();
    this.restore(stored);
    session.observe({
      snapshotBegan: () => this.#overlay.beginSnapshot(),
      caughtUp: () => this.#overlay.endSnapshot(),
      entry: (entry) => this.#receive(entry),
      acked: ({ entry }) => isOfSheet(entry) && this.#overlay.acknowledge(entry.key, isCreating(entry)),
      reopened: ({ entry }) => isOfSheet(entry) && this.#overlay.addPending(entry.key, isCreating(entry)),
    }, this.#lifetime);
    for (const { entry } of session.pending) {
      if (!isOfSheet(entry)) continue;
      this.#overlay.edit(entry.key, isCreating(entry) ? readSheet(entry.payload, numberOf(entry.key)) : null);
      this.#overlay.addPending(entry.key, isCreating(entry));
    }
    for (const [number, sheet] of brought) this.set(number, sheet);
  }

  /** Separates the sheets from the session. They stay displayed. */
  detach() {
    this.#lifetime?.abort();
    this.#lifetime = null;
    this.#session = null;
    this.#overlay.detach();
  }

  /** Removes all entries on this page only, because the page shows something else. */
  clear() {
    this.detach();
    const keys = [...this.#sheets.keys()].map(keyOf);
    this.#overlay.clear();
    for (const key of keys) this.#changed(key);
  }

  /** @param {number} number */
  #of(number) {
    return this.find(number) ?? defaultSheet(number);
  }

  /** @param {number} a @param {number} b */
  #compare(a, b) {
    return this.#of(a).order - this.#of(b).order || a - b;
  }

  /**
   * Applies an entry under the key of a sheet. A `replace` without a valid sheet removes the sheet's entry, as in a snapshot.
   * @param {Entry} entry
   */
  #receive({ type, key, reliable, retention, sender, payload, system, unchanged }) {
    const number = numberOf(key);
    if (!key || number === 0 || !reliable || system || unchanged) return;
    const session = this.#session;
    const isByOther = sender !== session?.localParticipant?.number;
    const before = this.find(number);
    const sheet = type === SHEET_TYPE && retention !== Retention.remove ? readSheet(payload, number) : null;
    if (sheet) this.#overlay.confirm(key, sender, () => sheet);
    else if (retention !== Retention.append) this.#overlay.confirmRemoval(key, isByOther);
    const after = this.find(number);
    if (!session?.isConnected || !isByOther || after === before) return;
    this.dispatchEvent(new CustomEvent('remotechange', { detail: { number, before, after, by: sender } }));
  }

  /** @param {string} key */
  #changed(key) {
    const number = numberOf(key);
    const sheet = this.#overlay.base(key);
    if (isSame(sheet, this.find(number))) return;
    if (sheet) this.#sheets.set(number, sheet);
    else this.#sheets.delete(number);
    if (!this.#isReported) return;
    // A catch-up changes many sheets in one task.
    this.#isReported = false;
    queueMicrotask(() => {
      this.#isReported = true;
      this.dispatchEvent(new Event('change'));
    });
  }
}

/** @param {number} number @param {Sheet | null} sheet @returns {OutgoingEntry & { key: string, payload: Uint8Array<ArrayBuffer> }} */
function entryOf(number, sheet) {
  return {
    type: SHEET_TYPE,
    key: keyOf(number),
    reliable: true,
    retention: sheet ? Retention.replace : Retention.remove,
    existing: false,
    payload: encodeSheet(number, sheet),
  };
}

/** @param {number} number @param {Sheet | null} sheet @returns {Uint8Array<ArrayBuffer>} */
function encodeSheet(number, sheet) {
  if (!sheet) return new Uint8Array(0);
  const { name, order, isRemoved } = sheet;
  const message = { id: keyOf(number), ...name && { name }, order, ...isRemoved && { removed: true } };
  return new TextEncoder().encode(JSON.stringify(message));
}

/** @param {Uint8Array} payload of anybody's message @param {number} number @returns {Sheet | null} null if it is invalid */
function readSheet(payload, number) {
  try {
    return sheetFrom(JSON.parse(new TextDecoder().decode(payload)), number);
  } catch {
    return null;
  }
}

/** @param {any} message @param {number} number @returns {Sheet} @throws {Error} if it is no object */
function sheetFrom({ name, order, removed }, number) {
  const isOrder = typeof order === 'number' && Math.abs(order) <= MAX_ORDER;
  return {
    name: typeof name === 'string' ? cleanSheetName(name) : '',
    order: isOrder ? order : number,
    isRemoved: removed === true,
  };
}

/** @param {OutgoingEntry} entry @returns {entry is OutgoingEntry & { key: string }} true if it is under the key of a sheet */
function isOfSheet(entry) {
  return entry.type === SHEET_TYPE && numberOf(entry.key) > 0;
}

/** @param {{ retention?: number }} entry @returns {boolean} true if it sets a sheet */
function isCreating({ retention }) {
  return retention !== Retention.remove;
}

/** @param {Sheet | null} a @param {Sheet | null} b */
function isSame(a, b) {
  return a === b || a !== null && b !== null && a.name === b.name && a.order === b.order && a.isRemoved === b.isRemoved;
}
