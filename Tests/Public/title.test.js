/** The title of the page: an entry of the session under a fixed key. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanTitle, Title, TITLE_KEY, TITLE_TYPE } from '../../Public/js/protocol/titleSync.js';
import { fileName } from '../../Public/js/ui/exportDialog.js';
import { stateHash } from '../../Public/js/sync/stateHash.js';
import { ADA, BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, welcome } from './support.js';

const [APPEND, REPLACE, REMOVE] = [1 | 1 << 1, 1 | 2 << 1, 1 | 3 << 1];

test('a title is sent to the session, and an empty one is removed', () => {
  const { title, last } = titled();
  title.set('  Plans\nfor  May ');
  assert.equal(title.text, 'Plans for May');
  title.set('');
  assert.equal(title.text, '');
  const said = last().said.map(({ flags, type, keyByte, payload }) => [flags & 7, type, keyByte, payload]);
  assert.deepEqual(said, [
    [REPLACE, TITLE_TYPE, 0x74, '{"title":"Plans for May"}'],
    [REMOVE, TITLE_TYPE, 0x74, ''],
  ]);
});

test('titles of others are shown, and reported once the page is connected', () => {
  const { title, last, changes } = titled();
  last().entries(entry(1, 'Plans'), entry(2, 'Plans'), entry(3, 'More plans'));
  assert.equal(title.text, 'More plans');
  assert.deepEqual(changes, ['Plans', 'More plans']);
  assert.deepEqual(reports(title, () => last().entries(entry(4, 'A'), entry(5, 'A'))), [BEN.number]);
});

test('the last title in the session’s order applies, and this person’s title is shown until it is confirmed', () => {
  const { title, last, changes } = titled();
  title.set('Mine');
  last().entries(entry(1, 'Hers'));
  assert.equal(title.text, 'Mine');
  last().entries(entry(2, 'Mine', { sender: ADA.number, clientSequence: 1 }));
  assert.equal(title.text, 'Mine');
  last().entries(entry(3, 'Hers'));
  assert.deepEqual([title.text, changes], ['Hers', ['Mine', 'Hers']]);
});

test('a refused title is undone', () => {
  const { title, last } = titled();
  last().entries(entry(1, 'Hers'));
  title.set('Mine');
  last().tell({ error: { code: 'bad-entry', detail: 'No.', clientSequence: 1 } });
  assert.equal(title.text, 'Hers');
});

/** Entries under the key, as a snapshot or live, and the title that both show. @type {[string, Uint8Array[], string][]} */
const SEQUENCES = [
  ['nothing', [], ''],
  ['a title', [entry(1, 'A')], 'A'],
  ['two titles', [entry(1, 'A'), entry(2, 'B')], 'B'],
  ['a removed title', [entry(1, 'A'), raw(2, REMOVE, TITLE_TYPE, '')], ''],
  ['a title removed by another type', [entry(1, 'A'), raw(2, REMOVE, 'UpsertStrokeMessage', '')], ''],
  ['another object under the key', [entry(1, 'A'), raw(2, REPLACE, 'UpsertStrokeMessage', '{"point":[1,2]}')], ''],
  ['an append of another type', [entry(1, 'A'), raw(2, APPEND, 'Other', '{}')], 'A'],
  ['an appended title', [entry(1, 'A'), raw(2, APPEND, TITLE_TYPE, '{"title":"B"}')], 'B'],
  ['an invalid title', [entry(1, 'A'), raw(2, REPLACE, TITLE_TYPE, '{"title":7}')], ''],
  ['damaged JSON', [raw(1, REPLACE, TITLE_TYPE, '{"title":')], ''],
  ['null', [raw(1, REPLACE, TITLE_TYPE, 'null')], ''],
  ['bytes', [raw(1, REPLACE, TITLE_TYPE, Uint8Array.of(255, 0, 128))], ''],
  ['a long title', [entry(1, '𝒳'.repeat(100_000))], '𝒳'.repeat(80)],
  ['members of later versions', [raw(1, REPLACE, TITLE_TYPE, '{"title":"A","style":"bold"}')], 'A'],
];

for (const [what, entries, text] of SEQUENCES) {
  test(`live and in a snapshot: ${what}`, () => {
    const live = titled();
    live.last().entries(...entries);
    const late = fakeSession();
    const title = new Title();
    title.attach(late.session, { bringsPicture: false });
    title.restore('An old title');
    late.session.join();
    late.last().open();
    late.last().tell(joined({ sequence: 2 }));
    late.last().tell(catchUp('snapshot', 2));
    // A retained state has no entry before the last `replace` or `remove`.
    late.last().entries(...entries.slice(retainedFrom(entries)));
    late.last().tell(caughtUp(2));
    assert.deepEqual([live.title.text, title.text], [text, text]);
  });
}

test('a stored title is shown until the session’s is known', () => {
  const { session, last } = fakeSession();
  const title = new Title();
  title.attach(session, { bringsPicture: false });
  title.restore('Stored');
  assert.equal(title.text, 'Stored');
  session.join();
  welcome(last());
  assert.equal(title.text, '');
  title.restore('Stored');
  assert.equal(title.text, '');
});

test('a title that was given without a connection is sent by a later page', () => {
  const first = titled();
  first.last().cut();
  first.title.set('First');
  first.title.set('Second');
  const saved = first.session.save();
  assert.deepEqual(saved.outbox.items.map(({ entry: { key } }) => key), [TITLE_KEY]);
  const { session, last } = fakeSession({ saved });
  const title = new Title();
  title.attach(session, { bringsPicture: false });
  assert.equal(title.text, 'Second');
  session.join();
  welcome(last(), { resumed: true });
  assert.equal(title.text, 'Second');
  assert.deepEqual(last().said.map(({ payload }) => payload), ['{"title":"Second"}']);
});

test('a title that the gateway has lost is sent again', () => {
  const { title, last, session, reopen } = titled();
  title.set('Plans');
  last().entries(entry(1, 'Plans', { sender: ADA.number, clientSequence: 1 }));
  last().cut();
  reopen();
  last().tell(joined({ epoch: 'e2', resumed: true }));
  last().tell(catchUp('snapshot', 0));
  last().tell(caughtUp(0));
  assert.deepEqual([title.text, session.pending.length], ['Plans', 1]);
  assert.deepEqual(last().said.map(({ payload }) => payload), ['{"title":"Plans"}']);
});

test('a board’s title goes to its session, and stays with the picture after the session', () => {
  const { session, last } = fakeSession();
  const title = new Title();
  title.set('Plans');
  title.attach(session, { bringsPicture: true });
  session.join();
  welcome(last());
  assert.equal(title.text, 'Plans');
  assert.deepEqual(last().said.map(({ payload }) => payload), ['{"title":"Plans"}']);
  session.leave();
  title.detach();
  assert.equal(title.text, 'Plans');
  title.set('My plans');
  assert.equal(title.text, 'My plans');
  title.clear();
  assert.equal(title.text, '');
});

test('the title is a part of the state that pages compare', async () => {
  const pages = [titled(), titled(), titled()];
  for (const [at, { last }] of pages.entries()) last().entries(entry(1, at < 2 ? 'Plans' : 'Other plans'));
  const [one, two, three] = await Promise.all(pages.map(({ session }) => stateHash(session.retained)));
  assert.equal(one, two);
  assert.notEqual(one, three);
});

/** @type {[string, string][]} */
const TITLES = [
  ['', ''],
  [' \t\n', ''],
  ['\u200b\u2060', ''],
  ['A\tB\r\nC\u2028D', 'A B C D'],
  ['\u202eevil\u2066\u0007', 'evil'],
  ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
  ['x'.repeat(81), 'x'.repeat(80)],
  ['<b>&amp;', '<b>&amp;'],
  ['\u0007'.repeat(2000) + 'too far behind', ''],
];

for (const [typed, text] of TITLES) {
  test(`the title ${JSON.stringify(typed).slice(0, 40)}`, () => assert.equal(cleanTitle(typed), text));
}

/** @type {[string, string][]} */
const FILES = [['Plans', 'Plans'], ['', 'Draw Together'], ['a/b: "c"?\\', 'a-b- -c---'], ['../.x', '-.x'], ['…', '…']];

for (const [text, name] of FILES) {
  test(`the file of a page with the title “${text}”`, () => {
    assert.match(fileName(text, 'png'), /^(.*) \d{4}-\d\d-\d\d\.png$/);
    assert.equal(fileName(text, 'png').slice(0, -' 2026-01-01.png'.length), name);
  });
}

/** A connected page with its title. */
function titled() {
  const fake = fakeSession();
  const title = new Title();
  /** @type {string[]} */
  const changes = [];
  title.addEventListener('change', () => changes.push(title.text));
  title.attach(fake.session, { bringsPicture: false });
  fake.session.join();
  welcome(fake.last());
  return { ...fake, title, changes };
}

/** @param {Title} title @param {() => void} act @returns {number[]} the participants whose changes were reported meanwhile */
function reports(title, act) {
  /** @type {number[]} */
  const reported = [];
  title.addEventListener('remotechange', (event) => reported.push(/** @type {CustomEvent} */ (event).detail));
  act();
  return reported;
}

/** @param {number} sequence @param {string} title @param {object} [more] */
function entry(sequence, title, more = {}) {
  return raw(sequence, REPLACE, TITLE_TYPE, JSON.stringify({ title }), more);
}

/** @param {number} sequence @param {number} flags @param {string} type @param {string | Uint8Array} payload @param {object} [more] */
function raw(sequence, flags, type, payload, more = {}) {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  return gatewayEntry({ flags, sequence, sender: BEN.number, key: TITLE_KEY, type, payload: bytes, ...more });
}

/** @param {Uint8Array[]} entries @returns {number} the index of the first one that a session retains */
function retainedFrom(entries) {
  const last = entries.findLastIndex((bytes) => [REPLACE, REMOVE].includes(bytes[4] & 7));
  return last >= 0 && (entries[last][4] & 7) === REMOVE ? last + 1 : Math.max(0, last);
}
