/** The leases of one page: for its boards, its outboxes, and the pictures of sessions that it stores. */

import { acquireLease } from './tabLease.js';

export class PageLeases {
  #page;
  #tabs;
  /** The leases that this page holds or has requested. @type {Set<string>} */
  #leases = new Set();

  /** @param {string} page a random name of this page @param {import('./tabLease.js').TabEnvironment} tabs */
  constructor(page, tabs) {
    this.#page = page;
    this.#tabs = tabs;
  }

  /**
   * Acquires a lease that this page may have already.
   * @param {string} lease @returns {Promise<boolean>} false: another tab may have it
   */
  async hold(lease) {
    return this.#leases.has(lease) || await this.acquire(lease, { isPatient: false });
  }

  /**
   * Acquires a lease that this page does not have yet. The check is here, because without locks a tab does not object to its own
   * request.
   * @param {string} lease @param {{ isPatient?: boolean }} [options]
   * @returns {Promise<boolean>} false: this page has it or requests it, or another tab may have it
   */
  async acquire(lease, options) {
    if (this.#leases.has(lease)) return false;
    this.#leases.add(lease);
    // If the other tabs cannot be asked, one of them may hold the lease.
    const isAcquired = await acquireLease(lease, this.#page, this.#tabs, options).catch(() => false);
    if (!isAcquired) this.#leases.delete(lease);
    return isAcquired;
  }
}
