/** The action of the client after its socket has closed, by close code. */

import { InvalidationReason } from './errors.js';

/** @typedef {import('./errors.js').InvalidationKind} InvalidationKind */

/**
 * @typedef {{ action: 'reconnect' | 'reconnect-as-new', afterMs: number, trouble?: string }
 *   | { action: 'invalidate', reason: InvalidationReason }} AfterClose
 */

/** The gateway stopped reading from us for sending too fast: leave it time. */
const AFTER_RATE_LIMIT_MS = 5000;
/** The longest we let the gateway ask us to wait. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Come back, come back as somebody new, or give the session up.
 * @param {number} code of the close frame; 1006 when there was none
 * @param {string} reason short JSON from the gateway, or anything at all
 * @returns {AfterClose}
 */
export function afterClose(code, reason) {
  const told = parseReason(reason);
  switch (code) {
    case 1000:
      return invalidate('left', '', code);
    case 4010:
      return invalidate('ended', '', code);
    case 4004:
      return invalidate('unknown', '', code);
    case 4005:
      return invalidate('full', told.detail, code);
    case 4026:
      return invalidate('version', '', code);
    case 1002:
    case 1003:
    case 1007:
    case 1008:
    case 1009:
      return invalidate('refused', told.detail, code);
    case 4009:
      return { action: 'reconnect-as-new', afterMs: 0 };
    case 4029:
      return { action: 'reconnect', afterMs: Math.max(told.retryAfterMs, AFTER_RATE_LIMIT_MS) };
    default: // 1001, 1006, 1011, 1012, 1013, 4001, 4008, 4013 and what later versions may add
      return {
        action: 'reconnect',
        afterMs: told.retryAfterMs,
        ...code === 1013 || code === 1011 ? { trouble: told.code } : {},
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
  let told = {};
  try {
    const value = JSON.parse(reason);
    if (value && typeof value === 'object') told = value;
  } catch {
    // A proxy may have closed the socket in words of its own.
  }
  const ms = Number(told.retryAfterMs);
  return {
    code: typeof told.code === 'string' ? told.code : '',
    detail: typeof told.detail === 'string' ? told.detail : '',
    retryAfterMs: Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_WAIT_MS) : 0,
  };
}
