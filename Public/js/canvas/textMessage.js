/** Texts as `UpsertTextMessage`: written, and read with suspicion. */

import { cleanText, MAXIMUM_SIZE, MINIMUM_SIZE, Text } from './text.js';
import { isPoint, readColor, readZ } from './strokeMessage.js';

/** Its type on the wire. */
export const TEXT_TYPE = 'UpsertTextMessage';

/** @typedef {Omit<import('./text.js').Look, 'id' | 'z'> & { z: number | null, isGrowing: boolean }} TextMessage */

/** @param {Text} mark @returns {Uint8Array} */
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
