import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, FakeBrowser, fileOf, hashOf } from './journalSupport.js';
import { catchUp, caughtUp, joined, keyOf, LIMITS, quiet, until } from './support.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const ID = keyOf(0xaa);

test('after ten lost connections the upload continues at its offset, and no byte is sent twice', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  const size = 9 * MiB + 1;
  browser.gateway.faults = [
    { cutAfter: 1 },
    {},
    { cutAfter: 0 },
    { unheard: true },
    { cutAfter: 77_777 },
    { lost: true },
    {},
    { cutAfter: 262_143 },
    {},
    { lost: true },
    {},
    {},
    { cutAfter: 131_072 },
    {},
    { unheard: true },
    {},
    { unheard: true },
    {},
    { cutAfter: 99 },
  ];
  const attachment = await wait(journal.add(fileOf(size), { id: ID }));
  assert.deepEqual(browser.gateway.faults, []);
  assert.equal(attachment.sha256, hashOf(bytesOf(size)));
  assert.equal(browser.gateway.taken, size);
  assert.equal(browser.gateway.requests.filter(({ method }) => method === 'POST').length, 1);
});

test('after a lost response to the creation, it requests the offset and creates no second upload', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{ lost: true }];
  const attachment = await wait(journal.add(fileOf(600 * KiB)));
  assert.match(browser.gateway.methods, /^POST HEAD PATCH/);
  assert.equal(attachment.sha256, hashOf(bytesOf(600 * KiB)));
  assert.equal(browser.gateway.stored.size, 1);
});

test('a lost creation is repeated with the same id', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{ unheard: true }, { unheard: true }];
  const attachment = await wait(journal.add(fileOf(10)));
  assert.equal(browser.gateway.methods, 'POST HEAD HEAD POST');
  assert.deepEqual(browser.gateway.requests.map(({ id }) => id === attachment.id), [true, true, true, true]);
});

test('after a lost response to the last piece, the session’s entry completes the upload', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{}, { lost: true }];
  await wait(journal.add(fileOf(300 * KiB)));
  assert.equal(browser.gateway.methods, 'POST PATCH');
});

test('an upload is complete only when the session confirms it', async () => {
  const browser = new FakeBrowser();
  const { journal, last, clock, reopen, wait } = browser.open();
  last().cut();
  browser.gateway.tell = () => {};
  const upload = journal.upload(fileOf(10), { id: ID });
  await until(() => upload.offset === 10, () => clock.pass(10));
  await quiet();
  assert.equal(upload.state, 'uploading');
  reopen();
  last().tell(joined({ sequence: 200, resumed: true }));
  last().tell(catchUp('tail', 200));
  last().tell(caughtUp(200));
  await quiet();
  assert.equal(browser.gateway.methods, 'POST HEAD');
  assert.equal(upload.state, 'uploading');
  last().entries(browser.gateway.entry(ID));
  assert.equal((await wait(upload.done)).isReady, true);
});

test('an upload that was completed and removed while disconnected', async () => {
  const browser = new FakeBrowser();
  const { journal, last, clock, reopen } = browser.open();
  last().cut();
  browser.gateway.tell = () => {};
  const upload = journal.upload(fileOf(10), { id: ID });
  await until(() => upload.offset === 10, () => clock.pass(10));
  browser.gateway.stored.clear();
  reopen();
  last().tell(joined({ sequence: 200, resumed: true }));
  last().tell(catchUp('snapshot', 200));
  last().tell(caughtUp(200));
  await assert.rejects(upload.done, { code: 'not-found' });
});

/** Temporary failures, and the minimum delay after each. The fake random numbers result in three quarters of the bound. */
const PASSING = [
  { rule: 'no answer', fault: { unheard: true }, ms: 75 },
  { rule: '429', fault: { answer: { status: 429, headers: { 'Retry-After': '7' } } }, ms: 7000 },
  { rule: '503', fault: { answer: { status: 503, headers: { 'Retry-After': '3' } } }, ms: 3000 },
  {
    rule: '503 to the millisecond',
    fault: {
      answer: { status: 503, text: '{"code":"too-many","retryAfterMs":2500}', headers: { 'Retry-After': '3' } },
    },
    ms: 2500,
  },
  { rule: '503 for a year', fault: { answer: { status: 503, headers: { 'Retry-After': '31536000' } } }, ms: 60_000 },
  {
    rule: '503 until a date',
    fault: { answer: { status: 503, headers: { 'Retry-After': 'Sat, 21 Nov 2026 10:00:00 GMT' } } },
    ms: 75,
  },
  { rule: '500', fault: { answer: { status: 500 } }, ms: 75 },
  { rule: '502 of a proxy', fault: { answer: { status: 502, text: '<html>' } }, ms: 75 },
  { rule: '409', fault: { answer: { status: 409, text: '{"code":"offset-mismatch","offset":262144}' } }, ms: 75 },
  { rule: '460', fault: { answer: { status: 460 } }, ms: 75 },
  { rule: '403 token-needed', fault: { answer: { status: 403, text: '{"code":"token-needed"}' } }, ms: 75 },
  { rule: 'an answer without an offset', fault: { answer: { status: 204 } }, ms: 75 },
  { rule: 'an offset that is none', fault: { answer: { status: 204, headers: { 'Upload-Offset': '-1' } } }, ms: 75 },
];

for (const { rule, fault, ms } of PASSING) {
  test(`${rule} is temporary: the upload requests the offset after ${ms} ms and continues`, async () => {
    const browser = new FakeBrowser();
    const { journal, clock, wait } = browser.open();
    browser.gateway.faults = [{}, fault];
    const upload = journal.upload(fileOf(300 * KiB));
    await until(() => upload.isInterrupted);
    assert.equal(upload.state, 'uploading');
    clock.pass(ms - 1);
    await quiet();
    assert.equal(browser.gateway.methods, 'POST PATCH');
    clock.pass(1);
    await wait(upload.done);
    assert.equal(browser.gateway.methods, 'POST PATCH HEAD PATCH');
    assert.equal(upload.isInterrupted, false);
  });
}

test('retries wait longer each time, and shortly again after progress', async () => {
  const browser = new FakeBrowser();
  const { journal, clock } = browser.open();
  const unheard = Array.from({ length: 7 }, () => /** @type {{ unheard: true }} */ ({ unheard: true }));
  browser.gateway.faults = [{}, ...unheard, {}, { cutAfter: 5 }, {}, { unheard: true }];
  const upload = journal.upload(fileOf(300 * KiB));
  /** @type {number[]} */
  const waits = [];
  for (let from = 0; !upload.isOver; clock.pass(50)) {
    const before = browser.gateway.requests.length;
    await quiet();
    if (browser.gateway.requests.length === before) continue;
    if (clock.time > from) waits.push(clock.time - from);
    from = clock.time;
  }
  assert.deepEqual(waits, [100, 150, 300, 600, 1200, 2400, 4800, 7500, 100]);
});

test('after a lost connection the next piece is half as large', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{}, {}, { cutAfter: 0 }];
  await wait(journal.add(fileOf(4 * MiB)));
  const [, before, after] = browser.gateway.requests.filter(({ method }) => method === 'PATCH');
  assert.equal(after.length, before.length / 2);
});

const BACK = /** @type {[string, (page: any) => void][]} */ ([
  ['the network is back', ({ network }) => network.dispatchEvent(new Event('online'))],
  ['the session is caught up', ({ last }) => {
    last().tell(catchUp('tail', 200));
    last().tell(caughtUp(200));
  }],
]);

for (const [what, wake] of BACK) {
  test(`it retries at once when ${what}`, async () => {
    const browser = new FakeBrowser();
    const page = browser.open();
    browser.gateway.faults = [{}, { answer: { status: 503, headers: { 'Retry-After': '50' } } }];
    const upload = page.journal.upload(fileOf(300 * KiB));
    await until(() => upload.isInterrupted);
    wake(page);
    await upload.done;
    assert.equal(page.clock.time, 0);
  });
}

for (const [what, wake] of BACK) {
  test(`a request that hung before ${what} has 5 s to make progress`, async () => {
    const browser = new FakeBrowser();
    const page = browser.open();
    browser.gateway.faults = [{}, { hangs: true, cutAfter: 1000 }, { hangs: true }];
    const upload = page.journal.upload(fileOf(300 * KiB), { id: ID });
    await until(() => browser.gateway.requests.length === 2);
    page.clock.pass(1000);
    wake(page);
    page.clock.pass(4999);
    browser.gateway.goesOut(2000);
    page.clock.pass(29_999);
    await quiet();
    assert.equal(upload.isInterrupted, false);
    wake(page);
    page.clock.pass(4999);
    await quiet();
    wake(page);
    assert.equal(upload.isInterrupted, false);
    page.clock.pass(1);
    await until(() => upload.isInterrupted);
    await page.wait(upload.done);
    assert.equal(browser.gateway.methods, 'POST PATCH HEAD HEAD PATCH');
    assert.equal(browser.gateway.taken, 300 * KiB);
  });
}

/** Single events that count as progress. */
const SIGNS = [
  { rule: 'a report of the gateway', show: (/** @type {any} */ gateway) => gateway.progress(ID, 262_144 + 900) },
  { rule: 'a sent byte', show: (/** @type {any} */ gateway) => gateway.goesOut(2000) },
];

for (const { rule, show } of SIGNS) {
  test(`a request without progress for 30 s is aborted; ${rule} counts as progress`, async () => {
    const browser = new FakeBrowser();
    const { journal, clock, wait } = browser.open();
    browser.gateway.faults = [{}, { hangs: true, cutAfter: 1000 }, { hangs: true }];
    const upload = journal.upload(fileOf(300 * KiB), { id: ID });
    await until(() => browser.gateway.requests.length === 2);
    clock.pass(29_999);
    show(browser.gateway);
    clock.pass(29_999);
    await quiet();
    assert.equal(upload.isInterrupted, false);
    clock.pass(1);
    await until(() => upload.isInterrupted);
    await wait(upload.done);
    assert.equal(browser.gateway.methods, 'POST PATCH HEAD HEAD PATCH');
    assert.equal(browser.gateway.taken, 300 * KiB);
  });
}

test('the session’s entry completes an upload whose request hangs', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 9 }];
  const upload = journal.upload(fileOf(300 * KiB), { id: ID });
  await until(() => browser.gateway.requests.length === 2);
  browser.gateway.put(ID, { size: 300 * KiB });
  assert.deepEqual([upload.state, upload.offset], ['ready', 300 * KiB]);
});

test('a proxy that refuses large pieces gets small ones', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open();
  browser.gateway.faults = [{}, {}, { answer: { status: 413, text: '<html>nginx</html>' } }];
  await wait(journal.add(fileOf(2 * MiB)));
  const patches = browser.gateway.requests.filter(({ method }) => method === 'PATCH');
  assert.ok(patches[1].length > MiB / 2, `${patches[1].length}`);
  assert.ok(patches.slice(2).every(({ length }) => length <= 256 * KiB));
  assert.equal(browser.gateway.taken, 2 * MiB);
});

test('the shown progress returns to the received bytes', async () => {
  const browser = new FakeBrowser();
  const { journal } = browser.open();
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 40_000 }];
  const upload = journal.upload(fileOf(300 * KiB), { id: ID });
  await until(() => upload.offset === 256 * KiB + 40_000);
  upload.pause();
  const stored = browser.gateway.stored.get(ID);
  if (stored) stored.bytes = stored.bytes.subarray(0, 262_200);
  browser.gateway.faults = [{}, { hangs: true, cutAfter: 0 }];
  upload.resume();
  await until(() => browser.gateway.requests.length === 4);
  assert.equal(upload.offset, 262_200);
});

test('an offset beyond the file fails the upload', async () => {
  const browser = new FakeBrowser();
  const { journal, wait } = browser.open({ limits: LIMITS });
  browser.gateway.faults = [{ answer: { status: 201, headers: { 'Upload-Offset': '11' } } }];
  await assert.rejects(wait(journal.add(fileOf(10))), { code: 'internal' });
});
