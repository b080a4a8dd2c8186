/** The page from right to left: its styles, its names and its arrow keys. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import { isolated, readingKey, turnRadioKeys } from '../../Public/js/ui/pageDirection.js';

/** A radio button, as far as keys need it. */
class FakeInput {
  type = 'radio';
  form = null;
  /** @type {string[]} */
  calls = [];

  /** @param {string} name @param {boolean} [disabled] */
  constructor(name, disabled = false) {
    this.name = name;
    this.disabled = disabled;
  }

  focus() {
    this.calls.push('focus');
  }

  click() {
    this.calls.push('click');
  }
}

beforeEach(() => {
  Object.assign(globalThis, { HTMLInputElement: FakeInput });
});

test('distances and alignments in the styles follow the direction of the language', () => {
  // The line to the handle that rotates is on the canvas.
  const allowed = ['border-left: 2px solid var(--accent)'];
  for (const name of ['page', 'over']) {
    const sheet = readFileSync(new URL(`../../Public/css/${name}.css`, import.meta.url), 'utf8');
    const sides = sheet.match(/(?:(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)).*?(?=;)/g) ?? [];
    assert.deepEqual(sides.filter((side) => !allowed.includes(side)), []);
    // The second value is that of the right side, the fourth that of the left one.
    const all = [...sheet.matchAll(/(?:margin|padding): ([\w.-]+) ([\w.-]+) ([\w.-]+) ([\w.-]+);/g)];
    assert.deepEqual(all.filter(([, , right, , left]) => right !== left).map(([whole]) => whole), []);
  }
});

test('from right to left, the arrow keys to the sides have each other’s meaning', () => {
  const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'Home'];
  writes('ltr');
  assert.deepEqual(keys.map(readingKey), keys);
  writes('rtl');
  assert.deepEqual(keys.map(readingKey), ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'Home']);
});

test('a name in the other direction is isolated', () => {
  writes('ltr');
  assert.deepEqual(['Ada', 'ليلى'].map(isolated), ['Ada', '\u2068ليلى\u2069']);
  writes('rtl');
  assert.deepEqual(['Ada', 'ليلى'].map(isolated), ['\u2068Ada\u2069', 'ليلى']);
});

test('from right to left, the left arrow key chooses the next radio button of the group', () => {
  writes('rtl');
  const [first, off, last, other] = [
    new FakeInput('width'),
    new FakeInput('width', true),
    new FakeInput('width'),
    new FakeInput('color'),
  ];
  const press = pageWith([first, off, last, other]);
  assert.equal(press(first, 'ArrowLeft'), true);
  assert.deepEqual(last.calls, ['focus', 'click']);
  assert.equal(press(last, 'ArrowLeft'), true);
  assert.equal(press(first, 'ArrowRight'), true);
  assert.deepEqual([first.calls, last.calls], [['focus', 'click'], ['focus', 'click', 'focus', 'click']]);
  assert.deepEqual([off.calls, other.calls], [[], []]);
});

test('other keys, and keys elsewhere, have their default action', () => {
  writes('rtl');
  const input = new FakeInput('width');
  const press = pageWith([input, new FakeInput('width')]);
  assert.equal(press(input, 'ArrowDown'), false);
  assert.equal(press(input, 'ArrowLeft', { ctrlKey: true }), false);
  assert.equal(press(Object.assign(new FakeInput('width'), { type: 'range' }), 'ArrowLeft'), false);
  assert.equal(press({}, 'ArrowLeft'), false);
});

test('from left to right, browsers handle the keys', () => {
  writes('ltr');
  const input = new FakeInput('width');
  assert.equal(pageWith([input, new FakeInput('width')])(input, 'ArrowLeft'), false);
});

/** @param {string} dir */
function writes(dir) {
  Object.assign(globalThis, { document: { documentElement: { dir } } });
}

/** @param {FakeInput[]} inputs @returns {(target: object, key: string, more?: object) => boolean} presses a key; true: it is handled */
function pageWith(inputs) {
  const page = Object.assign(new EventTarget(), { querySelectorAll: () => inputs });
  turnRadioKeys(/** @type {any} */ (page));
  return (target, key, more = {}) => {
    const event = new Event('keydown', { cancelable: true });
    Object.defineProperty(event, 'target', { value: target });
    Object.assign(event, { key, altKey: false, ctrlKey: false, metaKey: false, ...more });
    page.dispatchEvent(event);
    return event.defaultPrevented;
  };
}
