import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Database } from '../../Public/js/persist/database.js';
import { UploadLeases } from '../../Public/js/persist/uploadLeases.js';
import { UploadStore } from '../../Public/js/persist/uploadStore.js';
import { FakeDatabase } from './fakeDatabase.js';
import { bytesOf, FakeBrowser, fileOf, hashOf } from './journalSupport.js';
import { keyOf, quiet, until } from './support.js';

const KiB = 1024;
const ID = keyOf(0xaa);
const DAY_MS = 86_400_000;

test('after a reload the upload continues at its offset', async () => {
  const browser = new FakeBrowser();
  const upload = await halfWay(browser);
  assert.equal(upload.blob.size, 600 * KiB);
  const { journal, wait } = browser.open();
  let changes = 0;
  journal.addEventListener('uploadschange', () => (changes += 1));
  const again = await takenUp(journal);
  assert.deepEqual([again.id, again.name, again.size], [ID, 'photo.png', 600 * KiB]);
  const attachment = await wait(again.done);
  assert.equal(attachment.sha256, hashOf(bytesOf(600 * KiB)));
  assert.equal(browser.gateway.taken, 600 * KiB);
  assert.match(browser.gateway.methods, /^POST PATCH HEAD PATCH/);
  assert.deepEqual([browser.store.kept.size, journal.uploads.length], [0, 0]);
  assert.ok(changes >= 3);
});

test('after a reload before the creation it is created with the same id and metadata', async () => {
  const browser = new FakeBrowser();
  const page = browser.open({ joins: false });
  page.journal.upload(fileOf(10), { id: ID, metadata: { location: [1, 2] }, name: 'x.png' });
  await quiet();
  page.vanish();
  const { journal, wait } = browser.open();
  const { done } = await takenUp(journal);
  const attachment = await wait(done);
  assert.deepEqual([attachment.id, attachment.name, attachment.metadata], [ID, 'x.png', { location: [1, 2] }]);
  assert.equal(browser.gateway.methods, 'HEAD POST');
});

test('an upload that became ready before the reload is complete', async () => {
  const browser = new FakeBrowser();
  await halfWay(browser);
  browser.gateway.put(ID);
  const { session, last } = browser.open({ joins: false });
  last().open();
  const journal = browser.journalOf(session);
  browser.gateway.list(ID);
  await until(() => browser.store.kept.size === 0);
  assert.deepEqual(journal.uploads, []);
  assert.equal(journal.current[0].isReady, true);
});

test('an upload removed meanwhile is not created again', async () => {
  const browser = new FakeBrowser();
  await halfWay(browser);
  browser.gateway.stored.clear();
  const { journal, wait } = browser.open();
  const { done } = await takenUp(journal);
  await assert.rejects(wait(done), { code: 'not-found', status: 404 });
  assert.equal(browser.gateway.stored.size, 0);
  await until(() => browser.store.kept.size === 0);
});

test('a paused upload stays paused over a reload', async () => {
  const browser = new FakeBrowser();
  const upload = await halfWay(browser, { vanishes: false });
  upload.pause();
  await quiet();
  browser.locks.clear();
  const { journal, wait } = browser.open();
  const again = await takenUp(journal);
  browser.gateway.list(ID);
  await quiet();
  assert.equal(again.offset, 256 * KiB + 100);
  assert.deepEqual([again.state, browser.gateway.methods], ['paused', 'POST PATCH']);
  again.resume();
  await wait(again.done);
});

test('a cancelled upload that could not be removed is removed silently by the next page', async () => {
  const browser = new FakeBrowser();
  const upload = await halfWay(browser, { vanishes: false });
  browser.gateway.faults = [{ unheard: true }];
  upload.cancel();
  await until(() => browser.gateway.methods === 'POST PATCH DELETE');
  browser.locks.clear();
  const { journal } = browser.open();
  let changes = 0;
  journal.addEventListener('uploadschange', () => (changes += 1));
  await until(() => browser.gateway.stored.size === 0 && browser.store.kept.size === 0);
  assert.equal(changes, 0);
});

test('a duplicate of the tab does not run the upload of the first tab', async () => {
  const browser = new FakeBrowser();
  const upload = await halfWay(browser, { vanishes: false });
  const { journal } = browser.open();
  await quiet();
  assert.deepEqual(journal.uploads, []);
  assert.equal(upload.state, 'uploading');
  assert.equal(browser.store.kept.size, 1);
});

test('of two later tabs, one continues the upload', async () => {
  const browser = new FakeBrowser();
  await halfWay(browser);
  const [first, second] = [browser.open(), browser.open()];
  await quiet();
  assert.equal(first.journal.uploads.length + second.journal.uploads.length, 1);
});

test('several uploads continue in order; a restarted one is not duplicated', async () => {
  const browser = new FakeBrowser();
  const page = browser.open({ joins: false });
  for (const byte of [3, 2, 1]) {
    page.journal.upload(fileOf(10), { id: keyOf(byte) });
    page.clock.pass(1000);
  }
  await quiet();
  page.vanish();
  const { journal } = browser.open({ joins: false });
  const anew = journal.upload(fileOf(10), { id: keyOf(1) });
  await until(() => journal.uploads.length === 3);
  await quiet();
  assert.equal(journal.uploads[0], anew);
  assert.deepEqual(journal.uploads.map(({ id }) => id), [1, 3, 2].map(keyOf));
});

test('an upload of another page can be continued after that page is closed', async () => {
  const browser = new FakeBrowser();
  const [first, second] = [browser.open(), browser.open()];
  const lease = first.leases.own;
  assert.deepEqual(await Promise.all([second.leases.acquire(lease), first.leases.acquire(lease)]), [false, true]);
  first.vanish();
  assert.equal(await second.leases.acquire(lease), true);
});

test('the next journal of a page continues the uploads of a closed one', async () => {
  const browser = new FakeBrowser();
  const { session, journal, leases } = browser.open();
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 100 }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  journal.close();
  assert.deepEqual([upload.state, upload.error?.name], ['cancelled', 'AbortError']);
  await quiet();
  assert.equal(browser.gateway.methods, 'POST PATCH');
  const next = browser.journalOf(session, { leases });
  const attachment = await (await takenUp(next)).done;
  assert.equal(attachment.sha256, hashOf(bytesOf(600 * KiB)));
});

test('uploads of other sessions are untouched, and expired ones are forgotten', async () => {
  const browser = new FakeBrowser();
  await halfWay(browser);
  const other = browser.open({ id: 'BBBBBBBBBBBBBBBBBBBBBB' });
  await quiet();
  assert.deepEqual([other.journal.uploads, browser.store.kept.size], [[], 1]);
  browser.open({ id: 'BBBBBBBBBBBBBBBBBBBBBB', time: 1_000_000_000 + DAY_MS + 1 });
  await quiet();
  assert.equal(browser.store.kept.size, 0);
});

test('without messages between tabs, uploads work, and no upload of another tab is continued', async () => {
  const browser = new FakeBrowser();
  await halfWay(browser, { vanishes: false });
  const { session } = browser.open();
  const leases = new UploadLeases({
    locks: undefined,
    openChannel: () => {
      throw new DOMException('Not here.', 'SecurityError');
    },
    wait: () => Promise.resolve(),
  });
  const journal = browser.journalOf(session, { leases });
  await journal.add(fileOf(10));
  await quiet();
  assert.deepEqual([journal.uploads, browser.store.kept.size], [[], 1]);
});

test('uploads work without storage', async () => {
  const browser = new FakeBrowser();
  const { session } = browser.open();
  const refusing = [
    () => undefined,
    () => {
      throw new DOMException('Not here.', 'SecurityError');
    },
    () => new FakeDatabase({ fails: 'open' }),
    () => new FakeDatabase({ fails: 'put' }),
  ];
  for (const factory of refusing) {
    const store = new UploadStore(new Database(/** @type {any} */ (factory)));
    const journal = browser.journalOf(session, { store });
    const attachment = await journal.add(fileOf(10));
    assert.equal(attachment.isReady, true);
    assert.deepEqual(await store.list(), []);
  }
});

test('uploads do not wait for a hanging write to storage', async () => {
  const browser = new FakeBrowser();
  browser.store.put = () => new Promise(() => {});
  const { journal, clock, wait } = browser.open();
  const upload = journal.upload(fileOf(10));
  clock.pass(4_999);
  await quiet();
  assert.deepEqual(browser.gateway.requests, []);
  clock.pass(1);
  await wait(upload.done);
});

test('the stored record and file are updated and removed', async () => {
  const database = new FakeDatabase();
  const store = new UploadStore(new Database(() => /** @type {any} */ (database)));
  const record = { ...RECORD, id: ID };
  await store.put(record, new Blob(['hello']));
  await store.put({ ...RECORD, id: keyOf(1) }, new Blob(['1']));
  const later = new UploadStore(new Database(() => /** @type {any} */ (database)));
  assert.deepEqual((await later.list()).map(({ id }) => id).toSorted(), [keyOf(1), ID]);
  assert.equal(await (await later.blob(ID))?.text(), 'hello');
  await later.update({ ...record, isPaused: true });
  assert.equal((await store.list()).find(({ id }) => id === ID)?.isPaused, true);
  await store.forget(ID);
  await store.update({ ...record, isPaused: false });
  assert.deepEqual((await later.list()).map(({ id }) => id), [keyOf(1)]);
  assert.equal(await later.blob(ID), null);
});

const RECORD = {
  session: 'S',
  claim: 'c',
  name: 'a',
  contentType: '',
  metadata: null,
  createdAt: 0,
  isCreated: false,
  isPaused: false,
  isCancelled: false,
};

/**
 * A page that has uploaded a part of a file, and then hangs.
 * @param {FakeBrowser} browser @param {{ vanishes?: boolean }} [options]
 */
async function halfWay(browser, { vanishes = true } = {}) {
  const { journal, vanish } = browser.open();
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 100 }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  await quiet();
  if (vanishes) vanish();
  return upload;
}

/** Waits for the first upload of an earlier page that this page continues. @param {any} journal @returns {Promise<any>} */
function takenUp(journal) {
  return new Promise((resolve) =>
    journal.addEventListener('uploadschange', () => resolve(journal.uploads[0]), { once: true })
  );
}
