/**
 * A drawing as a file that can be imported again: JSON with the messages of all shapes, and with pictures and files in base64.
 *
 * The file has the format of the messages, and is checked like messages from the network.
 */

import { MAX_STROKE_POINTS } from '../protocol/shapeSync.js';
import { encodeShape, readShape } from '../protocol/shapeMessages.js';
import { NO_ORIGIN } from '../model/origin.js';
import { placementMessage, readPlacement } from '../model/placement.js';
import { Stroke } from '../model/stroke.js';
import { byteCount } from '../i18n/format.js';
import { Retention } from '../sync/wire.js';
import { strings } from '../i18n/i18n.js';
import { base64Of, inSlices, isItem } from '../render/export/raster.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/placement.js').PartialPlacement} PartialPlacement
 * @typedef {{ name: string, contentType: string, placement: PartialPlacement, bytes: Uint8Array<ArrayBuffer> }} ImportedItem
 * @typedef {{ shapes: Shape[], items: ImportedItem[], damaged: number }} ImportedDrawing `damaged`: the number of unreadable
 *   shapes and items
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
 * Partial<import('../render/export/raster.js').ExportOptions>} order
 * @returns {Promise<{ blob: Blob, missing: number }>} `missing`: the number of pictures that could not be loaded
 */
export async function writeDrawing({ drawables, signal, progress }) {
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
    const { name, contentType, place } = drawable;
    if (data === null) missing += 1;
    else items.push(JSON.stringify({ name, contentType, placement: placementMessage(place), data }));
  }
  const blob = new Blob(fileParts(shapes, items), { type: 'application/json' });
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

/** @param {string[]} shapes @param {string[]} items */
function fileParts(shapes, items) {
  return [`${BEGINNING}${VERSION},"marks":[\n`, ...commas(shapes), '\n],"items":[\n', ...commas(items), '\n]}\n'];
}

/** @param {{ size: number }} file @throws {Error} if it is too large to be imported */
export function checkSize({ size }) {
  if (size > MAX_BYTES) {
    throw new Error(strings.drawingTooLarge(byteCount(size, strings), byteCount(MAX_BYTES, strings)));
  }
}

/**
 * @param {string} text @param {() => string} newKey @returns {Promise<ImportedDrawing>} its content, with new ids
 * @throws {Error} with a text for the user
 */
export async function readDrawing(text, newKey) {
  const { shapes, items } = parseFile(text);
  const limits = [[shapes.length, MAX_SHAPES, strings.shapesInFile], [items.length, MAX_ITEMS, strings.files]];
  for (const [count, limit, say] of /** @type {[number, number, (count: number) => string][]} */ (limits)) {
    if (count > limit) throw new Error(strings.tooManyInDrawing(say(count), limit));
  }
  /** @type {ImportedDrawing} */
  const imported = { shapes: [], items: [], damaged: 0 };
  for await (const one of inSlices(shapes)) {
    const shape = readOneShape(one, newKey(), imported.shapes.length);
    if (shape) imported.shapes.push(...splitStroke(shape, newKey));
    else imported.damaged += 1;
  }
  for await (const one of inSlices(items)) {
    const item = readItem(one);
    if (item) imported.items.push(item);
    else imported.damaged += 1;
  }
  return imported;
}

/** @param {string} text @returns {{ shapes: any[], items: any[] }} */
function parseFile(text) {
  let drawing;
  try {
    drawing = JSON.parse(text);
  } catch {
    throw new Error(strings.noDrawing);
  }
  const { drawTogether: version, marks: shapes, items } = drawing ?? {};
  if (!Number.isInteger(version) || !Array.isArray(shapes) || !Array.isArray(items)) throw new Error(strings.noDrawing);
  if (version > VERSION) throw new Error(strings.drawingTooNew);
  return { shapes, items };
}

/** @param {any} one @param {string} id @param {number} at @returns {Shape | null} */
function readOneShape(one, id, at) {
  const { type, message } = one ?? {};
  if (typeof type !== 'string' || !message) return null;
  const payload = new TextEncoder().encode(JSON.stringify(message));
  const shape = readShape({ type, retention: Retention.replace, payload }, id, at)?.(undefined) ?? null;
  // The numbers of authors are valid only in their session.
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

/** @param {any} one @returns {ImportedItem | null} */
function readItem(one) {
  const { name, contentType, placement, data } = one ?? {};
  const placed = readPlacement(placement);
  if (typeof name !== 'string' || typeof data !== 'string' || !placed) return null;
  try {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const clean = name.replace(/\p{Cc}/gu, '').slice(0, NAME) || '?';
    const isType = typeof contentType === 'string' && TYPE.test(contentType);
    return { name: clean, contentType: isType ? contentType : 'application/octet-stream', placement: placed, bytes };
  } catch {
    return null;
  }
}

/** @param {string[]} all @returns {string[]} one line for each, separated by commas */
function commas(all) {
  return all.map((one, at) => at === 0 ? one : `,\n${one}`);
}
