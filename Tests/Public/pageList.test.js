/** The list of the pages of this device: its bounds, what it never drops, and what it removes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Database, SNAPSHOTS } from '../../Public/js/persist/database.js';
import { LIST, newRecord, PageList } from '../../Public/js/persist/pageList.js';
import { FakeDatabase } from './fakeDatabase.js';

test('pages are listed newest first', async () => {
  const device = new Device();
  await device.session('A', 1);
  await device.board('X', 3);
  await device.session('B', 2);
  assert.deepEqual(await device.listed(), ['X only here', 'B', 'A']);
});

test('an empty board is not listed, unless it has a title', async () => {
  const device = new Device();
  await device.board('X', 1, { strokes: 0 });
  await device.board('Y', 2, { strokes: 0, title: 'Plans' });
  assert.deepEqual(await device.listed(), ['Y only here']);
});

test('boards and ended sessions without a record are listed, too', async () => {
  const device = new Device();
  await device.stored('X', 1);
  await device.picture('A', 2, { isEnded: true });
  await device.picture('B', 3);
  assert.deepEqual(await device.listed(), ['A ended only here', 'X only here']);
});

test('the oldest of more than 200 pages are dropped, but never the only copy of anything', async () => {
  const device = new Device();
  await device.board('X', 1);
  await device.session('E', 2, { isEnded: true });
  await device.picture('E', 2, { isEnded: true });
  await device.session('U', 3);
  await device.outbox('U', 4);
  await device.session('S', 4);
  await device.session('D', 5);
  for (let at = 0; at < 200; at += 1) await device.session(`N${at}`, 100 + at);
  await device.list.prune('S');
  const listed = await device.listed();
  assert.equal(listed.length, 204);
  assert.deepEqual(listed.slice(-4), ['S', 'U unsent', 'E ended only here', 'X only here']);
});

test('boards without content are removed, except those of open tabs', async () => {
  const device = new Device();
  await device.board('X', 1, { strokes: 0 });
  await device.board('Y', 2, { strokes: 0 });
  await device.board('Z', 3, { strokes: 0 });
  await device.board('F', 4);
  device.held.add('Y');
  device.own.add('Z');
  await device.list.prune('Z');
  assert.deepEqual(await device.keys('pages'), ['F', 'Y', 'Z']);
});

test('a board that gets its first content during the cleanup stays', async () => {
  const device = new Device();
  await device.board('X', 1, { strokes: 0 });
  await device.board('Y', 2, { strokes: 0 });
  await device.board('Z', 3, { strokes: 0 });
  // This tab has opened one of them. Another tab draws on the second one, and is closed.
  device.own.add('X');
  device.acquiring = async (lease) => lease === 'Y' ? device.stored('Y', 4) : undefined;
  await device.list.prune(null);
  assert.deepEqual(await device.keys('pages'), ['X', 'Y']);
  assert.deepEqual(await device.listed(), ['Y only here']);
  assert.deepEqual([...device.own], ['X']);
});

test('a removed board is gone with its contents; one of another tab stays', async () => {
  const device = new Device();
  await device.board('X', 1);
  await device.board('Y', 2);
  device.held.add('Y');
  assert.equal(await device.list.remove({ id: 'X', isShared: false }), true);
  assert.equal(await device.list.remove({ id: 'Y', isShared: false }), false);
  assert.deepEqual(await device.listed(), ['Y only here']);
  for (const store of ['pages', 'marks', 'items', 'files']) assert.deepEqual(await device.keys(store), ['Y'], store);
  assert.deepEqual([await device.list.canOpen(newRecord('Y')), await device.list.canOpen(newRecord('Z'))], [
    false,
    true,
  ]);
  assert.equal(device.own.has('Z'), false);
});

test('a removed session leaves nothing on this device', async () => {
  const device = new Device();
  for (const id of ['A', 'B']) {
    await device.session(id, 1);
    await device.picture(id, 1);
    await device.outbox(id, 2);
  }
  assert.equal(await device.list.remove({ id: 'A', isShared: true }), true);
  assert.deepEqual(await device.listed(), ['B unsent']);
  assert.deepEqual([await device.keys('outboxes'), await device.keys('entries')], [['B'], ['B']]);
  assert.deepEqual((await device.list.all()).length, 1);
  assert.deepEqual(await device.pictures(), ['B']);
});

for (const fails of /** @type {const} */ (['open', 'put'])) {
  test(`a browser that stores nothing has an empty list (${fails})`, async () => {
    const device = new Device(fails);
    assert.equal(await device.list.put(newRecord('A', { isShared: true })), false);
    assert.deepEqual([await device.list.find('A'), await device.list.all()], [null, []]);
    await device.list.prune(null);
  });
}

/** The databases of a browser. */
class Device {
  /** The leases of other tabs. @type {Set<string>} */
  held = new Set();
  /** The leases of this tab. @type {Set<string>} */
  own = new Set();
  /** Called before a lease is acquired. @type {(lease: string) => Promise<void>} */
  acquiring = async () => {};
  #boards;
  #snapshots;

  /** @param {'open' | 'put'} [fails] */
  constructor(fails) {
    const create = (/** @type {import('../../Public/js/persist/database.js').Schema} */ schema) =>
      new Database(() => this.#factory(fails), schema);
    this.#boards = new Database(() => this.#factory(fails));
    this.#snapshots = create(SNAPSHOTS);
    this.list = new PageList({
      leases: {
        hold: async (lease) => !this.held.has(lease) && Boolean(this.own.add(lease)),
        acquire: async (lease) => {
          await this.acquiring(lease);
          if (this.held.has(lease) || this.own.has(lease)) return false;
          return Boolean(this.own.add(lease));
        },
        release: (lease) => void this.own.delete(lease),
      },
      database: create(LIST),
      boards: this.#boards,
      snapshots: this.#snapshots,
    });
  }

  /** @param {'open' | 'put'} [fails] @returns {any} */
  #factory(fails) {
    return new FakeDatabase({ fails });
  }

  /** @param {string} id @param {number} at @param {object} [more] */
  async session(id, at, more = {}) {
    await this.list.put(newRecord(id, { at, isShared: true, ...more }));
  }

  /** A board with its record. @param {string} id @param {number} at @param {{ strokes?: number, title?: string }} [options] */
  async board(id, at, { strokes = 1, title = '' } = {}) {
    await this.list.put(newRecord(id, { at, title }));
    await this.stored(id, at, strokes);
  }

  /** A board without a record. @param {string} id @param {number} at @param {number} [strokes] */
  async stored(id, at, strokes = 1) {
    await this.#boards.write(['pages', 'marks', 'items', 'files'], ({ pages, ...contents }) => {
      pages.put({ id, at }, id);
      if (strokes > 0) { for (const store of Object.values(contents)) store.put({}, `${id}/1`); }
    });
  }

  /** @param {string} id of a session @param {number} at @param {object} [more] */
  async picture(id, at, more = {}) {
    await this.#snapshots.write(['sessions', 'parts'], ({ sessions, parts }) => {
      sessions.put({ id, at, copy: 'c', isWhole: true, ...more }, id);
      parts.put({ shapes: [] }, `${id}/c/000001`);
    });
  }

  /** @param {string} session @param {number} count of its entries */
  async outbox(session, count) {
    await this.#boards.write(['outboxes', 'entries'], ({ outboxes, entries }) => {
      outboxes.put({ claim: session, session, at: 1, count }, session);
      entries.put({}, `${session}/1`);
    });
  }

  /** @returns {Promise<string[]>} */
  async listed() {
    return (await this.list.all()).map(({ id, isEnded, isOnlyHere, isUnsent }) => {
      return [id, isEnded && 'ended', isOnlyHere && 'only here', isUnsent && 'unsent'].filter(Boolean).join(' ');
    });
  }

  /** @param {string} store @returns {Promise<string[]>} the pages that have something in it */
  async keys(store) {
    const ids = ['A', 'B', 'F', 'X', 'Y', 'Z'];
    const counts = await this.#boards.read(
      [store],
      (stores) => ids.map((id) => stores[store].count(IDBKeyRange.bound(id, `${id}/\uffff`))),
    ) ?? [];
    return ids.filter((_, at) => counts[at] > 0);
  }

  /** @returns {Promise<string[]>} */
  async pictures() {
    const [sessions] = await this.#snapshots.read(['sessions'], (stores) => [stores.sessions.getAll()]) ?? [];
    return sessions.map((/** @type {{ id: string }} */ { id }) => id);
  }
}
