/** Marks on the wire, of whatever type. */

import { Retention } from '../session/wire.js';
import { Stroke } from './stroke.js';
import { encodeStroke, isPoint, readColor, readStroke, readZ, STROKE_TYPE, strokeFrom } from './strokeMessage.js';
import { cleanText, MAXIMUM_SIZE, MINIMUM_SIZE, Text } from './text.js';

/** @typedef {import('./marks.js').Mark} Mark */

/** @param {string} type */
export function isMarkType(type) {
  return type === STROKE_TYPE || type === TEXT_TYPE;
}

/** @param {Mark} mark @returns {{ type: string, payload: Uint8Array }} the whole of it */
export function encodeMark(mark) {
  return mark instanceof Text
    ? { type: TEXT_TYPE, payload: encodeText(mark) }
    : { type: STROKE_TYPE, payload: encodeStroke(mark) };
}

/**
 * @param {{ type: string, retention?: number, payload: Uint8Array }} entry @param {string} id @param {number} sequence of the entry
 * @returns {((held: Mark | undefined) => Mark) | null} what it makes of what is held; null: nothing
 */
export function readMark({ type, retention, payload }, id, sequence) {
  if (type === TEXT_TYPE) {
    const message = retention === Retention.replace ? readText(payload) : null;
    return message && (() => textFrom(id, message, sequence));
  }
  const message = readStroke(payload);
  return message && ((held) => {
    const stroke = strokeFrom(id, message, sequence);
    stroke.isFinished = retention === Retention.replace && !message.isGrowing;
    if (retention !== Retention.append || !held) return stroke;
    if (held instanceof Stroke) held.append(message.points, message.pressures);
    return held;
  });
}

/** Its type on the wire. */
export const TEXT_TYPE = 'UpsertTextMessage';

/** @typedef {Omit<import('./text.js').Look, 'id' | 'z'> & { z: number | null, isGrowing: boolean }} TextMessage */

/** As `UpsertTextMessage`. @param {Text} mark @returns {Uint8Array} */
export function encodeText({ id, text, x, y, size, rgb, color, z, isFinished }) {
  const growing = isFinished ? {} : { growing: true };
  return new TextEncoder().encode(JSON.stringify({ id, text, point: [x, y], size, rgb, color, z, ...growing }));
}

/** @param {Uint8Array} payload @returns {TextMessage | null} null for what is not a text's message */
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
  if (clean.trim() === '') return null;
  return {
    text: clean,
    x: point[0],
    y: point[1],
    size: Math.min(MAXIMUM_SIZE, Math.max(MINIMUM_SIZE, size)),
    ...readColor(message),
    z: readZ(message),
    isGrowing: message.growing === true,
  };
}

/** @param {string} id @param {TextMessage} message @param {number} sequence of the entry it came in @returns {Text} */
export function textFrom(id, message, sequence) {
  const text = new Text({ id, ...message, z: message.z ?? sequence });
  text.isFinished = !message.isGrowing;
  return text;
}
