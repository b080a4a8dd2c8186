import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bringBack, momentIn, removalQuestion } from '../../Public/js/app/timeMachine.js';
import { laterStrings } from '../../Public/js/i18n/later.js';
import { pastTime } from '../../Public/js/ui/pastTime.js';
import { INK, page } from './objectSupport.js';
import { ADA, BEN } from './support.js';

test('a moment in an address is a sequence or a time', () => {
  assert.deepEqual(momentIn('123'), { sequence: 123 });
  assert.deepEqual(momentIn('0'), { sequence: 0 });
  assert.deepEqual(momentIn('2026-11-28T14:32:05Z'), { time: Date.UTC(2026, 10, 28, 14, 32, 5) });
  assert.deepEqual(momentIn('2026-11-28'), { time: Date.UTC(2026, 10, 28) });
  const numbers = ['-1', '1e3', '1.5', '9'.repeat(16), '9'.repeat(30)];
  for (const wrong of ['', 'x', ...numbers, '2026-99-99', '2026-11-28Tx']) {
    assert.equal(momentIn(wrong), null, String(wrong));
  }
});

/** A page in a session, with three strokes. @param {{ authors?: number[], historyBytes?: number }} [options] */
function shared({ authors = [1, 1, 2], historyBytes = 1 } = {}) {
  const one = page();
  authors.forEach((author, at) => {
    one.drawing.beginStroke({ ...INK, width: 4, tool: 'pen' }, [at * 50, 0, at * 50 + 10, 10], null);
    one.drawing.endStroke();
    Object.assign(one.shapes.all[at], { author, editor: author });
  });
  const participant = (/** @type {number} */ number) => [ADA, BEN].find((person) => person.number === number) ?? null;
  const session = { localParticipant: ADA, participant, limits: { historyBytes } };
  const sharing = /** @type {any} */ ({ session });
  const ask = (isForGood = false) => removalQuestion({ ...one, sharing }, isForGood);
  const selectAll = () => one.selection.choose(one.ids());
  return { ...one, sharing, ask, selectAll };
}

test('the question is asked only if everything is removed, others have a part in it, and there is more than one object', () => {
  const { ask, selectAll, selection, ids, sharing } = shared();
  assert.equal(ask(), null);
  selection.choose(ids().slice(0, 2));
  assert.equal(ask(), null);
  selectAll();
  assert.equal(ask()?.title, laterStrings.removeEverything);
  sharing.session = null;
  assert.equal(ask(), null);
  for (const authors of [[1, 1], [2]]) {
    const other = shared({ authors });
    other.selectAll();
    assert.equal(other.ask(), null);
  }
});

test('locked objects, which stay, do not count', () => {
  const { ask, selection, ids, drawing, shapes } = shared();
  const [first, , last] = ids();
  const locked = shapes.all[0].moved({ factor: 1, x: 0, y: 0 });
  drawing.update([Object.assign(locked, { isLocked: true, author: 1, editor: 1 })]);
  selection.choose(ids().filter((id) => id !== first));
  assert.ok(selection.has(last) && !selection.has(first));
  assert.equal(ask()?.title, laterStrings.removeEverything);
});

test('the text says what can come back', () => {
  const { ask, selectAll } = shared();
  selectAll();
  assert.equal(ask()?.text, `${laterStrings.othersWork} ${laterStrings.canBeRestored}`);
  const { othersWork, canBeRestored, filesAreGone } = laterStrings;
  assert.equal(ask(true)?.text, `${othersWork} ${canBeRestored} ${filesAreGone}`);
  const without = shared({ historyBytes: 0 });
  without.selectAll();
  assert.equal(without.ask()?.text, laterStrings.othersWork);
});

test('after the time machine is closed, nothing comes back', async () => {
  const { drawing, shapes, itemStore } = page();
  drawing.beginStroke({ ...INK, width: 4, tool: 'pen' }, [0, 0, 10, 10], null);
  drawing.endStroke();
  const chosen = [...shapes.all];
  const calls = /** @type {string[]} */ ([]);
  const parts = /** @type {any} */ ({
    shapes: { find: () => null },
    itemStore,
    frameQueue: { flush: () => calls.push('flush') },
    sheets: { sheets: { find: () => null, set: () => calls.push('sheet') } },
    selectionController: { insert: () => calls.push('insert') },
  });
  const controller = new AbortController();
  const past = { sheets: { find: () => null } };
  const reason = bringBack(parts, chosen, true, past, controller.signal);
  controller.abort();
  assert.equal(await reason, '');
  assert.deepEqual(calls, ['flush', 'flush']);
});

test('a moment has its time to the second, and its day unless it is today', () => {
  globalThis.document ??= /** @type {any} */ ({ documentElement: { lang: 'en' } });
  globalThis.navigator ??= /** @type {any} */ ({ languages: [] });
  const now = new Date(2026, 10, 28, 20, 0, 0);
  assert.match(pastTime(new Date(2026, 10, 28, 14, 32, 5).getTime(), now), /^(?:2|14):32:05/);
  assert.match(pastTime(new Date(2026, 10, 27, 14, 32, 5).getTime(), now), /27/);
  assert.match(pastTime(new Date(2025, 10, 27, 14, 32, 5).getTime(), now), /2025/);
  for (const wrong of [null, 8.7e15]) assert.equal(pastTime(wrong, now), laterStrings.unknownTime);
});

test('on a page in Arabic, a moment has the digits of the page', () => {
  Object.assign(globalThis, { document: { documentElement: { lang: 'ar', dir: 'rtl' } } });
  Object.defineProperty(globalThis, 'navigator', { value: { languages: ['ar-EG'] }, configurable: true });
  const now = new Date(2026, 10, 28, 20, 0, 0);
  assert.match(pastTime(new Date(2026, 10, 28, 14, 32, 5).getTime(), now), /2:32:05/);
});
