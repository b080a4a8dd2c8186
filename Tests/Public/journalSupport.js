/** Pages of one browser, each with a session and its journal, with a gateway in memory. */

import { createHash } from 'node:crypto';
import { GroupSessionJournal } from '../../Public/js/sync/journal/groupSessionJournal.js';
import { UploadLeases } from '../../Public/js/persist/uploadLeases.js';
import { FakeAttachments } from './fakeAttachments.js';
import { FakeClock, fakeSession, LIMITS, until, welcome } from './support.js';

/** The browser's storage, which its pages share. */
export class FakeBrowser {
  gateway = new FakeAttachments();
  store = new FakeStore();
  /** @type {Map<string, object>} lock → the page that holds it */
  locks = new Map();

  /** @param {{ limits?: object, joins?: boolean, id?: string, time?: number }} [options] `time`: the wall clock */
  open({ limits = {}, joins = true, id, time = 1_000_000_000 } = {}) {
    const { session, clock, last, env, reopen } = fakeSession(id ? { id } : {});
    const page = {};
    const network = new EventTarget();
    const leases = this.#leasesOf(page);
    const journal = this.journalOf(session, {
      ...env,
      network,
      leases,
      wallClock: () => time + clock.time,
    });
    this.gateway.tell = (entry) => last()?.entries(entry);
    session.join();
    if (joins) welcome(last(), { limits: { ...LIMITS, ...limits } });
    /** Removes the page. Its locks are released. Its timers never fire, because its clock stops. */
    const vanish = () => {
      for (const [name, holder] of this.locks) if (holder === page) this.locks.delete(name);
    };
    /** @template T @param {Promise<T>} promise @returns {Promise<T>} while the clock runs */
    const wait = async (promise) => {
      let isOver = false;
      const settle = () => (isOver = true);
      promise.then(settle, settle);
      await until(() => isOver, () => clock.pass(100));
      return await promise;
    };
    return { session, clock, last, journal, leases, network, vanish, reopen, wait };
  }

  /** @param {import('../../Public/js/sync/groupSession.js').GroupSession} session @param {object} [env] */
  journalOf(session, env) {
    const { send, fetch } = this.gateway;
    const clock = new FakeClock();
    const { now, setTimeout } = clock;
    const clearTimeout = /** @type {any} */ (clock.clearTimeout);
    return new GroupSessionJournal(session, {
      env: {
        send,
        fetch,
        store: this.store,
        leases: this.#leasesOf({}),
        network: new EventTarget(),
        wallClock: () => 0,
        now,
        setTimeout,
        clearTimeout,
        random: () => 0.5,
        ...env,
      },
    });
  }

  /** @param {object} page */
  #leasesOf(page) {
    return new UploadLeases({
      locks: /** @type {any} */ ({
        request: (/** @type {string} */ name, /** @type {any} */ _, /** @type {any} */ use) => {
          if (this.locks.has(name)) return Promise.resolve(use(null));
          this.locks.set(name, page);
          return Promise.resolve(use({}));
        },
      }),
      openChannel: /** @type {any} */ (null),
      wait: () => Promise.resolve(),
    });
  }
}

/** The store of uploads of a browser. @implements {UploadRecords} */
export class FakeStore {
  /** @type {Map<string, { record: any, blob: Blob }>} */
  kept = new Map();

  /** Returns them by id, like a database. */
  list() {
    const records = [...this.kept.values()].map(({ record }) => structuredClone(record));
    return Promise.resolve(records.sort((a, b) => (a.id < b.id ? -1 : 1)));
  }

  /** @param {any} record @param {Blob} blob */
  put(record, blob) {
    this.kept.set(record.id, { record: structuredClone(record), blob });
    return Promise.resolve();
  }

  /** @param {any} record */
  update(record) {
    const held = this.kept.get(record.id);
    if (held) held.record = structuredClone(record);
    return Promise.resolve();
  }

  /** @param {string} id */
  blob(id) {
    return Promise.resolve(this.kept.get(id)?.blob ?? null);
  }

  /** @param {string} id */
  forget(id) {
    this.kept.delete(id);
    return Promise.resolve();
  }
}

/** @typedef {import('../../Public/js/sync/uploads/uploadRecords.js').UploadRecords} UploadRecords */

/** Returns bytes with different values at different offsets. @param {number} size */
export function bytesOf(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + (at >> 16)) & 255;
  return bytes;
}

/** @param {number} size @param {string} [name] */
export function fileOf(size, name = 'photo.png') {
  return new File([bytesOf(size)], name, { type: 'image/png' });
}

/** @param {Uint8Array} bytes */
export function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns a file that the browser can read only up to an offset. @param {number} size @param {number} readable */
export function brokenFile(size, readable) {
  const file = fileOf(size);
  const slice = file.slice.bind(file);
  file.slice = (from = 0, to = size) => {
    const piece = slice(from, to);
    if (to > readable) piece.arrayBuffer = () => Promise.reject(new DOMException('It changed.', 'NotReadableError'));
    return piece;
  };
  return file;
}
