import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttachmentLimit } from '../../Public/js/app/attachmentLimit.js';
import { DEFAULT_LIMITS } from '../../Public/js/sync/control.js';
import { MessageTooLargeError } from '../../Public/js/sync/errors.js';
import { FakeBrowser, fileOf } from './journalSupport.js';
import { fakeSession, reliable, until, welcome } from './support.js';
import { vectors } from './vectors.js';

const { defaults, assumedByPage, format } = vectors('limits');

test('§5 the page uses the default limits until the gateway sends its own', () => {
  for (const [name, limit] of Object.entries(DEFAULT_LIMITS)) assert.equal(limit, defaults[name], name);
  const others = assumedByPage.filter((/** @type {string} */ name) => !(name in DEFAULT_LIMITS));
  assert.deepEqual(others, ['attachmentBytes', 'metadataBytes']);
});

test('§5 `messageBytes`: a payload of this size is sent, a longer one is refused', () => {
  const { session, last } = fakeSession();
  session.join();
  const payload = (/** @type {number} */ length) => reliable('T', { payload: new Uint8Array(length) });
  assert.throws(() => session.send(payload(defaults.messageBytes + 1)), MessageTooLargeError);
  session.send(payload(defaults.messageBytes));
  welcome(last(), { limits: { ...defaults, messageBytes: 10 } });
  assert.equal(last().said.length, 1);
  assert.throws(() => session.send(payload(11)), { limit: 10, actual: 11 });
});

test('§5 without an answer from the gateway, the default limit applies to files', async (context) => {
  context.mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError('unreachable')));
  const { session, last } = fakeSession();
  /** @type {{ session: typeof session | null }} */
  const sharing = { session: null };
  const limit = new AttachmentLimit(sharing, new URL('https://draw.example/'));
  assert.equal(await limit.load(), defaults.attachmentBytes);
  sharing.session = session;
  session.join();
  welcome(last(), { limits: { attachmentBytes: 10 } });
  assert.equal(await limit.load(), 10);
});

test('§3 a binary message has at most 1 MiB', () => {
  const { session, last } = fakeSession();
  session.join();
  for (let count = 0; count < 9; count += 1) {
    session.send(reliable('T', { payload: new Uint8Array(defaults.messageBytes) }));
  }
  welcome(last());
  const lengths = last().sent.flatMap((data) => typeof data === 'string' ? [] : [data.length]);
  assert.ok(lengths.length > 1);
  assert.ok(lengths.every((length) => length <= format.binaryMessageBytes), `${lengths}`);
});

test('entries share a message of 64 KiB, and a longer one goes alone', () => {
  const { session, last } = fakeSession();
  session.join();
  for (const length of [30_000, 30_000, 30_000, 200_000, 1000]) {
    session.send(reliable('T', { payload: new Uint8Array(length) }));
  }
  welcome(last());
  const lengths = last().sent.flatMap((data) => typeof data === 'string' ? [] : [Math.floor(data.length / 1000)]);
  assert.deepEqual(lengths, [60, 30, 200, 1]);
});

test('§5 `metadataBytes`: longer metadata is refused before anything is sent', async () => {
  const { journal } = new FakeBrowser().open({ limits: {} });
  const metadata = 'x'.repeat(defaults.metadataBytes - 1);
  await assert.rejects(journal.add(fileOf(1), { metadata }), {
    code: 'bad-request',
    limit: defaults.metadataBytes,
    actual: defaults.metadataBytes + 1,
  });
});

test('§5 `metadataBytes`: further members above the limit are left out', async () => {
  const browser = new FakeBrowser();
  const { gateway } = browser;
  const { journal } = browser.open({ limits: {} });
  const metadata = { z: 1 };
  const text = (/** @type {number} */ length) => ({ text: 'x'.repeat(length) });
  const room = defaults.metadataBytes - JSON.stringify({ ...metadata, ...text(0) }).length;
  const all = [room, room + 1].map((length) =>
    journal.upload(fileOf(1), { metadata, moreMetadata: Promise.resolve(text(length)) })
  );
  all.push(journal.upload(fileOf(1), { metadata, moreMetadata: Promise.reject(new Error('None.')) }));
  await until(() => gateway.stored.size === 3);
  const stored = all.map(({ id }) => gateway.stored.get(id)?.metadata);
  assert.deepEqual(stored, [{ ...metadata, ...text(room) }, metadata, metadata]);
});
