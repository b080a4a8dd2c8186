/** The commands of this person that change the sheets of the page. All can be undone. */

import { defaultSheet, MAX_ORDER } from '../model/sheets.js';

/**
 * @typedef {import('../protocol/sheetSync.js').Sheet} Sheet
 * @typedef {import('../protocol/sheetSync.js').Sheets} Sheets
 * @typedef {import('./undoHistory.js').Command} Command
 * @typedef {import('./undoHistory.js').SheetContent} SheetContent
 */

/** The minimum difference between the `order` of two neighbors. If it is smaller, all sheets get new values first. */
const MIN_DIFFERENCE = 1e-6;

export class SheetCommands {
  #sheets;
  #history;
  #filled;

  /**
   * @param {Sheets} sheets @param {Pick<import('./undoHistory.js').UndoHistory, 'push'>} history
   * @param {() => Iterable<number>} filled returns the sheets with objects
   */
  constructor(sheets, history, filled) {
    this.#sheets = sheets;
    this.#history = history;
    this.#filled = filled;
  }

  /** Adds an empty sheet at the end. @param {string} [name] @returns {number} 0: there are too many */
  add(name = '') {
    const filled = [...this.#filled()];
    const number = this.#sheets.freeNumber(filled);
    if (number === 0) return 0;
    const all = this.#sheets.shown(filled);
    const orderAtEnd = () => Math.floor(this.#sheetOf(all[all.length - 1]).order) + 1;
    if (orderAtEnd() > MAX_ORDER) this.#renumber(all);
    const order = orderAtEnd();
    this.#run({ kind: 'sheet', number, before: null, after: { name, order, isRemoved: false } });
    return number;
  }

  /** @param {number} number @param {string} name '' for none */
  rename(number, name) {
    const before = this.#sheetOf(number).name;
    if (name !== before) this.#run({ kind: 'sheet', number, before: { name: before }, after: { name } });
  }

  /**
   * Moves a sheet to another position.
   * @param {number} number @param {number} to its position among the shown sheets, from 0 on
   * @returns {void}
   */
  move(number, to) {
    const all = this.#sheets.shown(this.#filled());
    const others = all.filter((one) => one !== number);
    const at = Math.max(0, Math.min(others.length, to));
    const orders = others.map((one) => this.#sheetOf(one).order);
    const [low, high] = [orders[at - 1], orders[at]];
    const order = low === undefined ? (high ?? 1) - 1 : high === undefined ? low + 1 : (low + high) / 2;
    const isBetween = (low ?? -Infinity) + MIN_DIFFERENCE < order && order + MIN_DIFFERENCE < (high ?? Infinity);
    if (!isBetween || Math.abs(order) > MAX_ORDER) {
      // After many moves to this position, the `order` values of the neighbors are too close to each other.
      this.#renumber(all);
      return this.move(number, to);
    }
    const before = this.#sheetOf(number).order;
    this.#run({ kind: 'sheet', number, before: { order: before }, after: { order } });
  }

  /** Removes a sheet. Its objects stay where they are, and come back with it. @param {number} number */
  remove(number) {
    this.#run({ kind: 'sheet', number, before: { isRemoved: false }, after: { isRemoved: true } });
  }

  /** @param {number} number of a removed sheet */
  restore(number) {
    this.#run({ kind: 'sheet', number, before: { isRemoved: true }, after: { isRemoved: false } });
  }

  /** Gives sheets new `order` values, without changing their order. @param {readonly number[]} all the shown sheets */
  #renumber(all) {
    all.forEach((number, place) => this.#sheets.set(number, { ...this.#sheetOf(number), order: place + 1 }));
  }

  /** @param {number} number */
  #sheetOf(number) {
    return this.#sheets.find(number) ?? defaultSheet(number);
  }

  /** @param {SheetContent} content */
  #run(content) {
    const command = sheetCommand(content, this.#sheets);
    command.redo();
    this.#history.push(command);
  }
}

/** @param {SheetContent} content @param {Pick<Sheets, 'find' | 'set'>} sheets @returns {Command} */
export function sheetCommand(content, sheets) {
  const { number, before, after } = content;
  return {
    undo: () => apply(sheets, number, after, before),
    redo: () => apply(sheets, number, before, after),
    content,
  };
}

/**
 * Changes the properties of a sheet, except those that another participant has changed since then.
 * @param {Pick<Sheets, 'find' | 'set'>} sheets @param {number} number
 * @param {Partial<Sheet> | null} from null: the sheet had no entry @param {Partial<Sheet> | null} to
 * @returns {boolean} true if something has changed
 */
function apply(sheets, number, from, to) {
  const now = sheets.find(number);
  const base = now ?? defaultSheet(number);
  const isUnchanged = (/** @type {string} */ name) => {
    return !from || base[/** @type {keyof Sheet} */ (name)] === from[/** @type {keyof Sheet} */ (name)];
  };
  if (!to) {
    if (!now || !Object.keys(from ?? {}).every(isUnchanged)) return false;
    // A sheet with objects is shown even without an entry, so objects that others have drawn on it are not lost.
    sheets.set(number, null);
    return true;
  }
  const changes = Object.entries(to).filter(([name]) => isUnchanged(name));
  if (changes.length > 0) sheets.set(number, { ...base, ...Object.fromEntries(changes) });
  return changes.length > 0;
}
