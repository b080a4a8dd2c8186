/** The messages of strokes and texts: encodes them, and decodes them with all checks. */

import { isKey } from '../sync/key.js';
import { Retention } from '../sync/wire.js';
import { canConnect } from '../model/connection.js';
import { isShippedFont } from '../model/fonts.js';
import { readOrigin, receivedFrom } from '../model/origin.js';
import { isRGB, nearestColor, PALETTE } from '../model/palette.js';
import { DASHES, FILLS, MIN_OPACITY } from '../model/lineStyle.js';
import { MAX_NOTE_SIDE, MIN_NOTE_SIDE, NOTE_FILLS } from '../model/note.js';
import { readAngle } from '../model/rotation.js';
import { isShapeTool } from '../model/strokeOutline.js';
import { DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH, PLANE, Stroke } from '../model/stroke.js';
import { cleanText, MAX_SIZE, MIN_SIZE, Text } from '../model/text.js';

/** The message type of a stroke, as in Apple's sample. */
export const STROKE_TYPE = 'UpsertStrokeMessage';

/** Shared, because creating a decoder takes longer than decoding. */
const decoder = new TextDecoder();

/**
 * @typedef {object} StrokeMessage
 * @property {number[]} points x and y in turn, at least one point
 * @property {number[] | null} pressures
 * @property {number} color
 * @property {string} rgb
 * @property {number} width
 * @property {string} tool
 * @property {string} fill
 * @property {string} dash
 * @property {number} opacity
 * @property {number | null} z
 * @property {boolean} isLocked
 * @property {import('../model/connection.js').End | null} from
 * @property {import('../model/connection.js').End | null} to
 * @property {boolean} isGrowing true while the shape is drawn out
 * @property {number} author
 * @property {number} editor 0
 * @property {number} madeAt
 */

/** The distance of an attached end from the bounds of its object, as a part of their size. */
const MAX_OUTSIDE = 1;

/**
 * Encodes the points of a stroke from an index on. From 0, encodes the whole stroke.
 * @param {Stroke} stroke @param {number} [from] index of a point @param {object} [origin] further members
 * @returns {Uint8Array}
 */
export function encodeStroke(stroke, from = 0, origin = {}) {
  const points = [];
  for (let at = 2 * from; at < stroke.points.length; at += 2) points.push([stroke.points[at], stroke.points[at + 1]]);
  const { id, color, width, tool, rgb, z, fill, dash, opacity, isLocked, from: begin, to: end } = stroke;
  const message = { id, color, point: points[points.length - 1], points, width, tool, rgb, z };
  const style = { ...fill && { fill }, ...dash && { dash }, ...opacity < 1 && { opacity } };
  const ends = { ...begin && { from: encodeEnd(begin) }, ...end && { to: encodeEnd(end) } };
  const lock = isLocked ? { locked: true } : {};
  const pressures = stroke.pressures ? { pressures: stroke.pressures.slice(from) } : {};
  const growing = isShapeTool(tool) && !stroke.isFinished ? { growing: true } : {};
  const look = { ...style, ...ends, ...lock };
  return new TextEncoder().encode(JSON.stringify({ ...message, ...look, ...pressures, ...growing, ...origin }));
}

/** @param {import('../model/connection.js').End} end */
function encodeEnd({ id, x, y }) {
  return { id, anchor: [x, y] };
}

/** @param {Uint8Array} payload @returns {StrokeMessage | null} null if it is no valid stroke */
export function readStroke(payload) {
  let message;
  try {
    message = JSON.parse(decoder.decode(payload));
  } catch {
    return null;
  }
  if (!message || typeof message !== 'object') return null;
  const points = readPoints(message);
  if (!points) return null;
  const tool = typeof message.tool === 'string' ? message.tool.slice(0, 32) : 'pen';
  const connects = canConnect({ tool, points });
  return {
    points,
    pressures: readPressures(message.pressures, points.length / 2),
    ...readColor(message),
    width: readWidth(message.width),
    tool,
    fill: FILLS.includes(message.fill) ? message.fill : '',
    dash: DASHES.includes(message.dash) ? message.dash : '',
    opacity: readOpacity(message.opacity),
    z: readZ(message),
    isLocked: message.locked === true,
    from: connects ? readEnd(message.from) : null,
    to: connects ? readEnd(message.to) : null,
    isGrowing: message.growing === true,
    ...readOrigin(message),
  };
}

/** @param {{ color?: any, rgb?: any }} message @returns {{ color: number, rgb: string }} */
function readColor(message) {
  const color = Number.isInteger(message.color) && PALETTE[message.color] ? message.color : 0;
  const rgb = isRGB(message.rgb) ? message.rgb.toLowerCase() : PALETTE[color];
  return { color: Number.isInteger(message.color) ? color : nearestColor(rgb), rgb };
}

/** @param {{ z?: any }} message @returns {number | null} */
function readZ({ z }) {
  return Number.isSafeInteger(z) && z >= 0 ? z : null;
}

/** @param {{ point?: unknown, points?: unknown }} message @returns {number[] | null} */
function readPoints({ point, points }) {
  const list = Array.isArray(points) && points.length > 0 ? points : [point];
  const flat = [];
  for (const one of list) {
    if (!isPoint(one)) return null;
    flat.push(one[0], one[1]);
  }
  return flat;
}

/** @param {unknown} value @returns {value is [number, number]} true if it is a point of the plane */
export function isPoint(value) {
  return Array.isArray(value) && value.length === 2 &&
    value.every((part) => typeof part === 'number' && Math.abs(part) <= PLANE);
}

/** @param {unknown} value @param {number} count @returns {number[] | null} */
function readPressures(value, count) {
  if (!Array.isArray(value) || value.length !== count) return null;
  if (!value.every((one) => typeof one === 'number' && Number.isFinite(one))) return null;
  return value.map((one) => Math.min(1, Math.max(0, one)));
}

/** @param {unknown} value */
function readWidth(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return DEFAULT_WIDTH;
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, value));
}

/** @param {unknown} value */
function readOpacity(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 1;
  return Math.min(1, Math.max(MIN_OPACITY, value));
}

/** @param {any} value @returns {import('../model/connection.js').End | null} */
function readEnd(value) {
  const { id, anchor } = value ?? {};
  if (!isKey(id) || !isPoint(anchor)) return null;
  const [x, y] = anchor;
  const isNear = (/** @type {number} */ part) => part >= -MAX_OUTSIDE && part <= 1 + MAX_OUTSIDE;
  return isNear(x) && isNear(y) ? { id, x, y } : null;
}

/** @param {string} id @param {StrokeMessage} message @param {number} sequence of its entry @returns {Stroke} */
function strokeFrom(id, message, sequence) {
  const stroke = new Stroke({ id, ...message, z: message.z ?? sequence });
  stroke.append(message.points, message.pressures);
  return stroke;
}

/** @typedef {import('../model/shapes.js').Shape} Shape */

/** @param {string} type */
export function isShapeType(type) {
  return type === STROKE_TYPE || type === TEXT_TYPE;
}

/** @template {{ type: string }} T @param {T[]} [entries] @returns {T[]} those that are not shapes */
export function otherEntries(entries = []) {
  return entries.filter(({ type }) => !isShapeType(type));
}

/**
 * @param {Shape} shape @param {object} [origin] the members of its origin
 * @returns {{ type: string, payload: Uint8Array }} a message with the whole shape
 */
export function encodeShape(shape, origin = {}) {
  return shape instanceof Text
    ? { type: TEXT_TYPE, payload: encodeText(shape, origin) }
    : { type: STROKE_TYPE, payload: encodeStroke(shape, 0, origin) };
}

/**
 * @param {{ type: string, retention?: number, payload: Uint8Array, sender?: number }} entry @param {string} id
 * @param {number} sequence of the entry
 * @returns {((held: Shape | undefined) => Shape) | null} returns the new version of the shape from the current one; null: the
 *   entry is invalid
 */
export function readShape({ type, retention, payload, sender = 0 }, id, sequence) {
  if (type === TEXT_TYPE) {
    const message = retention === Retention.replace ? readText(payload) : null;
    return message && (() => textFrom(id, message, sequence, sender));
  }
  const message = readStroke(payload);
  return message && ((held) => {
    const stroke = strokeFrom(id, message, sequence);
    stroke.isFinished = retention === Retention.replace && !message.isGrowing;
    receivedFrom(stroke, sender);
    if (retention !== Retention.append || !held) return stroke;
    if (held instanceof Stroke) held.append(message.points, message.pressures);
    return held;
  });
}

/** The message type of a text. */
export const TEXT_TYPE = 'UpsertTextMessage';

/**
 * @typedef {Omit<import('../model/text.js').TextProperties, 'id' | 'z'> & { z: number | null, isGrowing: boolean }} TextMessage
 */

/** As `UpsertTextMessage`. @param {Text} shape @param {object} origin further members @returns {Uint8Array} */
function encodeText({ id, text, x, y, size, angle, font, rgb, color, z, note, fill, isLocked, isFinished }, origin) {
  const message = { id, text, point: [x, y], size, rgb, color, z };
  const look = { ...angle && { angle }, ...font && { font }, ...note && { note: { ...note, fill } } };
  const chosen = { ...look, ...isLocked && { locked: true } };
  const growing = isFinished ? {} : { growing: true };
  return new TextEncoder().encode(JSON.stringify({ ...message, ...chosen, ...growing, ...origin }));
}

/** @param {Uint8Array} payload @returns {TextMessage | null} null if it is no valid text */
export function readText(payload) {
  let message;
  try {
    message = JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return null;
  }
  const { text, point, size } = message ?? {};
  if (typeof text !== 'string' || !isPoint(point) || typeof size !== 'number' || !Number.isFinite(size)) return null;
  const clean = cleanText(text);
  const angle = readAngle(message.angle);
  const note = readNote(message.note);
  if (clean.trim() === '' && !note) return null;
  return {
    text: clean,
    x: point[0],
    y: point[1],
    size: Math.min(MAX_SIZE, Math.max(MIN_SIZE, size)),
    ...angle && { angle },
    font: isShippedFont(message.font) ? message.font : '',
    ...note,
    ...readColor(message),
    z: readZ(message),
    isLocked: message.locked === true,
    isGrowing: message.growing === true,
    ...readOrigin(message),
  };
}

/** @param {any} value @returns {Pick<Text, 'note' | 'fill'> | null} null: the text is on no note */
function readNote(value) {
  const { width, height, fill } = value ?? {};
  const isSide = (/** @type {unknown} */ side) =>
    typeof side === 'number' && side >= MIN_NOTE_SIDE && side <= MAX_NOTE_SIDE;
  if (!isSide(width) || !isSide(height)) return null;
  return { note: { width, height }, fill: NOTE_FILLS.includes(fill) ? fill : NOTE_FILLS[0] };
}

/** @param {string} id @param {TextMessage} message @param {number} sequence @param {number} sender of its entry */
function textFrom(id, message, sequence, sender) {
  const text = new Text({ id, ...message, z: message.z ?? sequence });
  text.isFinished = !message.isGrowing;
  receivedFrom(text, sender);
  return text;
}
