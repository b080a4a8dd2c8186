import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PieceSize } from '../../Public/js/sync/uploads/pieceSize.js';
import { bytesOf, FakeBrowser, fileOf, hashOf } from './journalSupport.js';
import { keyOf, quiet, until, welcome } from './support.js';

const MiB = 1024 * 1024;
const KiB = 1024;
const ID = keyOf(0xaa);

test('a file is uploaded in pieces, and complete when the session has it', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  const size = 3 * MiB + 17;
  /** @type {number[]} */
  const offsets = [];
  const attachment = await wait(journal.add(fileOf(size), {
    id: ID,
    metadata: { location: [3, 4] },
    onProgress: ({ offset }) => offsets.push(offset),
  }));
  const { requests, stored } = browser.gateway;
  assert.deepEqual(requests[0], {
    method: 'POST',
    id: ID,
    length: 256 * KiB,
    headers: {
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Attachment-Id': ID,
      'Participant-Token': 'token-1',
      'Upload-Length': '3145745',
      'Upload-Metadata': 'filename cGhvdG8ucG5n,filetype aW1hZ2UvcG5n,metadata eyJsb2NhdGlvbiI6WzMsNF19',
    },
  });
  assert.ok(requests.length > 2 && requests.slice(1).every(({ method }) => method === 'PATCH'));
  assert.equal(attachment.isReady, true);
  assert.equal(attachment.sha256, hashOf(bytesOf(size)));
  assert.deepEqual(attachment.metadata, { location: [3, 4] });
  assert.deepEqual(await attachment.loadMetadata(), { location: [3, 4] });
  assert.equal(stored.get(ID)?.name, 'photo.png');
  assert.equal(browser.gateway.taken, size);
  assert.deepEqual(offsets, offsets.toSorted((a, b) => a - b));
  assert.equal(offsets.at(-1), size);
  assert.ok(offsets.length > requests.length);
  assert.equal(browser.store.kept.size, 0);
  assert.deepEqual(journal.uploads, []);
});

for (const size of [0, 1, 256 * KiB]) {
  test(`a file of ${size} bytes is sent in one request`, async () => {
    const browser = new FakeBrowser();
    const { journal, wait } = browser.open();
    const attachment = await wait(journal.add(new Blob([bytesOf(size)]), { name: 'Ä 1.bin' }));
    assert.equal(browser.gateway.methods, 'POST');
    assert.equal(attachment.sha256, hashOf(bytesOf(size)));
    assert.equal(attachment.name, 'Ä 1.bin');
    assert.equal(browser.gateway.requests[0].headers['Upload-Metadata'], 'filename w4QgMS5iaW4=');
  });
}

test('two uploads run at a time, and others wait in order; a paused one lets the next one start', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{ hangs: true, cutAfter: 5 }, { hangs: true, cutAfter: 5 }, { hangs: true, cutAfter: 5 }];
  const uploads = [1, 2, 3, 4].map((byte) => journal.upload(fileOf(10), { id: keyOf(byte) }));
  const states = () => uploads.map(({ state }) => state).join(' ');
  await quiet();
  assert.equal(states(), 'uploading uploading waiting waiting');
  assert.deepEqual(journal.uploads, uploads);
  uploads[0].pause();
  await quiet();
  assert.equal(states(), 'paused uploading uploading waiting');
  uploads[0].resume();
  assert.equal(states(), 'waiting uploading uploading waiting');
  await Promise.all(uploads.map(({ done }) => wait(done)));
  const first = new Set(browser.gateway.requests.map(({ id }) => id));
  assert.deepEqual([...first], [1, 2, 3, 4].map(keyOf));
});

test('nothing is sent before the join', async () => {
  const browser = new FakeBrowser();
  const { journal, last, wait } = browser.open({ joins: false });
  const upload = journal.upload(fileOf(10));
  await quiet();
  assert.deepEqual([upload.state, browser.gateway.requests], ['waiting', []]);
  welcome(last());
  await wait(upload.done);
  assert.equal(browser.gateway.requests[0].headers['Participant-Token'], 'token-1');
});

test('a paused upload continues at its offset', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 100 }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  upload.pause();
  await quiet();
  assert.deepEqual([upload.state, browser.gateway.stored.get(ID)?.bytes.length], ['paused', 256 * KiB + 100]);
  assert.equal(browser.gateway.methods, 'POST PATCH');
  upload.resume();
  const attachment = await wait(upload.done);
  assert.equal(attachment.sha256, hashOf(bytesOf(600 * KiB)));
  assert.match(browser.gateway.methods, /^POST PATCH HEAD PATCH/);
  assert.equal(browser.gateway.taken, 600 * KiB);
});

test('a finished upload does not change', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  const upload = journal.upload(fileOf(10));
  upload.pause();
  upload.pause();
  assert.equal(upload.state, 'paused');
  upload.resume();
  await wait(upload.done);
  upload.pause();
  upload.resume();
  upload.cancel();
  assert.deepEqual([upload.state, upload.error], ['ready', null]);
});

test('an upload that is cancelled is removed from the gateway', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 100 }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  upload.cancel();
  assert.equal(upload.state, 'cancelled');
  assert.deepEqual(journal.uploads, []);
  await assert.rejects(upload.done, { name: 'AbortError' });
  await until(() => browser.store.kept.size === 0);
  assert.equal(browser.gateway.methods, 'POST PATCH DELETE');
  assert.deepEqual(journal.current, []);
});

test('an aborted upload is rejected with the signal’s reason', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  const controller = new AbortController();
  browser.gateway.faults = [{}, { hangs: true }];
  const filePlacer = journal.add(fileOf(600 * KiB), { signal: controller.signal });
  await until(() => browser.gateway.requests.length === 2);
  controller.abort();
  await assert.rejects(filePlacer, (error) => error === controller.signal.reason && error.name === 'AbortError');
  await until(() => browser.gateway.stored.size === 0);
  await assert.rejects(journal.add(fileOf(1), { signal: controller.signal }), { name: 'AbortError' });
});

test('an upload cancelled while it waits sends nothing', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open({ joins: false });
  const upload = journal.upload(fileOf(10));
  upload.cancel();
  await quiet();
  assert.deepEqual([browser.gateway.requests, browser.store.kept.size], [[], 0]);
});

test('an upload cancelled while its first piece is read sends nothing', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  const file = fileOf(10);
  let isRead = () => {};
  file.slice = () => /** @type {any} */ ({
    arrayBuffer: () => new Promise((resolve) => (isRead = () => resolve(new ArrayBuffer(10)))),
  });
  const upload = journal.upload(file);
  await quiet();
  assert.equal(upload.state, 'uploading');
  upload.cancel();
  isRead();
  await quiet();
  assert.deepEqual([browser.gateway.requests, browser.store.kept.size], [[], 0]);
});

test('an upload cancelled during its creation is removed afterwards', async () => {
  const browser = new FakeBrowser();
  const { journal, clock } = browser.open();
  browser.gateway.faults = [{ hangs: true, cutAfter: 5 }];
  const upload = journal.upload(fileOf(10), { id: ID });
  await until(() => browser.gateway.requests.length === 1);
  upload.cancel();
  await quiet();
  assert.equal(browser.gateway.methods, 'POST');
  clock.pass(30_000);
  await until(() => browser.store.kept.size === 0);
  assert.equal(browser.gateway.methods, 'POST DELETE');
  assert.equal(browser.gateway.stored.size, 0);
});

test('an upload cancelled offline is removed on reconnect', async () => {
  const browser = new FakeBrowser();
  const { journal, clock } = browser.open();
  browser.gateway.faults = [{}, { hangs: true }, { unheard: true }, { answer: { status: 503 } }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  upload.cancel();
  await until(() => browser.store.kept.size === 0, () => clock.pass(100));
  assert.equal(browser.gateway.methods, 'POST PATCH DELETE DELETE DELETE');
});

test('a refused removal is not repeated', async () => {
  const browser = new FakeBrowser();
  const { journal, clock } = browser.open();
  browser.gateway.faults = [{}, { hangs: true }, { answer: { status: 403, text: '{"code":"origin-refused"}' } }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  upload.cancel();
  await until(() => browser.store.kept.size === 0);
  clock.pass(60_000);
  await quiet();
  assert.equal(browser.gateway.methods, 'POST PATCH DELETE');
});

test('an upload removed by others is cancelled, and not created again', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  browser.gateway.faults = [{}, { hangs: true }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  browser.gateway.remove(ID);
  assert.equal(upload.state, 'cancelled');
  await assert.rejects(upload.done, { code: 'not-found', status: 404 });
  await until(() => browser.store.kept.size === 0);
  assert.equal(browser.gateway.methods, 'POST PATCH');
});

test('an upload that is removed while disconnected is not created again', async () => {
  const browser = new FakeBrowser();
  const { journal, last, reopen, wait } = browser.open();
  browser.gateway.faults = [{}, { cutAfter: 9 }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => upload.isInterrupted);
  last().cut();
  browser.gateway.stored.delete(ID);
  await until(() => browser.gateway.requests.length > 2 || (reopen(), false));
  await quiet();
  assert.equal(upload.state, 'uploading');
  welcome(last());
  await assert.rejects(wait(upload.done), { code: 'not-found' });
  assert.equal(upload.state, 'cancelled');
  assert.match(browser.gateway.methods, /^POST PATCH( HEAD)+$/);
});

test('a late piece of a removed upload cancels it', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{}, { answer: { status: 410, text: '{"code":"not-found"}' } }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await assert.rejects(wait(upload.done), { code: 'not-found', status: 404 });
  assert.deepEqual([upload.state, browser.gateway.methods], ['cancelled', 'POST PATCH']);
});

test('removing the attachment of an own upload cancels it', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  browser.gateway.faults = [{}, { hangs: true }];
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  await until(() => journal.current.length === 1 && browser.gateway.requests.length === 2);
  await journal.remove(journal.current[0]);
  assert.deepEqual([upload.state, upload.error?.name], ['cancelled', 'AbortError']);
});

test('an id is uploaded once, and one that the session has is complete at once', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  const upload = journal.upload(fileOf(600 * KiB), { id: ID });
  assert.equal(journal.upload(fileOf(600 * KiB), { id: ID }), upload);
  const attachment = await wait(upload.done);
  assert.equal(await journal.add(fileOf(600 * KiB), { id: ID }), attachment);
  assert.equal(browser.gateway.requests.filter(({ method }) => method === 'POST').length, 1);
  await assert.rejects(journal.add(fileOf(1), { id: 'a' }), TypeError);
});

for (
  const { code, reason, state, error, kept, methods } of [
    { code: 4010, reason: '{"code":"ended"}', state: 'failed', error: 'ended', kept: 0, methods: 'POST PATCH' },
    { code: 4004, reason: '', state: 'failed', error: 'unknown', kept: 0, methods: 'POST PATCH' },
    { code: 1000, reason: '', state: 'cancelled', error: 'left', kept: 0, methods: 'POST PATCH DELETE' },
    { code: 4026, reason: '', state: 'failed', error: 'version', kept: 1, methods: 'POST PATCH' },
  ]
) {
  test(`after close code ${code}, the upload is ${state}${kept ? ' for this page' : ''}`, async () => {
    const browser = new FakeBrowser();
    const { journal, last } = browser.open();
    browser.gateway.faults = [{}, { hangs: true }];
    const upload = journal.upload(fileOf(600 * KiB));
    await until(() => browser.gateway.requests.length === 2);
    last().cut(code, reason);
    await assert.rejects(upload.done, { code: error });
    assert.equal(upload.state, state);
    await quiet();
    assert.deepEqual([browser.gateway.methods, browser.store.kept.size], [methods, kept]);
    assert.throws(() => journal.upload(fileOf(1)), { name: 'NotJoinedError' });
  });
}

/** The duration of a piece, and the size of the next one. */
const PIECES = [
  { rule: 'at first little', steps: [], bytes: 256 * KiB },
  { rule: 'two seconds’ worth', steps: [[256 * KiB, 1000]], bytes: 512 * KiB },
  { rule: 'grows fourfold at most', steps: [[256 * KiB, 1]], bytes: MiB },
  { rule: 'never above 8 MiB', steps: [[MiB, 1], [MiB, 1], [MiB, 1], [MiB, 1]], bytes: 8 * MiB },
  { rule: 'never below 256 KiB', steps: [[256 * KiB, 60_000]], bytes: 256 * KiB },
  { rule: 'takes no time at all', steps: [[256 * KiB, 0]], bytes: MiB },
];

for (const { rule, steps, bytes } of PIECES) {
  test(`a piece: ${rule}`, () => {
    const piece = new PieceSize();
    for (const [size, ms] of steps) piece.arrived(size, ms);
    assert.equal(piece.bytes, bytes);
  });
}

test('an interrupted piece is followed by a smaller one', () => {
  const piece = new PieceSize();
  piece.arrived(MiB, 1);
  piece.cut();
  assert.equal(piece.bytes, 512 * KiB);
  piece.keepSmall();
  piece.arrived(256 * KiB, 1);
  assert.deepEqual([piece.bytes, piece.isSmallest], [256 * KiB, true]);
});
