import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorText } from '../../Public/js/ui/authorText.js';

const NOW = new Date(2026, 10, 28, 18, 0);
const seconds = (/** @type {Date} */ at) => at.getTime() / 1000;

const TODAY = seconds(new Date(2026, 10, 28, 10, 5));
const EARLIER = seconds(new Date(2026, 10, 3, 10, 42));

/** @type {[string, Parameters<typeof authorText>[0], string][]} */
const TEXTS = [
  ['of today', { author: { name: 'Ada' }, editor: null, madeAt: TODAY }, 'Ada · 10:05'],
  ['of another day', { author: 'you', editor: null, madeAt: EARLIER }, 'You · 3 Nov, 10:42'],
  [
    'of another year',
    { author: 'former', editor: null, madeAt: seconds(new Date(2025, 11, 31, 23, 59)) },
    'Someone who left · 31 Dec 2025, 23:59',
  ],
  ['without a time', { author: { name: 'Ada' }, editor: null, madeAt: 0 }, 'Ada'],
  [
    'that was changed',
    { author: { name: 'Ada' }, editor: { name: 'Ben' }, madeAt: TODAY },
    'Ada · 10:05 · changed by Ben',
  ],
  ['that this person changed', { author: 'former', editor: 'you', madeAt: 0 }, 'Someone who left · changed by you'],
  ['without a session', { author: null, editor: null, madeAt: TODAY }, '10:05'],
  ['of which nothing is known', { author: null, editor: null, madeAt: 0 }, ''],
];

for (const [what, origin, text] of TEXTS) {
  test(`the words about an object ${what}`, () => {
    Object.assign(globalThis, { document: { documentElement: { lang: 'en' } } });
    Object.defineProperty(globalThis, 'navigator', { value: { languages: ['de', 'en-GB'] }, configurable: true });
    assert.equal(authorText(origin, NOW), text);
  });
}

test('on a page from right to left, the name keeps its direction, and the time has the digits of the page', () => {
  Object.assign(globalThis, { document: { documentElement: { lang: 'ar', dir: 'rtl' } } });
  Object.defineProperty(globalThis, 'navigator', { value: { languages: ['ar-EG'] }, configurable: true });
  const text = authorText({ author: { name: 'Ada' }, editor: null, madeAt: TODAY }, NOW);
  assert.match(text, /^\u2068Ada\u2069 · 10:05/);
});
