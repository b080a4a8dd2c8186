/** The picture of a session at a moment of its history. It is separate from the present picture, and nobody can edit it. */

import { connected } from '../model/connectedEnds.js';
import { Item } from '../model/item.js';
import { decodePlacement, PLACEMENT_TYPE, readPlacement } from '../model/placement.js';
import { readPreview } from '../model/preview.js';
import { Items, Scene } from '../model/scene.js';
import { Shapes } from '../model/shapes.js';
import { SHEET_TYPE } from '../model/sheets.js';
import { ShapeIndex } from '../model/spatialIndex.js';
import { isShapeType, readShape } from '../protocol/shapeMessages.js';
import { decodeHistoryEntry, SYSTEM } from '../sync/history/historyEntries.js';
import { readPayload } from '../sync/json.js';
import { placementOf } from './itemPlacements.js';

/**
 * @typedef {import('../sync/history/historyEntries.js').HistoryEntry} HistoryEntry
 * @typedef {import('../sync/journal/attachment.js').Attachment} Attachment
 * @typedef {import('../sync/journal/attachment.js').AttachmentFacts} AttachmentFacts
 * @typedef {import('../sync/wire.js').Entry} Entry
 * @typedef {import('../model/placement.js').PartialPlacement} PartialPlacement
 * @typedef {{ first: number, last: number, count: number }} Summary the first and the last sequence of entries, and their number
 *
 * @typedef {object} Parts
 * @property {import('../protocol/sheetSync.js').Sheets} sheets without entries
 * @property {typeof import('../sync/journal/attachment.js').readAttachment} readAttachment
 * @property {(facts: AttachmentFacts, sequence: number) => Attachment} attachment returns the attachment with the content
 * @property {(id: string) => Blob | null} blobOf returns the content of a picture or file if the page has it
 * @property {(participant: number) => string} nameOf returns a participant's name; '' if unknown
 */

/** The placement of a new item until its own placement is known. */
const NOWHERE = Object.freeze({ x: 0, y: 0, width: 1, height: 1, z: 0 });

export class PastScene {
  shapes = new Shapes();
  items = new Items();
  index = new ShapeIndex();
  scene = new Scene(this.shapes, this.items);
  sheets;
  #parts;
  /** The entries of each key that are shown. @type {Map<string, Summary>} */
  #shown = new Map();
  /** The placements in the metadata of items. `#moved` has those after moves. @type {Map<string, PartialPlacement | null>} */
  #added = new Map();
  /** @type {Map<string, PartialPlacement>} */
  #moved = new Map();
  /** The keys of lines that are attached to other objects. @type {Set<string>} */
  #connections = new Set();
  /** The entries for `sheets`. It ignores those that are not about sheets. @type {Map<string, Entry & { key: string }>} */
  #sheets = new Map();
  #areSheetsChanged = false;
  #isChanging = false;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.sheets = parts.sheets;
    this.shapes.observe(this.index);
    this.shapes.place = (shape) => connected(shape, (id) => this.shapes.find(id) ?? this.items.find(id));
  }

  /** True while the scene is between two moments and shows neither of them. */
  get isChanging() {
    return this.#isChanging;
  }

  /**
   * Shows another moment. Only the objects that differ are decoded. One call runs at a time.
   * @param {ReadonlyMap<string, readonly HistoryEntry[]>} entries the retained entries by key, unchanged until the call ends
   * @param {Pick<import('../sync/history/breaks.js').Breaks, 'isDue' | 'take'>} breaks
   */
  async show(entries, breaks) {
    this.#isChanging = true;
    try {
      await this.#change(entries, breaks);
    } finally {
      this.#isChanging = false;
    }
  }

  /** @param {Parameters<PastScene['show']>[0]} entries @param {Parameters<PastScene['show']>[1]} breaks */
  async #change(entries, breaks) {
    let isChanged = false;
    for (const key of this.#shown.keys()) {
      if (entries.has(key)) continue;
      isChanged = true;
      this.#shown.delete(key);
      this.#put(key, []);
      if (breaks.isDue) await breaks.take();
    }
    for (const [key, list] of entries) {
      if (isShown(this.#shown.get(key), list)) continue;
      isChanged = true;
      this.#shown.set(key, summaryOf(list));
      this.#put(key, list);
      if (breaks.isDue) await breaks.take();
    }
    if (isChanged) { for (const key of this.#connections) this.shapes.showAgain(key); }
    this.#showSheets();
  }

  /** Computes the placement of a picture again, because its natural size became known. @param {Item} item */
  pictureChanged(item) {
    this.#place(item);
    this.items.changed(item);
  }

  /** @param {string} key @param {readonly HistoryEntry[]} list its entries; empty: it has none */
  #put(key, list) {
    const entries = list.map(decodeHistoryEntry).filter((entry) => entry !== null);
    if (key.startsWith(SYSTEM)) return this.#putAttachment(key.slice(SYSTEM.length), entries.at(-1));
    this.#putShape(key, entries);
    this.#putPlacement(key, entries.findLast(({ type }) => type === PLACEMENT_TYPE));
    this.#putSheet(key, entries.findLast(({ type }) => type === SHEET_TYPE));
  }

  /** @param {string} key @param {readonly Entry[]} entries */
  #putShape(key, entries) {
    /** @type {import('../model/shapes.js').Shape | undefined} */
    let shape;
    for (const entry of entries) {
      const change = isShapeType(entry.type) ? readShape(entry, key, entry.sequence) : null;
      if (change) shape = change(shape);
    }
    if (shape && 'from' in shape && (shape.from || shape.to)) this.#connections.add(key);
    else this.#connections.delete(key);
    const found = shape;
    if (found) this.shapes.confirm(key, found.editor, () => found);
    else if (this.shapes.confirmed(key)) this.shapes.confirmRemoval(key, false);
  }

  /** @param {string} key @param {Entry | undefined} entry undefined: the item was not moved */
  #putPlacement(key, entry) {
    const placement = entry && decodePlacement(entry.payload)?.placement;
    if (!placement && !this.#moved.has(key)) return;
    if (placement) this.#moved.set(key, placement);
    else this.#moved.delete(key);
    const item = this.items.find(key);
    if (item) this.pictureChanged(item);
  }

  /** @param {string} key @param {Entry | undefined} entry */
  #putSheet(key, entry) {
    if (!entry && !this.#sheets.has(key)) return;
    if (entry) this.#sheets.set(key, { ...entry, key });
    else this.#sheets.delete(key);
    this.#areSheetsChanged = true;
  }

  /** @param {string} id @param {Entry | undefined} entry of the gateway */
  #putAttachment(id, entry) {
    const facts = entry?.type === 'attachment' ? this.#parts.readAttachment(readPayload(entry.payload)) : null;
    const before = this.items.find(id);
    if (!entry || facts?.id !== id) {
      this.#added.delete(id);
      if (before) this.items.remove(before);
      return;
    }
    const { name, contentType, size, metadata, participant } = facts;
    const added = readPlacement(metadata);
    this.#added.set(id, added);
    const item = before ?? new Item({ id, name, contentType, size, place: NOWHERE });
    Object.assign(item, {
      name,
      contentType,
      size,
      by: participant === null ? '' : this.#parts.nameOf(participant),
      preview: readPreview(metadata),
      origin: this.#parts.attachment(facts, entry.sequence),
      blob: this.#parts.blobOf(id),
      state: 'ready',
      problem: '',
    });
    this.#place(item);
    if (before) this.items.changed(item);
    else this.items.add(item);
  }

  /** @param {Item} item */
  #place(item) {
    item.place = placementOf(item, this.#moved.get(item.id) ?? null, this.#added.get(item.id));
  }

  #showSheets() {
    if (!this.#areSheetsChanged) return;
    this.#areSheetsChanged = false;
    this.sheets.clear();
    this.sheets.restore(this.#sheets.values());
  }
}

/** @param {readonly HistoryEntry[]} list at least one @returns {Summary} */
function summaryOf(list) {
  return { first: list[0].sequence, last: list[list.length - 1].sequence, count: list.length };
}

/** @param {Summary | undefined} shown @param {readonly HistoryEntry[]} list */
function isShown(shown, list) {
  return shown !== undefined && shown.count === list.length && shown.first === list[0].sequence &&
    shown.last === list[list.length - 1].sequence;
}
