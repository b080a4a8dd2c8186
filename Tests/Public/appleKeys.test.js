import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { nameAppleKeys } from '../../Public/js/i18n/appleKeys.js';
import { en } from '../../Public/js/i18n/en.js';
import { speak, strings } from '../../Public/js/i18n/i18n.js';
import { LANGUAGES } from '../../Public/js/i18n/languages.js';
import { isApple } from '../../Public/js/i18n/platform.js';

afterEach(() => speak('en'));

for (
  const [platform, expected] of /** @type {[string, boolean][]} */ ([
    ['MacIntel', true],
    ['MacPPC', true],
    ['iPhone', true],
    ['iPad', true],
    ['Win32', false],
    ['Linux x86_64', false],
    ['Linux armv81', false],
    ['', false],
  ])
) {
  test(`${platform || 'an unknown device'} ${expected ? 'has' : 'does not have'} keys of Apple`, () => {
    assert.equal(isApple({ platform }), expected);
  });
}

test('a browser without the name of its platform has no keys of Apple', () => assert.equal(isApple({}), false));

for (const { code } of LANGUAGES) {
  test(`no text in ${code} names a key that Apple keyboards lack`, async () => {
    await speak(code);
    const table = strings;
    nameAppleKeys(pageWith(), true);
    const { ctrl, shift, delete: remove, pageUp } = table;
    const texts = Object.values(strings).filter((text) => typeof text === 'string');
    const absent = new RegExp(`(?<!\\p{L})(?:${ctrl}|${remove}|${pageUp})(?!\\p{L})`, 'u');
    assert.match(`(${ctrl} Z)`, absent);
    assert.deepEqual(texts.filter((text) => absent.test(text)), []);
    assert.deepEqual(texts.filter((text) => text.includes(`⌘${shift}`) || /⌘[ +]/.test(text)), []);
    assert.deepEqual(Object.keys(strings), Object.keys(table));
    assert.ok(Object.isFrozen(strings));
  });
}

test('the keys are written as in the menus of a Mac, also in titles that are already shown', async () => {
  const page = pageWith(
    'Undo (Ctrl Z)',
    'Redo (Ctrl Shift Z)',
    'Pen (P)',
    'Remove (Delete)',
    'Bring to front (Page ↑)',
  );
  nameAppleKeys(page, true);
  const expected = ['Undo (⌘Z)', 'Redo (⇧⌘Z)', 'Pen (P)', 'Remove (⌫)', 'Bring to front (fn ↑)'];
  assert.deepEqual(page.titles, expected);
  const { undoTitle, redoTitle, penTitle, removeTitle, bringToFrontTitle, copyByHand } = strings;
  assert.deepEqual([undoTitle, redoTitle, penTitle, removeTitle, bringToFrontTitle], expected);
  assert.equal(copyByHand, 'The link is selected. Copy it with ⌘C, or touch and hold it.');
  await speak('de');
  nameAppleKeys(pageWith(), true);
  assert.equal(strings.redoTitle, 'Wiederholen (⇧⌘Z)');
  assert.equal(strings.removeTitle, 'Entfernen (⌫)');
});

test('on other devices, nothing changes', () => {
  const page = pageWith('Undo (Ctrl Z)');
  nameAppleKeys(page, false);
  assert.deepEqual(page.titles, ['Undo (Ctrl Z)']);
  assert.equal(strings, en);
});

/** @param {string[]} titles of its elements @returns {any} a page */
function pageWith(...titles) {
  const elements = titles.map((_, at) => ({
    getAttribute: () => titles[at],
    setAttribute: (/** @type {string} */ _name, /** @type {string} */ title) => titles[at] = title,
  }));
  return { titles, querySelectorAll: () => elements };
}
