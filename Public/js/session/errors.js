/** What can go wrong with a session, each with a code that does not change. */

/** Any of them. `code` is the gateway's own word where it has one. */
export class GroupSessionError extends Error {
  name = 'GroupSessionError';

  /** @param {string} code @param {string} message @param {ErrorOptions} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/** @param {string} code @param {string} detail the gateway's words, which may be for whoever runs it @returns {string} */
export function forPeople(code, detail) {
  return code === 'storage-full' ? 'The server has no room at the moment. Try again later.' : detail;
}

/** A message over the session's `messageBytes`. Share it as an attachment instead. */
export class MessageTooLargeError extends GroupSessionError {
  name = 'MessageTooLargeError';

  /** @param {number} limit @param {number} actual both in bytes */
  constructor(limit, actual) {
    super('message-too-large', `The message has ${actual} bytes; at most ${limit} can be sent.`);
    this.limit = limit;
    this.actual = actual;
  }
}

/**
 * An attachment was refused, or could not be brought over. Beside the gateway's codes there is `unreadable`: the file was
 * changed or taken away under our hands. Where something was too large, `limit` and `actual` say it in bytes.
 */
export class AttachmentError extends GroupSessionError {
  name = 'AttachmentError';

  /**
   * @param {string} code @param {string} message
   * @param {{ limit?: number, actual?: number, status?: number, retryAfterMs?: number, cause?: unknown }} [more]
   *   `status`: 0 when there was no answer at all
   */
  constructor(code, message, { limit, actual, status = 0, retryAfterMs = 0, cause } = {}) {
    super(code, message, { cause });
    this.limit = limit;
    this.actual = actual;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** More messages than the session takes. Nothing was sent; try again after `retryAfterMs`. */
export class RateLimitedError extends GroupSessionError {
  name = 'RateLimitedError';

  /** @param {number} retryAfterMs */
  constructor(retryAfterMs) {
    super('rate-limited', `Too many messages at once. Try again in ${retryAfterMs} ms.`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Something was to be sent in a session that is over, or not begun. */
export class NotJoinedError extends GroupSessionError {
  name = 'NotJoinedError';

  constructor() {
    super('not-joined', 'The session is not joined.');
  }
}

/**
 * Why a session was invalidated.
 * `left` by oneself · `ended` by somebody for everybody · `unknown` there is no such session · `full` ·
 * `version` the gateway does not speak ours · `refused` it found a fault with what we sent.
 * @typedef {'left' | 'ended' | 'unknown' | 'full' | 'version' | 'refused'} InvalidationKind
 */
export class InvalidationReason extends GroupSessionError {
  name = 'InvalidationReason';

  /** @param {InvalidationKind} kind @param {string} message */
  constructor(kind, message) {
    super(kind, message);
    this.kind = kind;
  }

  /** Whether a later page may be let in, with all that waits to be sent. What was refused would be again. */
  get canComeBack() {
    return this.kind === 'full' || this.kind === 'version';
  }
}
