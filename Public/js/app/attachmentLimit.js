/** The maximum size of a file, in a session and without one. */

/** The limit while the gateway's own limit is unknown. */
const DEFAULT_BYTES = 104_857_600;
/** The maximum wait for the answer of the gateway. */
const ANSWER_MS = 1000;

export class AttachmentLimit {
  #sharing;
  #base;
  /** @type {Promise<{ attachmentBytes?: unknown }> | null} the gateway's limits, requested without a session */
  #limits = null;

  /** @param {Pick<import('./sharing.js').Sharing, 'session'>} sharing @param {URL} base address of the gateway */
  constructor(sharing, base) {
    this.#sharing = sharing;
    this.#base = base;
  }

  /** Returns the maximum size of a file. @returns {Promise<number>} bytes */
  async load() {
    const limit = this.#sharing.session?.limits.attachmentBytes;
    if (limit) return limit;
    this.#limits ??= fetch(new URL('api/limits', this.#base), { signal: AbortSignal.timeout(ANSWER_MS) })
      .then((answer) => answer.json())
      // The gateway is unreachable. It refuses a file that is too large when the file is uploaded.
      .catch(() => ({}));
    const { attachmentBytes } = await this.#limits;
    return typeof attachmentBytes === 'number' ? attachmentBytes : DEFAULT_BYTES;
  }
}
