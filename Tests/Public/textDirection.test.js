/** Texts that are written from right to left, on the canvas: they look the same on pages in every language. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteLayout } from '../../Public/js/model/note.js';
import { Text } from '../../Public/js/model/text.js';
import { isFromRight } from '../../Public/js/model/textDirection.js';
import { shapeTag } from '../../Public/js/render/export/svg.js';
import { paintShape } from '../../Public/js/render/shapePainter.js';
import { page, tap } from './objectSupport.js';

const INK = '#1d1d20';
/** The width of a letter where texts cannot be measured, in font sizes. */
const LETTER = 0.55;

test('the first letter of a line decides its direction', () => {
  for (const line of ['مرحبا', 'שלום', '12. مرحبا (hello)', '«سلام»', '١٢ مرحبا']) assert.ok(isFromRight(line), line);
  for (const line of ['', ' ', '12', '?!', '١٢', 'Hello مرحبا', '(1) Привіт', 'こんにちは', '١٢ Hello']) {
    assert.ok(!isFromRight(line), line);
  }
});

test('a very long line without letters takes no time', () => {
  assert.ok(!isFromRight('1'.repeat(100_000)));
});

test('each line is painted in its direction, from its side of the box', () => {
  const text = textOf({ text: 'abcd\nسلا\nab' });
  assert.deepEqual(painted(text), [['abcd', 'ltr', 10], ['سلا', 'rtl', 10 + 4 * LETTER * 20], ['ab', 'ltr', 10]]);
});

test('a line of a note has the direction of its paragraph', () => {
  const half = (/** @type {string} */ part) => part.length / 2;
  const { lines, fromRight } = noteLayout('سلام hello\nab', { width: 100, height: 100 }, 20, 1.25, half);
  assert.deepEqual(lines, ['سلام ', 'hello', 'ab']);
  assert.deepEqual(fromRight, [true, true, false]);
  const note = textOf({ text: 'سلا\nab', note: { width: 200, height: 100 } });
  assert.deepEqual(painted(note).map(([, direction, x]) => [direction, x]), [['rtl', 203], ['ltr', 17]]);
});

test('a note that is too full has one direction for each shown line', () => {
  const { lines, fromRight } = noteLayout('ab\nس\nab\nab', { width: 20, height: 8 }, 4, 1.25, () => 1);
  assert.equal(lines.length, fromRight.length);
});

test('the SVG has an element for each direction', () => {
  const svg = shapeTag(textOf({ text: 'abcd\nسلا' }), INK);
  const [one, other, ...more] = svg.match(/<text.*?<\/text>/g) ?? [];
  assert.deepEqual(more, []);
  assert.match(one, /^<text (?!.*direction).*<tspan x="10" y="[\d.]+">abcd<\/tspan><\/text>$/);
  assert.match(other, /^<text .*direction="rtl".*<tspan x="54" y="[\d.]+">سلا<\/tspan><\/text>$/);
});

test('a text from right to left grows to the left of the tap while it is typed', () => {
  const { textTool, shapes, drawing } = page();
  tap(textTool, 300, 100);
  const size = 26;
  for (const [typed, letters] of /** @type {[string, number][]} */ ([['س', 1], ['سلام', 4], ['', 0], ['سل', 2]])) {
    textTool.setText(typed);
    const [{ box }] = shapes.all;
    near([box.left, box.right], [300 - letters * LETTER * size, 300]);
    near([textTool.edited?.point[0] ?? 0], [box.left]);
  }
  textTool.finish();
  drawing.undo();
  assert.equal(shapes.size, 0);
});

test('a changed text from right to left keeps its right corner, also if it is rotated', () => {
  for (const angle of [0, 30, 90]) {
    const before = textOf({ text: 'سلام', angle });
    const after = before.rewritten({ text: 'سلام عليكم' });
    const corners = [before, after].map(({ corner: [x, y], box: { left, right } }) => {
      const radians = angle * Math.PI / 180;
      return [x + (right - left) * Math.cos(radians), y + (right - left) * Math.sin(radians)];
    });
    near(corners[1], corners[0]);
  }
});

test('a text from left to right keeps its left corner', () => {
  const { textTool, shapes } = page();
  tap(textTool, 300, 100);
  for (const typed of ['a', 'ab سلام', '']) {
    textTool.setText(typed);
    assert.equal(shapes.all[0].box.left, 300);
  }
});

/** @param {Partial<import('../../Public/js/model/text.js').TextProperties>} [properties] */
function textOf(properties) {
  const style = { id: 'a', x: 10, y: 20, size: 20, rgb: INK, color: 0, z: 1 };
  return new Text({ ...style, text: '', ...properties });
}

/** @param {Text} text @returns {[string, string, number][]} the painted lines, each with its direction and where it begins */
function painted(text) {
  /** @type {[string, string, number][]} */
  const lines = [];
  const context = {
    direction: 'inherit',
    beginPath() {},
    roundRect() {},
    fill() {},
    fillText(/** @type {string} */ line, /** @type {number} */ x) {
      lines.push([line, this.direction, x]);
    },
  };
  paintShape(/** @type {any} */ (context), text, INK);
  return lines;
}

/** @param {number[]} actual @param {number[]} expected */
function near(actual, expected) {
  for (const [at, value] of expected.entries()) assert.ok(Math.abs(actual[at] - value) < 0.05, `${actual} ${expected}`);
}
