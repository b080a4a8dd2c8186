/** Stored entries that survive a page: their owner, their order, and the entries that a killed page had sent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox } from '../../Public/js/sync/outbox.js';
import { OutboxStore } from '../../Public/js/persist/outboxStore.js';
import { Retention } from '../../Public/js/sync/wire.js';
import { Database } from '../../Public/js/persist/database.js';
import { FakeDatabase } from './fakeDatabase.js';
import { keyOf } from './support.js';

const DAY = 86_400_000;

test('an outbox is restored with numbers and payloads, only in its session', async () => {
  const browser = new Browser();
  const tab = browser.tab();
  const [store] = await tab.open('S');
  const outbox = filled(2);
  outbox.peek();
  await store.save({ token: 't', number: 7, outbox: outbox.snapshot() });
  tab.close();
  assert.equal((await tab.open('Other'))[1], null);
  const [, saved] = await tab.open('S');
  assert.deepEqual([saved?.token, saved?.number], ['t', 7]);
  assert.deepEqual(saved?.outbox.items.map(({ clientSequence }) => clientSequence), [1, 0]);
  assert.deepEqual(saved?.outbox.items.map(({ entry }) => entry), [entryOf(1), entryOf(2)]);
});

test('only changes are written; committed entries are removed', async () => {
  const browser = new Browser();
  const [store] = await browser.tab().open('S');
  const outbox = filled(3);
  await store.save({ token: 't', outbox: outbox.snapshot() });
  const writes = browser.factory.writes;
  put(outbox);
  outbox.accepted(2, 9);
  outbox.committed(9);
  outbox.add(entryOf(4));
  await store.save({ token: 't', outbox: outbox.snapshot() });
  // The record of the page, and the new entry.
  assert.equal(browser.factory.writes - writes, 2);
  assert.deepEqual(await browser.held(), [3, 4]);
});

test('refused and prioritized entries keep their places', async () => {
  const browser = new Browser();
  const tab = browser.tab();
  const [store] = await tab.open('S');
  const outbox = filled(3);
  await store.save({ token: 't', outbox: outbox.snapshot() });
  put(outbox);
  outbox.refused(2);
  outbox.add({ ...entryOf(4), retention: Retention.remove, payload: new Uint8Array(0) });
  outbox.peek();
  outbox.rewind(3, { removesFirst: true });
  await store.save({ token: 't', outbox: outbox.snapshot() });
  tab.close();
  const [, saved] = await tab.open('S');
  assert.deepEqual(saved?.outbox.items.map(({ entry }) => entry.type && entry.key), [keyOf(1), '', keyOf(4), keyOf(3)]);
});

/** The number of entries that a page had sent, without storing this, when it was killed. It had three entries. */
for (const sent of [0, 1, 2, 3]) {
  test(`killed after ${sent} of 3 unrecorded sends, the rest is sent and nothing is duplicated`, async () => {
    const browser = new Browser();
    const tab = browser.tab();
    const [store] = await tab.open('S');
    await store.save({ token: 't', outbox: filled(3).snapshot() });
    tab.close();
    const [, saved] = await tab.open('S');
    const outbox = new Outbox();
    outbox.restore(saved?.outbox ?? { next: 1, items: [] });
    outbox.resume(sent, 7, false);
    assert.deepEqual(put(outbox), [1, 2, 3].slice(sent));
    assert.equal(outbox.add(entryOf(9)).clientSequence, 0);
    assert.deepEqual(put(outbox), [4]);
  });
}

test('a duplicated tab is a new participant, and pending entries stay with the first tab', async () => {
  const browser = new Browser();
  const tab = browser.tab();
  const [store] = await tab.open('S');
  await store.save({ token: 't', outbox: filled(2).snapshot() });
  const copy = tab.duplicate();
  const [copied, saved] = await copy.open('S');
  assert.equal(saved, null);
  await copied.save({ token: 'u', outbox: filled(1).snapshot() });
  tab.close();
  assert.equal((await tab.open('S'))[1]?.outbox.items.length, 2);
  copy.close();
  assert.equal((await copy.open('S'))[1]?.token, 'u');
});

test('after a browser restart, the first page of the link continues the outbox; the next one is new', async () => {
  const browser = new Browser();
  const tab = browser.tab();
  const [store] = await tab.open('S');
  await store.save({ token: 't', outbox: filled(2).snapshot() });
  const idle = browser.tab();
  await (await idle.open('S'))[0].save({ token: 'idle', outbox: filled(0).snapshot() });
  tab.close();
  idle.close();
  assert.equal((await browser.tab().open('Other'))[1], null);
  const [, saved] = await browser.tab().open('S');
  assert.deepEqual([saved?.token, saved?.outbox.items.length], ['t', 2]);
  assert.equal((await browser.tab().open('S'))[1], null);
});

test('abandoned outboxes are removed in time', async () => {
  const browser = new Browser();
  for (const count of [0, 2]) {
    const tab = browser.tab();
    await (await tab.open('S'))[0].save({ token: 't', outbox: filled(count).snapshot() });
    tab.close();
  }
  assert.equal((await browser.boxes()).length, 2);
  browser.time = 2 * DAY;
  await browser.tab().open('Other');
  assert.deepEqual((await browser.boxes()).map(({ count }) => count), [2]);
  browser.time = 31 * DAY;
  await browser.tab().open('Other');
  assert.deepEqual([await browser.boxes(), await browser.held()], [[], []]);
});

test('without storage the token is kept; when storage works again, all is written', async () => {
  const browser = new Browser({ fails: 'put' });
  const tab = browser.tab();
  const [store] = await tab.open('S');
  const outbox = filled(2);
  assert.equal(await store.save({ token: 't', outbox: outbox.snapshot() }), false);
  assert.equal(store.isKept, false);
  tab.close();
  assert.deepEqual((await tab.open('S'))[1], { token: 't', outbox: { next: 1, items: [] } });
  browser.factory.fails = undefined;
  browser.time = 10_000;
  outbox.add(entryOf(3));
  assert.equal(await store.save({ token: 't', outbox: outbox.snapshot() }), true);
  assert.equal(store.isKept, true);
  assert.deepEqual(await browser.held(), [1, 2, 3]);
});

for (const text of ['', '{', 'null', '[]', '{"claim":1}', '{"token":"t"}']) {
  test(`invalid stored data is rejected: ${text}`, async () => {
    const tab = new Browser().tab();
    tab.storage.set('drawtogether:S', text);
    assert.equal((await tab.open('S'))[1], null);
  });
}

/** Tabs over one database. */
class Browser {
  time = 0;
  /** @type {Map<string, object>} */
  claims = new Map();
  #ids = 0;

  /** @param {{ fails?: 'open' | 'put' }} [options] */
  constructor(options) {
    this.factory = new FakeDatabase(options);
    this.database = new Database(() => /** @type {any} */ (this.factory));
  }

  tab(storage = new Map()) {
    const own = {};
    return {
      storage,
      /**
       * @param {string} session
       * @returns {Promise<[OutboxStore, import('../../Public/js/sync/groupSession.js').SavedParticipant | null]>}
       */
      open: async (session) => {
        const store = new OutboxStore({
          session,
          storage: {
            getItem: (name) => storage.get(name) ?? null,
            setItem: (name, value) => void storage.set(name, value),
            removeItem: (name) => void storage.delete(name),
          },
          database: this.database,
          acquireLease: async (claim) => {
            if (this.claims.has(claim)) return false;
            this.claims.set(claim, own);
            return true;
          },
          newId: () => `claim-${this.#ids += 1}`,
          wallClock: () => this.time,
        });
        return [store, await store.open()];
      },
      close: () => {
        for (const [claim, owner] of this.claims) if (owner === own) this.claims.delete(claim);
      },
      duplicate: () => this.tab(new Map(storage)),
    };
  }

  /** @returns {Promise<any[]>} */
  async boxes() {
    return (await this.database.read(['outboxes'], ({ outboxes }) => [outboxes.getAll()]))?.[0];
  }

  /** @returns {Promise<number[]>} the stored entries */
  async held() {
    const [held] = await this.database.read(['entries'], ({ entries }) => [entries.getAll()]) ?? [];
    return held.map((/** @type {any} */ { entry }) => entry.payload[0]);
  }
}

/** @param {number} count */
function filled(count) {
  const outbox = new Outbox();
  for (let at = 1; at <= count; at += 1) outbox.add(entryOf(at));
  return outbox;
}

/** @param {Outbox} outbox @returns {number[]} the client sequences that it sends */
function put(outbox) {
  const numbers = [];
  for (let item = outbox.peek(); item; item = outbox.peek()) {
    numbers.push(item.clientSequence);
    outbox.sent();
  }
  return numbers;
}

/** @param {number} at */
function entryOf(at) {
  const payload = Uint8Array.of(at, 200, 255);
  return { type: 'T', payload, reliable: true, retention: Retention.append, key: keyOf(at), existing: true };
}
