/** The leases of a page's uploads. Other tabs may run some of the uploads that the browser stores. */

import { newKey } from '../sync/key.js';
import { acquireLease, browserTabs } from './tabLease.js';

/** @implements {Leases} */
export class UploadLeases {
  #page = newKey();
  #tabs;
  /** @type {string | null} */
  #own = null;
  /** @type {Map<string, Promise<boolean>>} */
  #requested = new Map();

  /** @param {import('./tabLease.js').TabEnvironment} [tabs] */
  constructor(tabs = browserTabs) {
    this.#tabs = tabs;
  }

  /** The lease of this page's uploads. It is made on first use, so no other tab holds it and there is nothing to wait for. */
  get own() {
    if (!this.#own) {
      this.#own = newKey();
      this.acquire(this.#own);
    }
    return this.#own;
  }

  /** @param {string} lease @returns {Promise<boolean>} false: an open page holds it */
  async acquire(lease) {
    // If tabs cannot be asked, the holder may be open.
    const requested = this.#requested.get(lease) ?? acquireLease(lease, this.#page, this.#tabs).catch(() => false);
    this.#requested.set(lease, requested);
    const isAcquired = await requested;
    if (!isAcquired) this.#requested.delete(lease);
    return isAcquired;
  }
}

/** @typedef {import('../sync/uploads/uploadRecords.js').UploadLeases} Leases */
