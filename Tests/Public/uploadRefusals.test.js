import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteCount } from '../../Public/js/i18n/format.js';
import { errorText, strings } from '../../Public/js/i18n/i18n.js';
import { AttachmentError } from '../../Public/js/sync/errors.js';
import { brokenFile, FakeBrowser, fileOf } from './journalSupport.js';
import { keyOf, until } from './support.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const ID = keyOf(0xaa);

/** Permanent refusals, and their texts. */
const REFUSALS = [
  {
    status: 413,
    problem: { code: 'attachment-too-large', detail: 'x', limit: 100 * MiB, actual: 131 * MiB },
    says: 'This file is 131 MB. The limit here is 100 MB.',
  },
  { status: 413, problem: { code: 'session-quota', detail: 'The session is full.', limit: 5, actual: 7 } },
  {
    status: 507,
    problem: { code: 'storage-full', detail: '12 MB are left, of which 64 MB stay free.', limit: 5, actual: 3 },
    says: 'The server has no space at the moment. Try again later.',
  },
  { status: 422, problem: { code: 'digest-mismatch', detail: 'The digest differs.' } },
  { status: 400, problem: { code: 'bad-request', detail: 'Not so.' } },
  { status: 403, problem: { code: 'origin-refused', detail: 'Not from there.' } },
  { status: 404, problem: { code: 'not-found', detail: 'There is no such session.' } },
  { status: 413, problem: {}, code: 'attachment-too-large', says: 'This file is too large.' },
  { status: 405, problem: {}, code: 'internal', says: 'An error occurred on the server.' },
];

for (const { status, problem, says = problem.detail, code = problem.code } of REFUSALS) {
  test(`${status} ${code} fails the upload at its creation`, async () => {
    const browser = new FakeBrowser();
    const { journal, wait } = browser.open();
    browser.gateway.faults = [{ answer: { status, text: JSON.stringify(problem) } }];
    const upload = journal.upload(fileOf(600 * KiB));
    const { limit, actual } = problem;
    await assert.rejects(wait(upload.done), { name: 'AttachmentError', code, status, limit, actual });
    assert.deepEqual([upload.state, errorText(upload.error)], ['failed', says]);
    await until(() => browser.store.kept.size === 0);
  });
}

test('an upload that fails midway is removed for others', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{}, { answer: { status: 507, text: '{"code":"storage-full","detail":"No space."}' } }];
  await assert.rejects(wait(journal.add(fileOf(600 * KiB))), { code: 'storage-full' });
  await until(() => browser.store.kept.size === 0);
  assert.equal(browser.gateway.methods, 'POST PATCH DELETE');
  assert.deepEqual(journal.current, []);
});

test('a file known to be too large is not sent', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open({ limits: { attachmentBytes: 100, metadataBytes: 20 } });
  await assert.rejects(journal.add(fileOf(101)), { code: 'attachment-too-large', limit: 100, actual: 101 });
  await assert.rejects(journal.add(fileOf(1), { metadata: 'x'.repeat(19) }), {
    code: 'bad-request',
    limit: 20,
    actual: 21,
  });
  assert.deepEqual([browser.gateway.requests, browser.store.kept.size, journal.uploads], [[], 0, []]);
});

test('every file name and type fits into the head of a request', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  await wait(journal.add(new Blob(['x']), { name: '😀'.repeat(5000), contentType: 'a/'.repeat(5000), id: ID }));
  assert.equal(browser.gateway.stored.get(ID)?.name, '😀'.repeat(255));
  await wait(journal.add(new Blob(['x']), { name: '', id: keyOf(2) }));
  assert.equal(browser.gateway.stored.get(keyOf(2))?.name, 'attachment');
});

for (const readable of [0, 300 * KiB]) {
  test(`a file that is unreadable after ${readable} bytes fails with a message`, async () => {
    const browser = new FakeBrowser();
    const { journal, wait } = browser.open();
    const upload = journal.upload(brokenFile(600 * KiB, readable));
    await assert.rejects(wait(upload.done), { code: 'unreadable' });
    assert.deepEqual([upload.state, errorText(upload.error)], [
      'failed',
      '“photo.png” was changed or can no longer be read.',
    ]);
    await until(() => browser.gateway.stored.size === 0 && browser.store.kept.size === 0);
  });
}

for (
  const [bytes, text] of /** @type {[number, string][]} */ ([
    [0, '0 bytes'],
    [1023, '1,023 bytes'],
    [1024, '1 KB'],
    [
      1536,
      '1.5 KB',
    ],
    [10_239, '10 KB'],
    [1_048_575, '1 MB'],
    [104_857_600, '100 MB'],
    [137_363_456, '131 MB'],
    [2 ** 31, '2 GB'],
    [
      2 ** 60,
      '1,048,576 TB',
    ],
  ])
) {
  test(`${bytes} bytes are ${text}`, () => assert.equal(byteCount(bytes, strings), text));
}

for (
  const [actual, limit, text] of /** @type {const} */ ([
    [104_857_601, 104_857_600, 'This file is 100.000001 MB. The limit here is 100 MB.'],
    [105_277_600, 104_857_600, 'This file is 100.4 MB. The limit here is 100 MB.'],
    [105_696_461, 105_486_746, 'This file is 100.8 MB. The limit here is 100.6 MB.'],
    [2049, 2048, 'This file is 2.001 KB. The limit here is 2 KB.'],
    [101, 100, 'This file is 101 bytes. The limit here is 100 bytes.'],
  ])
) {
  test(`${actual} bytes where ${limit} are allowed`, () => {
    assert.equal(errorText(new AttachmentError('attachment-too-large', '', { actual, limit })), text);
  });
}
