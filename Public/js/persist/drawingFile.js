/**
 * A drawing as a file that can be imported again: JSON with the messages of all shapes, and with pictures and files in base64.
 *
 * Its objects have the format of messages, and are checked like messages from the network.
 */

import { changedEnds } from '../model/connection.js';
import { MAX_STROKE_POINTS } from '../protocol/shapeSync.js';
import { encodeShape, readShape } from '../protocol/shapeMessages.js';
import { NO_ORIGIN } from '../model/origin.js';
import { placementMessage, readPlacement } from '../model/placement.js';
import { cleanSheetName, isSheet, MAX_SHEETS } from '../model/sheets.js';
import { Stroke } from '../model/stroke.js';
import { byteCount } from '../i18n/format.js';
import { Retention } from '../sync/wire.js';
import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { base64Of, inSlices, isItem } from '../render/export/raster.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/placement.js').PartialPlacement} PartialPlacement
 * @typedef {{ id: string, name: string, contentType: string, placement: PartialPlacement,
 *   bytes: Uint8Array<ArrayBuffer> }} ImportedItem
 * @typedef {{ number: number, name: string }} ImportedSheet
 * @typedef {{ shapes: Shape[], items: ImportedItem[], sheets: ImportedSheet[], damaged: number }} ImportedDrawing `sheets` in
 *   their order, if there are several; `damaged`: the number of unreadable shapes and items
 */

export const VERSION = 1;
const ENDING = '.drawtogether';
const BEGINNING = '{"drawTogether":';
/** The maximum size of a file: the page holds it in memory during the import. */
export const MAX_BYTES = 256 * 2 ** 20;
export const MAX_SHAPES = 200_000;
export const MAX_ITEMS = 1000;
const NAME = 255;
const TYPE = /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/;

/** @param {{ name: string }} file */
export function isDrawingFile({ name }) {
  return name.toLowerCase().endsWith(ENDING);
}

/**
 * @param {Pick<import('../render/export/raster.js').ExportOptions, 'drawables'> &
 * Partial<import('../render/export/raster.js').ExportOptions> & { sheets?: ImportedSheet[] }} order `sheets`: those of the
 *   drawables, if there are several
 * @returns {Promise<{ blob: Blob, missing: number }>} `missing`: the number of pictures that could not be loaded
 */
export async function writeDrawing({ drawables, sheets = [], signal, progress }) {
  /** @type {string[]} */
  const shapes = [];
  /** @type {string[]} */
  const items = [];
  let missing = 0;
  for await (const drawable of inSlices(drawables, signal, progress)) {
    if (!isItem(drawable)) {
      shapes.push(serializeShape(drawable));
      continue;
    }
    const data = await drawable.load().then(base64Of).catch(() => null);
    const { id, name, contentType, place } = drawable;
    if (data === null) missing += 1;
    else items.push(JSON.stringify({ id, name, contentType, placement: placementMessage(place), data }));
  }
  const blob = new Blob(fileParts(shapes, items, sheets), { type: 'application/json' });
  checkSize(blob);
  return { blob, missing };
}

/** Writes a drawing without items, synchronously: the clipboard needs it at once. @param {Shape[]} shapes */
export function drawingText(shapes) {
  return fileParts(shapes.map(serializeShape), []).join('');
}

/** @param {string} text that was pasted */
export function isDrawingText(text) {
  return text.startsWith(BEGINNING);
}

/** @param {Shape} shape */
function serializeShape(shape) {
  const { type, payload } = encodeShape(shape);
  return `{"type":"${type}","message":${new TextDecoder().decode(payload)}}`;
}

/** @param {string[]} shapes @param {string[]} items @param {ImportedSheet[]} [sheets] */
function fileParts(shapes, items, sheets = []) {
  const listed = sheets.map(({ number, name }) => ({ sheet: number, ...name && { name } }));
  const end = listed.length > 0 ? `\n],"sheets":${JSON.stringify(listed)}}\n` : '\n]}\n';
  return [`${BEGINNING}${VERSION},"marks":[\n`, ...commas(shapes), '\n],"items":[\n', ...commas(items), end];
}

/** @param {{ size: number }} file @throws {Error} if it is too large to be imported */
export function checkSize({ size }) {
  if (size > MAX_BYTES) {
    throw new Error(laterStrings.drawingTooLarge(byteCount(size, strings), byteCount(MAX_BYTES, strings)));
  }
}

/**
 * @param {string} text @param {() => string} newKey @returns {Promise<ImportedDrawing>} its content, with new ids
 * @throws {Error} with a text for the user
 */
export async function readDrawing(text, newKey) {
  const { shapes, items, sheets } = parseFile(text);
  const limits = [[shapes.length, MAX_SHAPES, laterStrings.shapesInFile], [items.length, MAX_ITEMS, strings.files]];
  for (const [count, limit, say] of /** @type {[number, number, (count: number) => string][]} */ (limits)) {
    if (count > limit) throw new Error(laterStrings.tooManyInDrawing(say(count), limit));
  }
  /** @type {ImportedDrawing} */
  const imported = { shapes: [], items: [], sheets: readSheets(sheets), damaged: 0 };
  /** The new ids, by those in the file. @type {Map<unknown, string>} */
  const ids = new Map();
  for await (const one of inSlices(shapes)) {
    const id = newKey();
    const shape = readOneShape(one, id, imported.shapes.length);
    ids.set(one?.message?.id, id);
    if (shape) imported.shapes.push(...splitStroke(shape, newKey));
    else imported.damaged += 1;
  }
  for await (const one of inSlices(items)) {
    const id = newKey();
    const item = readItem(one, id);
    ids.set(one?.id, id);
    if (item) imported.items.push(item);
    else imported.damaged += 1;
  }
  for (const shape of imported.shapes) {
    if (shape instanceof Stroke) Object.assign(shape, changedEnds(shape, (id) => ids.get(id)));
  }
  return imported;
}

/** @param {string} text @returns {{ shapes: any[], items: any[], sheets: unknown }} */
function parseFile(text) {
  let drawing;
  try {
    drawing = JSON.parse(text);
  } catch {
    throw new Error(laterStrings.noDrawing);
  }
  const { drawTogether: version, marks: shapes, items, sheets } = drawing ?? {};
  if (!Number.isInteger(version) || !Array.isArray(shapes) || !Array.isArray(items)) {
    throw new Error(laterStrings.noDrawing);
  }
  if (version > VERSION) throw new Error(laterStrings.drawingTooNew);
  return { shapes, items, sheets };
}

/** @param {unknown} listed @returns {ImportedSheet[]} */
function readSheets(listed) {
  const all = Array.isArray(listed) ? listed.slice(0, MAX_SHEETS) : [];
  const read = all.filter((one) => isSheet(one?.sheet)).map(({ sheet, name }) => {
    return { number: sheet, name: typeof name === 'string' ? cleanSheetName(name) : '' };
  });
  return read.filter(({ number }, at) => read.findIndex((one) => one.number === number) === at);
}

/** @param {any} one @param {string} id @param {number} at @returns {Shape | null} */
function readOneShape(one, id, at) {
  const { type, message } = one ?? {};
  if (typeof type !== 'string' || !message) return null;
  const payload = new TextEncoder().encode(JSON.stringify(message));
  const shape = readShape({ type, retention: Retention.replace, payload }, id, at)?.(undefined) ?? null;
  // The numbers of authors are valid in their session only.
  if (shape) Object.assign(shape, { isFinished: true, ...NO_ORIGIN });
  return shape;
}

/**
 * Splits a stroke that is longer than this page draws: other clients may draw longer ones.
 * @param {Shape} shape @param {() => string} newKey @returns {Shape[]}
 */
function splitStroke(shape, newKey) {
  if (!(shape instanceof Stroke) || shape.length <= MAX_STROKE_POINTS) return [shape];
  const parts = [];
  // Each part begins with the last point of the part before.
  for (let at = 0; at < shape.length - 1; at += MAX_STROKE_POINTS - 1) {
    const part = new Stroke({ ...shape, id: newKey() });
    const end = at + MAX_STROKE_POINTS;
    part.append(shape.points.slice(2 * at, 2 * end), shape.pressures?.slice(at, end) ?? null);
    part.finish();
    parts.push(part);
  }
  return parts;
}

/** @param {any} one @param {string} id @returns {ImportedItem | null} */
function readItem(one, id) {
  const { name, contentType, placement, data } = one ?? {};
  const placed = readPlacement(placement);
  if (typeof name !== 'string' || typeof data !== 'string' || !placed) return null;
  try {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const clean = name.replace(/\p{Cc}/gu, '').slice(0, NAME) || '?';
    const isType = typeof contentType === 'string' && TYPE.test(contentType);
    return {
      id,
      name: clean,
      contentType: isType ? contentType : 'application/octet-stream',
      placement: placed,
      bytes,
    };
  } catch {
    return null;
  }
}

/** @param {string[]} all @returns {string[]} one line for each, separated by commas */
function commas(all) {
  return all.map((one, at) => at === 0 ? one : `,\n${one}`);
}
