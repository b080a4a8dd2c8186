/** The errors of a session, each with a stable code. */

/**
 * An error of a session. `code` is stable; it is the gateway's own code, if there is one. `detail` is the gateway's English
 * sentence, or empty. The page makes the texts for users from the code and the numbers.
 */
export class GroupSessionError extends Error {
  name = 'GroupSessionError';

  /**
   * @param {string} code @param {string} [detail]
   * @param {{ cause?: unknown, numbers?: string, limit?: number }} [options] `numbers`: for the log; `limit`: that was reached
   */
  constructor(code, detail = '', { cause, numbers = '', limit } = {}) {
    super(detail || (numbers ? `${code}: ${numbers}` : code), cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
    this.limit = limit;
  }
}

/** @param {Response} answer a refusal @returns {Promise<{ code: string, detail: string, limit?: number, damaged?: boolean }>} */
export async function problemOf(answer) {
  const problem = await answer.json().catch(() => ({}));
  return { code: 'internal', detail: '', ...problem };
}

/** A message over the session's `messageBytes`. Share it as an attachment instead. */
export class MessageTooLargeError extends GroupSessionError {
  name = 'MessageTooLargeError';

  /** @param {number} limit @param {number} actual both in bytes */
  constructor(limit, actual) {
    super('message-too-large', '', { numbers: `${actual} bytes; at most ${limit}`, limit });
    this.actual = actual;
  }
}

/**
 * An attachment was refused, or could not be transferred. In addition to the gateway's codes, there is `unreadable`: the file was
 * changed or removed during the upload. If something was too large, `limit` and `actual` are sizes in bytes. `file` is the name
 * of the file, if the error is about its content.
 */
export class AttachmentError extends GroupSessionError {
  name = 'AttachmentError';

  /**
   * @param {string} code @param {string} [detail]
   * @param {{ file?: string, limit?: number, actual?: number, status?: number, retryAfterMs?: number, cause?: unknown }} [more]
   *   `status`: 0 if there was no answer
   */
  constructor(code, detail = '', { file, limit, actual, status = 0, retryAfterMs = 0, cause } = {}) {
    super(code, detail, { cause, numbers: status ? `status ${status}` : '', limit });
    this.file = file;
    this.actual = actual;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** More messages than the session accepts. Nothing was sent. Try again after `retryAfterMs`. */
export class RateLimitedError extends GroupSessionError {
  name = 'RateLimitedError';

  /** @param {number} retryAfterMs */
  constructor(retryAfterMs) {
    super('rate-limited', '', { numbers: `retry after ${retryAfterMs} ms` });
    this.retryAfterMs = retryAfterMs;
  }
}

/** An entry cannot be sent: the session is over or not joined. */
export class NotJoinedError extends GroupSessionError {
  name = 'NotJoinedError';

  constructor() {
    super('not-joined');
  }
}

/**
 * The reason for which a session was invalidated.
 * `left` by this client · `ended` for all participants · `unknown` there is no such session · `full` ·
 * `version` the gateway does not speak this client's version · `refused` the gateway found a fault in a message.
 * @typedef {'left' | 'ended' | 'unknown' | 'full' | 'version' | 'refused'} InvalidationKind
 */
export class InvalidationReason extends GroupSessionError {
  name = 'InvalidationReason';

  /** @param {InvalidationKind} kind @param {string} [detail] @param {number} [closeCode] of the socket; 0: none */
  constructor(kind, detail = '', closeCode = 0) {
    super(kind, detail, { numbers: closeCode ? `close code ${closeCode}` : '' });
    this.kind = kind;
    this.closeCode = closeCode;
  }

  /** True if a later page may be able to join, and to send all pending entries. */
  get canComeBack() {
    return this.kind === 'full' || this.kind === 'version';
  }
}
