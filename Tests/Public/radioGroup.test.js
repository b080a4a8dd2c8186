import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RadioGroup } from '../../Public/js/ui/radioGroup.js';

test('a press on a button chooses it, also the checked one', () => {
  const { inputs, chosen } = radioGroup();
  for (const at of [1, 1, 0]) inputs[at].dispatchEvent(new Event('click'));
  assert.deepEqual(chosen, [1, 1, 0]);
});

test('the space bar and Enter choose the checked button again', () => {
  const { key, chosen } = radioGroup();
  assert.deepEqual([key(0, 'Enter'), key(0, ' ')], [true, true]);
  assert.deepEqual(chosen, [0, 0]);
});

test('a key that is held down chooses once', () => {
  const { key, chosen } = radioGroup();
  key(0, ' ');
  assert.equal(key(0, ' ', true), true);
  assert.deepEqual(chosen, [0]);
});

test('other keys, and keys on a button that is not checked, have their default action', () => {
  const { key, chosen } = radioGroup();
  assert.deepEqual([key(0, 'ArrowRight'), key(0, 'Tab'), key(1, ' '), key(1, 'Enter')], [false, false, false, false]);
  assert.deepEqual(chosen, []);
});

/** A group of two buttons, of which the first is checked. */
function radioGroup() {
  const inputs = [0, 1].map(() => Object.assign(new EventTarget(), { name: '', checked: false }));
  const parent = { id: 'colors', append: () => {} };
  /** @type {number[]} */
  const chosen = [];
  const buttons = inputs.map((control) => ({ control }));
  const group = new RadioGroup(/** @type {any} */ (parent), /** @type {any} */ (buttons), (at) => chosen.push(at));
  group.show(0);
  return {
    inputs,
    chosen,
    /**
     * Presses a key on a button.
     * @param {number} at @param {string} key @param {boolean} [repeat] @returns {boolean} true if the default action is prevented
     */
    key: (at, key, repeat = false) => {
      const event = Object.assign(new Event('keydown', { cancelable: true }), { key, repeat });
      inputs[at].dispatchEvent(event);
      return event.defaultPrevented;
    },
  };
}
