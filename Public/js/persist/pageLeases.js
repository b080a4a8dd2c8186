/** The leases of one page: for its boards, its outboxes, and the pictures of sessions that it stores. */

import { acquireLease } from './tabLease.js';

export class PageLeases {
  #page;
  #tabs;
  /** The leases that this page holds or has requested. @type {Map<string, { acquired: Promise<boolean>, release: () => void }>} */
  #leases = new Map();

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
    return await (this.#leases.get(lease)?.acquired ?? this.acquire(lease, { isPatient: false }));
  }

  /**
   * Acquires a lease that this page does not have yet. The check is needed, because without locks a tab does not object to its
   * own request.
   * @param {string} lease @param {{ isPatient?: boolean }} [options]
   * @returns {Promise<boolean>} false: this page has it or requests it, or another tab may have it
   */
  async acquire(lease, options) {
    if (this.#leases.has(lease)) return false;
    let release = () => {};
    /** @type {Promise<void>} */
    const released = new Promise((resolve) => (release = resolve));
    // If the other tabs cannot be asked, one of them may hold the lease.
    const acquired = acquireLease(lease, this.#page, this.#tabs, { ...options, released }).catch(() => false);
    const held = { acquired, release };
    this.#leases.set(lease, held);
    const isAcquired = await acquired;
    if (!isAcquired && this.#leases.get(lease) === held) this.#leases.delete(lease);
    return isAcquired;
  }

  /** Gives up a lease, so that other tabs can acquire it. @param {string} lease */
  release(lease) {
    this.#leases.get(lease)?.release();
    this.#leases.delete(lease);
  }
}
