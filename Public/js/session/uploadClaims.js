/** Which uploads are this page's: of those that a browser keeps, other tabs may be running some. */

import { newKey } from './key.js';
import { browserTabs, takeClaim } from './tabClaim.js';

export class UploadClaims {
  #page = newKey();
  #tabs;
  /** @type {string | null} */
  #own = null;
  /** @type {Map<string, Promise<boolean>>} */
  #asked = new Map();

  /** @param {import('./tabClaim.js').ClaimSurroundings} [tabs] */
  constructor(tabs = browserTabs) {
    this.#tabs = tabs;
  }

  /** What this page's uploads bear. It is made when first wanted, and nobody else's: there is nothing to wait for. */
  get own() {
    if (!this.#own) {
      this.#own = newKey();
      this.take(this.#own);
    }
    return this.#own;
  }

  /** @param {string} claim @returns {Promise<boolean>} false: the page whose it is lives */
  async take(claim) {
    // Where tabs cannot be asked, nothing is taken from one that may live.
    const asked = this.#asked.get(claim) ?? takeClaim(claim, this.#page, this.#tabs).catch(() => false);
    this.#asked.set(claim, asked);
    const isTaken = await asked;
    if (!isTaken) this.#asked.delete(claim);
    return isTaken;
  }
}
