/** Sticky notes: their text and size, on the wire, under the pointer, painted and exported. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { luminance } from '../../Public/js/model/palette.js';
import { MAX_NOTE_SIDE, NOTE_FILLS, noteColor, noteLayout } from '../../Public/js/model/note.js';
import { topmostAt } from '../../Public/js/model/hitTest.js';
import { LINE, Text } from '../../Public/js/model/text.js';
import { drawingText, readDrawing } from '../../Public/js/persist/drawingFile.js';
import { encodeShape, readShape, readText } from '../../Public/js/protocol/shapeMessages.js';
import { shapeTag } from '../../Public/js/render/export/svg.js';
import { paintShape } from '../../Public/js/render/shapePainter.js';
import { deserialize, serialize } from '../../Public/js/render/tiles/tilePainter.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { Retention } from '../../Public/js/sync/wire.js';
import { drag, page, tap, together } from './objectSupport.js';
import { keyOf } from './support.js';

const [LIGHT, DARK] = ['#1d1d20', '#f1f1f3'];
/** All letters are half as wide as high. */
const half = (/** @type {string} */ text) => text.length / 2;

test('a tap places a note, whose text is typed next; both are one undo step', () => {
  const { noteTool, textTool, shapes, drawing } = page();
  tap(noteTool, 300, 300);
  const note = /** @type {Text} */ (shapes.all[0]);
  assert.deepEqual([note.box, note.text, note.fill], [{ left: 200, top: 200, right: 400, bottom: 400 }, '', 'rose']);
  assert.equal(textTool.edited?.note, note);
  textTool.setText('Milk');
  assert.equal(textTool.edited?.note?.text, 'Milk');
  textTool.finish();
  assert.deepEqual(shapes.all.map((shape) => [/** @type {Text} */ (shape).text, shape.isFinished]), [['Milk', true]]);
  drawing.undo();
  assert.equal(shapes.size, 0);
  drawing.redo();
  assert.deepEqual(/** @type {Text} */ (shapes.all[0]).note, { width: 200, height: 200 });
});

test('a note can be drawn by a drag in any direction, and is never very small', () => {
  const { noteTool, textTool, shapes } = page();
  drag(noteTool, [300, 300], [100, 200]);
  textTool.finish();
  drag(noteTool, [300, 300], [310, 320]);
  textTool.finish();
  assert.deepEqual(shapes.all.map(({ box }) => box), [
    { left: 100, top: 200, right: 300, bottom: 300 },
    { left: 300, top: 300, right: 360, bottom: 360 },
  ]);
});

test('a cancelled movement leaves no note, and a tap beside an edited note only ends the editing', () => {
  const { noteTool, textTool, shapes } = page();
  noteTool.begin({ x: 0, y: 0, pressure: null });
  noteTool.move([{ x: 100, y: 100, pressure: null }]);
  noteTool.cancel();
  assert.equal(shapes.size, 0);
  tap(noteTool, 300, 300);
  tap(noteTool, 800, 800);
  assert.deepEqual([shapes.size, textTool.edited], [1, null]);
});

test('an empty note stays, also one whose text was removed', () => {
  const { noteTool, textTool, shapes, drawing } = page();
  tap(noteTool, 300, 300);
  textTool.finish();
  assert.equal(shapes.size, 1);
  tap(noteTool, 300, 300);
  assert.equal(textTool.edited?.id, shapes.all[0].id);
  textTool.setText('Milk');
  textTool.finish();
  tap(textTool, 390, 390);
  textTool.setText('');
  textTool.finish();
  assert.equal(/** @type {Text} */ (shapes.all[0]).text, '');
  drawing.undo();
  assert.equal(/** @type {Text} */ (shapes.all[0]).text, 'Milk');
});

test('the whole note is hit, and moves and resizes as one', () => {
  const { noteTool, textTool, shapes, items, index, drawing, move } = page();
  tap(noteTool, 300, 300);
  textTool.setText('Milk');
  textTool.finish();
  const { id, size } = /** @type {Text} */ (shapes.all[0]);
  assert.equal(topmostAt({ shapes, items, index }, 399, 399, 0)?.id, id);
  assert.equal(topmostAt({ shapes, items, index }, 410, 399, 0), null);
  move([id], -200, -200, 2);
  const note = /** @type {Text} */ (shapes.all[0]);
  assert.deepEqual([note.box, note.size, note.fill], [
    { left: 200, top: 200, right: 600, bottom: 600 },
    2 * size,
    'rose',
  ]);
  tap(new EraserTool(drawing, index, () => 1), 590, 590);
  assert.equal(shapes.size, 0);
});

test('the color and the text of a note are undone separately from a move', () => {
  const { noteTool, textTool, shapes, drawing, commands, move } = page();
  tap(noteTool, 300, 300);
  textTool.finish();
  const { id } = shapes.all[0];
  commands.restyle(new Set([id]), () => ({ fill: 'blue' }));
  move([id], 50, 0);
  drawing.undo();
  drawing.undo();
  assert.deepEqual([shapes.all[0].fill, /** @type {Text} */ (shapes.all[0]).x], ['rose', 200]);
});

test('lines are broken at spaces, after hyphens, and between characters of scripts without spaces', () => {
  const linesOf = (/** @type {string} */ text, /** @type {number} */ letters) => {
    const room = letters / 2 * 10 / (1 - 2 * 0.07);
    return noteLayout(text, { width: room, height: 1e6 }, 10, LINE, half).lines;
  };
  assert.deepEqual(linesOf('one two three', 7), ['one two ', 'three']);
  assert.deepEqual(linesOf('a well-known word', 7), ['a well-', 'known ', 'word']);
  assert.deepEqual(linesOf('minus -5', 6), ['minus ', '-5']);
  assert.deepEqual(linesOf('ein Wort', 3), ['ein ', 'Wor', 't']);
  assert.deepEqual(linesOf('東京都庁', 3), ['東京都', '庁']);
  assert.deepEqual(linesOf('a\n\nb', 5), ['a', '', 'b']);
  assert.deepEqual(linesOf('abc     ', 3), ['abc     ']);
});

test('the type shrinks until the text fits, and lines that do not fit even then are not shown', () => {
  const note = { width: 200, height: 200 };
  const sizeOf = (/** @type {string} */ text, size = 26) => noteLayout(text, note, size, LINE, half).size;
  assert.equal(sizeOf('Milk'), 26);
  let before = 26;
  for (const words of [5, 20, 60, 200]) {
    const { size, lines, margin } = noteLayout('word '.repeat(words), note, 26, LINE, half);
    assert.ok(size < before || words === 5, `${words} words`);
    assert.ok(lines.length * LINE * size <= 200 - 2 * margin + 1e-9);
    before = size;
  }
  assert.ok(sizeOf('Milk', 3) === 3, 'a size below the smallest one stays');
  const { lines, size } = noteLayout('\n'.repeat(3999), note, 26, LINE, half);
  assert.deepEqual([size, lines.length], [4, 34]);
});

test('a long word is measured once for each letter, however often its size is tried', () => {
  let measured = 0;
  const width = (/** @type {string} */ text) => {
    measured += 1;
    return text.length / 2;
  };
  noteLayout('abcdefghij'.repeat(400), { width: 100, height: 100 }, 44, LINE, width);
  assert.ok(measured <= 11, `${measured} times`);
});

test('§6 a note is a text with a note, which earlier pages show as a text', () => {
  const note = noteOf({ text: 'Milk' });
  const { type, payload } = encodeShape(note);
  const message = JSON.parse(new TextDecoder().decode(payload));
  assert.deepEqual([type, message.text, message.point], ['UpsertTextMessage', 'Milk', [10, 20]]);
  assert.deepEqual(message.note, { width: 200, height: 100, fill: 'green' });
  const read = readShape({ type, retention: Retention.replace, payload }, note.id, 1)?.(undefined);
  assert.equal(read?.looksLike(note), true);
});

const WRITTEN = { text: 'Milk', point: [10, 20], size: 24, rgb: '#30a46c', color: 3, z: 7 };
const GOOD = { width: 200, height: 100, fill: 'green' };
/** @type {[string, object, object | null][]} */
const READ = [
  ['a note', {}, { width: 200, height: 100, fill: 'green' }],
  ['an unknown color', { fill: 'gold' }, { width: 200, height: 100, fill: 'yellow' }],
  ['a color that is a name of every object', { fill: 'constructor' }, { width: 200, height: 100, fill: 'yellow' }],
  ['a color that is a list', { fill: ['green'] }, { width: 200, height: 100, fill: 'yellow' }],
  ['no width', { width: undefined }, null],
  ['a width of text', { width: '200' }, null],
  ['a height of nothing', { height: 0 }, null],
  ['a height without end', { height: MAX_NOTE_SIDE + 1 }, null],
  ['a height that is not a number', { height: null }, null],
];

for (const [rule, change, gives] of READ) {
  test(`§6 reads a note: ${rule}`, () => {
    const read = readText(new TextEncoder().encode(JSON.stringify({ ...WRITTEN, note: { ...GOOD, ...change } })));
    assert.deepEqual(read?.note ? { ...read.note, fill: read.fill } : null, gives);
    assert.equal(read?.text, 'Milk');
  });
}

test('§6 only a note may be empty', () => {
  const read = (/** @type {object} */ change) =>
    readText(new TextEncoder().encode(JSON.stringify({ ...WRITTEN, text: '', ...change })));
  assert.equal(read({ note: GOOD })?.text, '');
  assert.equal(read({}), null);
  assert.equal(read({ note: 'yellow' }), null);
});

test('the colors are quiet on both papers, and black or white ink is easy to read on them', () => {
  for (const fill of NOTE_FILLS) {
    for (const ink of [LIGHT, DARK]) {
      const [one, other] = [luminance(noteColor(fill, ink)), luminance(ink)].toSorted((a, b) => a - b);
      assert.ok((other + 0.05) / (one + 0.05) > 4.5, `${fill} with ${ink}`);
    }
  }
});

test('a note is painted below its text, in the color of the theme', () => {
  for (const [ink, color] of [[LIGHT, '#d5e5c3'], [DARK, '#42523a']]) {
    /** @type {unknown[]} */
    const calls = [];
    const context = /** @type {any} */ ({
      beginPath() {},
      roundRect: (/** @type {number[]} */ ...box) => calls.push(box.slice(0, 4)),
      fill() {
        calls.push(this.fillStyle);
      },
      fillText: (/** @type {string} */ text) => calls.push(text),
    });
    paintShape(context, noteOf({ text: 'Milk\nand bread' }), ink);
    assert.deepEqual(calls, [[10, 20, 200, 100], color, 'Milk', 'and bread']);
  }
});

test('the SVG has the note as a rectangle, and its text inside', () => {
  const svg = shapeTag(noteOf({ text: 'Milk' }), LIGHT);
  assert.match(svg, /^<rect x="10" y="20" width="200" height="100" rx="2.5" fill="#d5e5c3"\/>\n<text .*x="17".*Milk/);
});

test('a note is a note on the tiles and in a file, too', async () => {
  const note = noteOf({ text: 'Milk' });
  const { items, numbers } = serialize([note], () => assert.fail('no picture'));
  const [tile] = deserialize(structuredClone(items), structuredClone(numbers));
  assert.deepEqual([/** @type {Text} */ (tile.shape).note, tile.bounds], [{ width: 200, height: 100 }, note.bounds]);
  const { shapes: [opened] } = await readDrawing(drawingText([note]), () => keyOf(9));
  assert.deepEqual([/** @type {Text} */ (opened).note, opened.fill], [{ width: 200, height: 100 }, 'green']);
});

test('everybody sees a new note at once, also before it has a text', () => {
  const { pages: [ada, ben], settle } = together(2);
  tap(ada.noteTool, 300, 300);
  settle();
  assert.deepEqual(ben.shapes.all.map((shape) => [/** @type {Text} */ (shape).text, shape.isFinished]), [['', false]]);
  ada.textTool.setText('Milk');
  ada.textTool.finish();
  settle();
  assert.deepEqual(ben.shapes.all.map((shape) => [/** @type {Text} */ (shape).text, shape.isFinished]), [[
    'Milk',
    true,
  ]]);
  assert.equal(ben.shapes.all[0].looksLike(ada.shapes.all[0]), true);
});

/** @param {Partial<Text>} changes */
function noteOf(changes) {
  const style = { size: 24, font: /** @type {const} */ ('sans'), rgb: '#30a46c', color: 3, z: 7 };
  return new Text({
    id: keyOf(5),
    text: '',
    x: 10,
    y: 20,
    ...style,
    note: { width: 200, height: 100 },
    fill: 'green',
    ...changes,
  });
}
