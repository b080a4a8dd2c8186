/** The action of the client after its socket has closed, by close code. */

import { MAX_ASKED_MS } from './backoff.js';
import { InvalidationReason } from './errors.js';

/** @typedef {import('./errors.js').InvalidationKind} InvalidationKind */

/**
 * @typedef {{ action: 'reconnect' | 'reconnect-as-new', afterMs: number, trouble?: string }
 *   | { action: 'invalidate', reason: InvalidationReason }} AfterClose
 */

/** The pause after the gateway closed the connection because the client sent too fast. */
const AFTER_RATE_LIMIT_MS = 5000;
/** The pause before a participant tries again to join a full session. */
const AFTER_FULL_MS = 1000;

/**
 * Returns the action: reconnect, reconnect as a new participant, or invalidate the session.
 * @param {number} code of the close frame; 1006 when there was none
 * @param {string} reason short JSON from the gateway, or any text
 * @param {{ wasJoined: boolean }} client `wasJoined`: true if it was a participant of the session before, on any socket
 * @returns {AfterClose}
 */
export function afterClose(code, reason, { wasJoined }) {
  const details = parseReason(reason);
  switch (code) {
    case 1000:
      return invalidate('left', '', code);
    case 4010:
      return invalidate('ended', '', code);
    case 4004:
      return invalidate('unknown', '', code);
    case 4005:
      // A former participant, whose grace time is over, tries again until there is a free place.
      if (wasJoined) return { action: 'reconnect', afterMs: AFTER_FULL_MS, trouble: details.code };
      return invalidate('full', details.detail, code);
    case 4026:
      return invalidate('version', '', code);
    case 1002:
    case 1003:
    case 1007:
    case 1008:
    case 1009:
      return invalidate('refused', details.detail, code);
    case 4009:
      return { action: 'reconnect-as-new', afterMs: 0 };
    case 4029:
      return { action: 'reconnect', afterMs: Math.max(details.retryAfterMs, AFTER_RATE_LIMIT_MS) };
    default: // 1001, 1006, 1011, 1012, 1013, 4001, 4008, 4013 and what later versions may add
      return {
        action: 'reconnect',
        afterMs: details.retryAfterMs,
        ...code === 1013 || code === 1011 ? { trouble: details.code } : {},
      };
  }
}

/** @param {InvalidationKind} kind @param {string} detail @param {number} code @returns {AfterClose} */
function invalidate(kind, detail, code) {
  return { action: 'invalidate', reason: new InvalidationReason(kind, detail, code) };
}

/** @param {string} reason */
function parseReason(reason) {
  /** @type {Record<string, unknown>} */
  let details = {};
  try {
    const value = JSON.parse(reason);
    if (value && typeof value === 'object') details = value;
  } catch {
    // A proxy may have closed the socket with a reason of its own.
  }
  const ms = Number(details.retryAfterMs);
  return {
    code: typeof details.code === 'string' ? details.code : '',
    detail: typeof details.detail === 'string' ? details.detail : '',
    retryAfterMs: Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_ASKED_MS) : 0,
  };
}
