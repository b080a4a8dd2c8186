/** Control messages: JSON objects with one member. Its name is the name of the message. */

import { isObject, number } from './json.js';
import { readParticipant } from './participants.js';

/**
 * @typedef {import('./participants.js').Participant} Participant
 * @typedef {Record<string, number> & { messageBytes: number, entriesPerSecond: number, bytesPerSecond: number }} Limits
 * @typedef {{ name: string, participant: Participant, token: string, epoch: string, sequence: number, committed: number,
 *   acknowledged: number, resumed: boolean, activity: Record<string, unknown>, limits: Limits }} Joined
 */

/** The limits until the gateway has sent its own. @type {Limits} */
export const DEFAULT_LIMITS = {
  messageBytes: 262_144,
  entriesPerSecond: 2000,
  bytesPerSecond: 4_194_304,
};

/** @param {string} text @returns {{ name: string, body: Record<string, unknown> } | null} */
export function readControl(text) {
  try {
    const value = JSON.parse(text);
    const [name] = Object.keys(value);
    const body = value[name];
    return body && typeof body === 'object' ? { name, body } : null;
  } catch {
    return null;
  }
}

/** @param {Record<string, unknown>} body of a `joined` @returns {Joined | null} */
export function readJoined(body) {
  const participant = readParticipant(body.participant);
  if (!participant || typeof body.token !== 'string' || typeof body.epoch !== 'string') return null;
  const session = isObject(body.session) ? body.session : {};
  return {
    name: 'joined',
    participant,
    token: body.token,
    epoch: body.epoch,
    sequence: number(body.sequence),
    committed: number(body.committed),
    acknowledged: number(body.acknowledged),
    resumed: body.resumed === true,
    activity: isObject(session.activity) ? session.activity : {},
    limits: readLimits(body.limits),
  };
}

/** @param {unknown} value @returns {Limits} */
function readLimits(value) {
  /** @type {Limits} */
  const limits = { ...DEFAULT_LIMITS };
  if (!isObject(value)) return limits;
  for (const [name, limit] of Object.entries(value)) {
    if (typeof limit === 'number' && limit > 0) limits[name] = limit;
  }
  return limits;
}
