import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitText } from '../../Public/js/ui/textLimit.js';

test('a text is filled up to its limit, in characters, and the person is told when a part is left out', () => {
  const area = new Area();
  assert.equal(area.type('ab🙂'), true);
  assert.equal(area.type('\n'), true);
  assert.equal(area.paste('x'), true);
  assert.deepEqual([area.value, area.said], ['ab🙂\nx', []]);
  assert.equal(area.type('y'), false);
  assert.equal(area.type('\n'), false);
  assert.deepEqual([area.value, area.said], ['ab🙂\nx', ['cut', 'cut']]);
});

test('the beginning of a pasted text replaces the selected characters', () => {
  const area = new Area('abcd', 1, 3);
  assert.equal(area.paste('1\r\n2345'), false);
  assert.deepEqual([area.value, area.inputs, area.said], ['a1\n2d', 1, ['cut']]);
});

test('a pasted text that is too long for an empty text is placed elsewhere', () => {
  const area = new Area();
  assert.equal(area.paste('123456'), false);
  assert.deepEqual([area.value, area.said], ['', ['123456']]);
  const other = new Area('abcd', 0, 4);
  assert.equal(other.paste('123456'), false);
  assert.deepEqual([other.value, other.said], ['12345', ['cut']]);
});

test('a removal is never refused', () => {
  const area = new Area('longer than the limit');
  assert.equal(area.type(null, 'deleteContentBackward'), true);
  assert.deepEqual(area.said, []);
});

/** A text area with a limit of five characters. */
class Area extends EventTarget {
  /** The numbers of `input` events of the limit. */
  inputs = 0;
  /** @type {string[]} */
  said = [];

  constructor(value = '', selectionStart = value.length, selectionEnd = value.length) {
    super();
    this.value = value;
    this.selectionStart = selectionStart;
    this.selectionEnd = selectionEnd;
    this.addEventListener('input', () => this.inputs += 1);
    const area = /** @type {any} */ (this);
    limitText(area, 5, { cut: () => this.said.push('cut'), pasteElsewhere: (text) => this.said.push(text) });
  }

  /** @param {string | null} data @param {string} [inputType] @returns {boolean} false if the browser may not insert it */
  type(data, inputType = data === '\n' ? 'insertLineBreak' : 'insertText') {
    return this.#insert('beforeinput', data ?? '', { inputType, data: data === '\n' ? null : data });
  }

  /** @param {string} text */
  paste(text) {
    return this.#insert('paste', text, { clipboardData: { getData: () => text } });
  }

  /** @param {string} text @param {number} start @param {number} end */
  setRangeText(text, start, end) {
    this.value = this.value.slice(0, start) + text + this.value.slice(end);
    this.selectionStart = this.selectionEnd = start + text.length;
  }

  /** @param {string} type @param {string} text @param {object} members of the event */
  #insert(type, text, members) {
    const isAllowed = this.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), members));
    if (isAllowed) this.setRangeText(text, this.selectionStart, this.selectionEnd);
    return isAllowed;
  }
}
