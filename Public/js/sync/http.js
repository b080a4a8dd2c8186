/** The creation of sessions over HTTP. */

import { GroupSessionError, problemOf } from './errors.js';

/**
 * @typedef {object} SessionObject
 * @property {string} id
 * @property {string} link the address for users
 * @property {{ identifier: string, title: string, type: string, payload?: unknown }} activity
 * @property {number} participants
 */

/**
 * Creates a session for an activity.
 * @param {object} options
 * @param {URL | string} options.base address of the gateway
 * @param {{ identifier?: string, title?: string, type?: string, payload?: unknown }} [options.activity]
 * @param {{ id: string, token: string | null }} [options.follows] the session whose participants move to the new one
 * @param {typeof fetch} [options.request]
 * @returns {Promise<SessionObject>} @throws {GroupSessionError}
 */
export async function createSession({ base, activity, follows, request = fetch }) {
  /** @type {Record<string, string>} */
  const headers = { 'Content-Type': 'application/json' };
  if (follows?.token) headers['Participant-Token'] = follows.token;
  const body = JSON.stringify({ activity, follows: follows?.id });
  const answer = await ask(() => request(new URL('api/sessions', base), { method: 'POST', headers, body }));
  return await answer.json();
}

/** @param {() => Promise<Response>} send @returns {Promise<Response>} */
async function ask(send) {
  let answer;
  try {
    answer = await send();
  } catch (cause) {
    throw new GroupSessionError('unavailable', '', { cause });
  }
  if (answer.ok) return answer;
  const { code, detail, limit } = await problemOf(answer);
  throw new GroupSessionError(code, detail, { numbers: `status ${answer.status}`, limit });
}
