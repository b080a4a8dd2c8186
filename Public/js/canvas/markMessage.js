/** Marks on the wire, of whatever type. */

import { Retention } from '../session/wire.js';
import { Stroke } from './stroke.js';
import { encodeStroke, readStroke, STROKE_TYPE, strokeFrom } from './strokeMessage.js';
import { encodeText, readText, TEXT_TYPE, textFrom } from './textMessage.js';
import { Text } from './text.js';

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
