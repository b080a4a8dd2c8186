import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GroupSessionMessenger } from '../../Public/js/sync/groupSessionMessenger.js';
import { FakeBrowser } from './journalSupport.js';
import { ADA, catchUp, caughtUp, gatewayEntry, joined, keyOf, quiet, until } from './support.js';

const ID = keyOf(0xaa);
const OTHER = keyOf(0xbb);

test('§4 an attachment has the gateway’s properties', () => {
  const { gateway, journal } = openJournal();
  gateway.put(ID, { name: 'cat.png', metadata: { width: 3 } });
  const [attachment] = journal.current;
  const { id, name, contentType, size, sha256, metadata, participant, state, offset, createdAt, url } = attachment;
  assert.deepEqual({ id, name, contentType, size, sha256, metadata, participant, state, offset, createdAt, url }, {
    id: ID,
    name: 'cat.png',
    contentType: 'image/png',
    size: 5,
    sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    metadata: { width: 3 },
    participant: 1,
    state: 'ready',
    offset: 5,
    createdAt: '2026-01-01T00:00:00Z',
    url: `https://draw.example/api/sessions/AAAAAAAAAAAAAAAAAAAAAA/attachments/${ID}`,
  });
  assert.deepEqual([attachment.isReady, attachment.isStalled], [true, false]);
});

/** Payloads of system entries of the type `attachment`, and the properties that are accepted. */
const PAYLOADS = [
  { rule: 'no JSON', payload: new TextEncoder().encode('{'), lists: false },
  { rule: 'a list', payload: [], lists: false },
  { rule: 'no id', payload: {}, lists: false },
  { rule: 'another id than its key', payload: { id: OTHER }, lists: false },
  { rule: 'nothing but the id', payload: { id: ID }, lists: true },
  { rule: 'members of other kinds', payload: { id: ID, name: 7, size: '5', offset: -1, state: 'odd' }, lists: true },
];

for (const { rule, payload, lists } of PAYLOADS) {
  test(`${rule}: ${lists ? 'listed with defaults' : 'ignored'}`, () => {
    const { last, journal } = openJournal();
    last().entries(gatewayEntry({ flags: 0x85, sequence: 9, key: ID, type: 'attachment', payload }));
    const list = journal.current.map(({ name, contentType, size, state, offset }) =>
      [name, contentType, size, state, offset].join()
    );
    assert.deepEqual(list, lists ? ['attachment,application/octet-stream,,uploading,0'] : []);
  });
}

test('§3.3 clients’ entries under its key do not change an attachment', () => {
  const { gateway, last, journal } = openJournal();
  gateway.put(ID);
  const payload = { id: OTHER, name: 'forged', state: 'ready' };
  last().entries(
    gatewayEntry({ flags: 5, sequence: 201, sender: 2, clientSequence: 1, key: OTHER, type: 'attachment', payload }),
    gatewayEntry({ flags: 7, sequence: 202, sender: 2, clientSequence: 2, key: ID, type: 'attachment' }),
    gatewayEntry({ flags: 7, sequence: 203, sender: 0, key: ID, type: 'attachment' }),
  );
  assert.deepEqual(journal.current.map(({ id }) => id), [ID]);
});

test('§3.3 a removed attachment is removed from both key spaces', async () => {
  const { gateway, last, session, journal } = openJournal();
  const messenger = new GroupSessionMessenger(session);
  const placements = messenger.messages('ImagePlacementMessage');
  const removals = messenger.messages('attachment');
  gateway.put(ID);
  last().entries(
    gatewayEntry({ flags: 5, sequence: 150, sender: 2, key: ID, type: 'ImagePlacementMessage', payload: { x: 1 } }),
  );
  assert.equal(session.retained.keys.length, 2);
  gateway.remove(ID);
  assert.deepEqual([journal.current, session.retained.keys], [[], []]);
  assert.deepEqual((await placements.next()).value.message, { x: 1 });
  const { message, context } = (await removals.next()).value;
  assert.deepEqual([message, context.source, context.key], [null, null, ID]);
});

test('§4 attachments are listed oldest first, in the same order for everyone', () => {
  const { gateway, journal } = openJournal();
  gateway.put(keyOf(1), { createdAt: '2026-01-03T00:00:00Z' });
  gateway.put(keyOf(3), { createdAt: '2026-01-02T00:00:00Z' });
  gateway.put(keyOf(2), { createdAt: '2026-01-02T00:00:00Z' });
  assert.deepEqual(journal.current.map(({ id }) => id), [keyOf(2), keyOf(3), keyOf(1)]);
});

test('an iterator yields the whole array each time, the present one first', async () => {
  const { gateway, journal } = openJournal();
  gateway.put(ID);
  const iterator = journal.attachments;
  assert.deepEqual(await ids(iterator), [ID]);
  const next = ids(iterator);
  gateway.put(OTHER);
  assert.deepEqual(await next, [ID, OTHER]);
  gateway.remove(ID);
  assert.deepEqual(await ids(iterator), [OTHER]);
});

test('a slow reader gets only the newest array, and delays no other', async () => {
  const { gateway, journal } = openJournal();
  const [slow, quick] = [journal.attachments, journal.attachments];
  assert.deepEqual(await ids(quick), []);
  for (const byte of [1, 2, 3]) {
    gateway.put(keyOf(byte));
    assert.equal((await ids(quick)).length, byte);
  }
  assert.deepEqual(await ids(slow), [keyOf(1), keyOf(2), keyOf(3)]);
  await quick.return();
  gateway.remove(keyOf(1));
  assert.deepEqual(await ids(slow), [keyOf(2), keyOf(3)]);
  assert.equal((await quick.next()).done, true);
});

test('iterators end with the session, after the pending arrays', async () => {
  const { gateway, last, journal } = openJournal();
  const iterator = journal.attachments;
  gateway.put(ID);
  last().cut(4010, '{"code":"ended"}');
  assert.deepEqual(await ids(iterator), [ID]);
  assert.equal((await iterator.next()).done, true);
  const late = journal.attachments;
  assert.deepEqual(await ids(late), [ID]);
  assert.equal((await late.next()).done, true);
});

test('a yielded array does not change; its attachments are updated', () => {
  const { gateway, journal } = openJournal();
  gateway.put(ID, { state: 'uploading', size: 100 });
  const before = journal.current;
  const [attachment] = before;
  gateway.put(ID);
  gateway.put(OTHER);
  assert.deepEqual([before.length, journal.current.length], [1, 2]);
  assert.deepEqual([journal.current[0] === attachment, attachment.state], [true, 'ready']);
});

test('§2.1 a complete snapshot replaces all attachments', () => {
  const { gateway, last, journal, reopen } = openJournal();
  gateway.put(ID);
  gateway.put(keyOf(0xcc));
  let changes = 0;
  journal.addEventListener('change', () => (changes += 1));
  last().cut();
  reopen();
  for (const isCut of [true, false]) {
    last().tell(joined({ epoch: 'e2', sequence: 300 }));
    last().tell({ catchUp: { kind: 'snapshot', epoch: 'e2', sequence: 300 } });
    last().entries(gateway.entry(keyOf(0xcc)));
    if (isCut) {
      last().cut();
      reopen();
    }
  }
  gateway.stored.clear();
  gateway.put(OTHER);
  gateway.put(keyOf(0xdd));
  last().entries(gatewayEntry({ flags: 0x87, sequence: 250, key: keyOf(0xdd), type: 'attachment' }));
  assert.deepEqual([journal.current.map(({ id }) => id), changes], [[ID, keyOf(0xcc)], 0]);
  last().tell(caughtUp(300));
  assert.deepEqual([journal.current.map(({ id }) => id), changes], [[OTHER, keyOf(0xcc)], 1]);
});

test('§2.1 a tail continues the present list', () => {
  const { gateway, last, journal, reopen } = openJournal();
  gateway.put(ID);
  last().cut();
  reopen();
  last().tell(joined({ sequence: 300, resumed: true }));
  last().tell(catchUp('tail', 300));
  gateway.put(OTHER);
  last().tell(caughtUp(300));
  assert.deepEqual(journal.current.map(({ id }) => id), [ID, OTHER]);
});

test('a journal opened late has all attachments of the session', () => {
  const { gateway, journal, another } = openJournal();
  gateway.put(ID);
  gateway.put(OTHER);
  gateway.remove(OTHER);
  assert.deepEqual(another().current.map(({ id }) => id), journal.current.map(({ id }) => id));
});

test('§3.3 progress changes the offset, and is reported', () => {
  const { gateway, clock, journal } = openJournal();
  gateway.put(ID, { state: 'uploading', size: 100 });
  /** @type {object[]} */
  const reported = [];
  let changes = 0;
  journal.addEventListener('progress', (event) => reported.push(/** @type {CustomEvent} */ (event).detail));
  journal.addEventListener('change', () => (changes += 1));
  clock.pass(7);
  gateway.progress(ID, 40);
  gateway.progress(OTHER, 40);
  assert.deepEqual(reported, [{ id: ID, offset: 40, size: 100, at: 7 }]);
  assert.deepEqual([journal.current[0].offset, changes], [40, 0]);
  gateway.put(ID);
  gateway.progress(ID, 41);
  assert.deepEqual([reported.length, journal.current[0].offset], [1, 5]);
});

test('an upload without progress for 10 s is stalled, until its next progress', () => {
  const { gateway, clock, journal } = openJournal();
  const stalled = [];
  journal.addEventListener('change', () => stalled.push(journal.current[0]?.isStalled));
  gateway.put(ID, { state: 'uploading', size: 100 });
  clock.pass(9_999);
  gateway.progress(ID, 40);
  clock.pass(9_999);
  assert.deepEqual(stalled, [false]);
  clock.pass(1);
  assert.deepEqual(stalled, [false, true]);
  gateway.progress(ID, 41);
  assert.deepEqual(stalled, [false, true, false]);
  clock.pass(10_000);
  gateway.put(ID);
  assert.deepEqual(stalled, [false, true, false, true, false]);
  clock.pass(60_000);
  assert.equal(stalled.length, 5);
});

test('a removed upload is not stalled', () => {
  const { gateway, clock, journal } = openJournal();
  gateway.put(ID, { state: 'uploading', size: 100 });
  gateway.remove(ID);
  let changes = 0;
  journal.addEventListener('change', () => (changes += 1));
  clock.pass(10_000);
  assert.equal(changes, 0);
});

test('a closed journal has no pending timers', () => {
  const { gateway, clock, last, journal } = openJournal();
  gateway.put(ID, { state: 'uploading', size: 100 });
  const before = clock.waiting;
  journal.close();
  assert.equal(clock.waiting, before - 1);
  gateway.put(OTHER);
  assert.equal(journal.current.length, 1);
  last().cut(4010);
});

test('a removal sends a request, and a missing attachment is no error', async () => {
  const { gateway, journal } = openJournal();
  gateway.put(ID);
  const [attachment] = journal.current;
  await journal.remove(attachment);
  assert.deepEqual(journal.current, []);
  await journal.remove(attachment);
  gateway.faults = [{ unheard: true }];
  await assert.rejects(journal.remove(attachment), { code: 'unavailable' });
  gateway.faults = [{ answer: { status: 403, text: '{"code":"origin-refused","detail":"Not from there."}' } }];
  await assert.rejects(journal.remove(attachment), { code: 'origin-refused', message: 'Not from there.' });
});

test('§4 concurrent loads share one complete download', async () => {
  const { gateway, attachment } = openAttachment();
  const blobs = await Promise.all([attachment.load(), attachment.load()]);
  assert.equal(gateway.loads, 1);
  assert.equal(blobs[0], blobs[1]);
  assert.equal(await blobs[0].text(), 'hello');
  assert.equal(blobs[0].type, 'application/octet-stream');
  await attachment.load();
  assert.equal(gateway.loads, 2);
});

/** Failures of a download, and their errors. */
const LOAD_FAULTS = [
  {
    rule: 'no answer',
    fault: { unheard: true },
    error: { code: 'unavailable', limit: undefined },
  },
  {
    rule: 'too few bytes',
    fault: { cutAfter: 3 },
    error: { code: 'unavailable', limit: 5, actual: 3 },
  },
];

for (const { rule, fault, error } of LOAD_FAULTS) {
  test(`a failed load (${rule}) fails for all callers, and can be retried`, async () => {
    const { gateway, attachment } = openAttachment();
    gateway.faults = [fault];
    const loads = [attachment.load(), attachment.load()];
    for (const load of loads) await assert.rejects(load, error);
    assert.equal(await (await attachment.load()).text(), 'hello');
    assert.equal(gateway.loads, 2);
  });
}

test('a load of a damaged attachment fails with its own code', async () => {
  const { gateway, attachment } = openAttachment();
  const text = '{"code":"internal","detail":"It is damaged.","damaged":true}';
  gateway.faults = [{ answer: { status: 500, text } }];
  await assert.rejects(attachment.load(), { code: 'damaged', status: 500, message: 'It is damaged.' });
});

test('a removed attachment cannot be loaded', async () => {
  const { gateway, attachment } = openAttachment();
  gateway.remove(ID);
  await assert.rejects(attachment.load(), { code: 'not-found', status: 404, message: 'It was removed.' });
});

test('an aborted load stops the download only if it is the last one', async () => {
  const { gateway, attachment } = openAttachment();
  gateway.faults = [{ hangs: true }];
  const [first, second] = [new AbortController(), new AbortController()];
  const loads = [attachment.load(first), attachment.load(second)];
  const isRejected = assert.rejects(loads[0], { name: 'AbortError' });
  await quiet();
  first.abort();
  await isRejected;
  const third = attachment.load();
  assert.equal(gateway.loads, 1);
  const settled = settledOf(third);
  second.abort();
  await assert.rejects(loads[1], { name: 'AbortError' });
  await quiet();
  assert.deepEqual([settled(), gateway.loadsGivenUp], [false, 0]);
  await assert.rejects(attachment.load(first), { name: 'AbortError' });
});

test('an abandoned download starts again', async () => {
  const { gateway, attachment } = openAttachment();
  gateway.faults = [{ hangs: true }];
  const controller = new AbortController();
  const load = attachment.load(controller);
  await until(() => gateway.loads === 1);
  controller.abort();
  assert.equal(await (await attachment.load()).text(), 'hello');
  await assert.rejects(load, { name: 'AbortError' });
  assert.equal(gateway.loadsGivenUp, 1);
});

test('an unfinished attachment cannot be loaded', async () => {
  const { gateway, journal } = openJournal();
  gateway.put(ID, { state: 'uploading', size: 100 });
  await assert.rejects(journal.current[0].load(), { code: 'not-ready' });
});

test('two participants see each other’s attachments with their uploaders', () => {
  const { gateway, session, journal } = openJournal();
  gateway.put(ID);
  assert.equal(session.participant(journal.current[0].participant ?? 0)?.name, ADA.name);
});

function openJournal() {
  const browser = new FakeBrowser();
  const page = browser.open();
  return { ...page, gateway: browser.gateway, another: () => browser.journalOf(page.session) };
}

function openAttachment() {
  const opened = openJournal();
  opened.gateway.put(ID);
  return { ...opened, attachment: opened.journal.current[0] };
}

/** @param {AsyncIterator<{ id: string }[]>} iterator */
async function ids(iterator) {
  const { value } = await iterator.next();
  return value.map((/** @type {{ id: string }} */ { id }) => id);
}

/** @param {Promise<unknown>} promise */
function settledOf(promise) {
  let isSettled = false;
  const settle = () => (isSettled = true);
  promise.then(settle, settle);
  return () => isSettled;
}
