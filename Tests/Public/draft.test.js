import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { isClosed, regular, SHAPE_TOOLS, shapeToolPoints } from '../../Public/js/model/strokeOutline.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { NO_ORIGIN } from '../../Public/js/model/origin.js';
import { readText, STROKE_TYPE, TEXT_TYPE } from '../../Public/js/protocol/shapeMessages.js';
import { cleanText, Text } from '../../Public/js/model/text.js';
import { paintStyleOf, trace } from '../../Public/js/render/shapePainter.js';
import { BEN, fakeSession, gatewayEntry, keyOf, welcome } from './support.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'rectangle' };
const TYPE = { rgb: '#e5484d', color: 0, size: 20 };
const [APPEND, REPLACE, REMOVE, EXISTING] = [3, 5, 7, 0x20];
const WRITTEN = {
  id: 'x',
  text: 'Milk\nand bread',
  point: [10, 20],
  size: 24,
  rgb: '#ABCDEF',
  color: 3,
  z: 7,
};

/** Messages on the wire, and the result: null if the message is invalid, or the differences from a valid one. */
const READ = [
  { rule: 'a whole message', change: {}, gives: {} },
  { rule: 'one that is still typed', change: { growing: true }, gives: { isGrowing: true } },
  { rule: 'no text', change: { text: undefined }, gives: null },
  { rule: 'a text of nothing', change: { text: ' \n\t ' }, gives: null },
  { rule: 'a text that is a list', change: { text: ['a'] }, gives: null },
  { rule: 'controls', change: { text: 'a\u0000b\u001b[1mc\u009f' }, gives: { text: 'ab[1mc' } },
  { rule: 'what turns all that follows', change: { text: '\u202eabc\u2066d' }, gives: { text: 'abcd' } },
  { rule: 'ends of lines of all kinds', change: { text: 'a\r\nb\rc\u2028d\n' }, gives: { text: 'a\nb\nc\nd' } },
  { rule: 'a text as long as a book', change: { text: '🙂'.repeat(5000) }, gives: { text: '🙂'.repeat(4000) } },
  { rule: 'no place', change: { point: undefined }, gives: null },
  { rule: 'a place off the plane', change: { point: [0, 1_000_001] }, gives: null },
  { rule: 'no size', change: { size: undefined }, gives: null },
  { rule: 'a size of text', change: { size: '24' }, gives: null },
  { rule: 'a size without end', change: { size: 1e9 }, gives: { size: 1000 } },
  { rule: 'a size of nothing', change: { size: -3 }, gives: { size: 4 } },
  { rule: 'rgb that is code', change: { rgb: 'url(//x)' }, gives: { rgb: '#30a46c' } },
  { rule: 'z below nothing', change: { z: -1 }, gives: { z: null } },
];

for (const { rule, change, gives } of READ) {
  test(`§6 reads a text: ${rule}`, () => {
    const style = { size: 24, rgb: '#abcdef', color: 3, z: 7, isGrowing: false };
    const good = { text: 'Milk\nand bread', x: 10, y: 20, ...style, ...NO_ORIGIN };
    const message = readText(new TextEncoder().encode(JSON.stringify({ ...WRITTEN, ...change })));
    assert.deepEqual(message, gives && { ...good, ...gives });
  });
}

for (const text of ['', '{', '7', 'null', '[]', '"x"']) {
  test(`§6 an invalid text message is ignored: ${text}`, () =>
    assert.equal(readText(new TextEncoder().encode(text)), null));
}

test('typed text is unchanged except at its end', () => {
  assert.equal(cleanText('  two\n\n  lines \n\n'), '  two\n\n  lines');
});

test('§6 the points of a shape trace its outline, for other clients', () => {
  assert.deepEqual(shapeToolPoints('line', [0, 0], [10, 5], 6), [0, 0, 10, 5]);
  assert.deepEqual(shapeToolPoints('rectangle', [0, 0], [10, 5], 6), [0, 0, 10, 0, 10, 5, 0, 5, 0, 0]);
  const arrow = shapeToolPoints('arrow', [0, 0], [100, 0], 6);
  assert.deepEqual([...arrow.slice(0, 4), ...arrow.slice(6, 8)], [0, 0, 100, 0, 100, 0]);
  assert.ok(arrow[4] < 100 && arrow[4] > 60 && Math.abs(arrow[5] + arrow[9]) < 1e-9 && arrow[5] !== 0);
  const short = shapeToolPoints('arrow', [0, 0], [8, 0], 6);
  assert.ok(short[4] > 4, 'a head is no longer than half its shaft');
  const ellipse = shapeToolPoints('ellipse', [0, 0], [40, 20], 6);
  assert.deepEqual(ellipse.slice(0, 2), ellipse.slice(-2));
  for (let at = 0; at < ellipse.length; at += 2) {
    assert.ok(Math.abs(((ellipse[at] - 20) / 20) ** 2 + ((ellipse[at + 1] - 10) / 10) ** 2 - 1) < 1e-9);
  }
});

test('with Shift a shape is square, and a line has steps of an eighth turn', () => {
  assert.deepEqual(regular('rectangle', [0, 0], [-30, 10]), [-30, 30]);
  assert.deepEqual(regular('ellipse', [5, 5], [6, -5]), [15, -5]);
  const [x, y] = regular('line', [0, 0], [100, 8]);
  assert.ok(Math.abs(x - 100) < 1e-9 && Math.abs(y) < 1e-9);
  const [across, down] = regular('arrow', [0, 0], [50, 40]);
  assert.ok(Math.abs(across - 45) < 1e-9 && Math.abs(down - 45) < 1e-9);
});

test('shapes are stroked, freehand strokes are filled, and highlighters are transparent', () => {
  const looks = ['pen', 'highlighter', ...SHAPE_TOOLS].map((tool) =>
    paintStyleOf(new Stroke({ ...LOOK, tool, id: 'x', z: 1 }))
  );
  assert.deepEqual(looks.map(({ lineWidth }) => lineWidth), [null, null, 6, 6, 6, 6]);
  assert.deepEqual(looks.map(({ alpha }) => alpha < 1), [false, true, false, false, false, false]);
  const traced = SHAPE_TOOLS.map((tool) => {
    const stroke = new Stroke({ ...LOOK, tool, id: 'x', z: 1 });
    stroke.append(shapeToolPoints(tool, [0, 0], [40, 20], 6), null);
    const path = recordingPath();
    trace(stroke, path);
    return [path.calls[0], path.calls.at(-1)];
  });
  assert.deepEqual(traced.map(([, last]) => last === 'closePath'), SHAPE_TOOLS.map(isClosed));
  assert.deepEqual(traced.map(([first]) => first).slice(0, 3), Array.from({ length: 3 }, () => 'moveTo 0 0'));
});

test('a highlighter ignores pressure', () => {
  const stroke = new Stroke({ ...LOOK, tool: 'highlighter', width: 20, id: 'x', z: 1 });
  stroke.append([0, 0, 50, 0, 100, 0], [0.1, 1, 0.4]);
  const path = recordingPath();
  trace(stroke, path);
  const heights = path.calls.filter((one) => !one.startsWith('arc')).map((one) => Math.abs(Number(one.split(' ')[2])));
  assert.ok(heights.every((height) => Number.isNaN(height) || height === 10 || height === 0));
});

test('§6 a growing shape is sent as a replace, then as replaces with existing; the last one is sent at once', () => {
  const { drawing, shapes, last } = shared();
  drawing.drawShape(LOOK, keyOf(1), [0, 0], [10, 10]);
  drawing.drawShape(LOOK, keyOf(1), [0, 0], [20, 10]);
  drawing.drawShape(LOOK, keyOf(1), [0, 0], [30, 10]);
  drawing.flush(1e9);
  drawing.flush(1e9 + 16);
  drawing.drawShape(LOOK, keyOf(1), [0, 0], [40, 10]);
  drawing.endStroke();
  const said = last().said.map(({ flags, payload }) => [flags, JSON.parse(payload)]);
  assert.deepEqual(said.map(([flags, { points, growing }]) => [flags, points[2][0], growing]), [
    [REPLACE, 10, true],
    [REPLACE | EXISTING, 30, true],
    [REPLACE | EXISTING, 40, undefined],
  ]);
  assert.deepEqual(new Set(said.map(([, { z, id }]) => `${z} ${id}`)), new Set([`1 ${keyOf(1)}`]));
  assert.equal(shapes.find(keyOf(1))?.isFinished, true);
  drawing.undo();
  assert.equal(shapes.size, 0);
  drawing.redo();
  assert.equal(shapes.size, 1);
});

test('a cancelled shape leaves no trace', () => {
  const { drawing, shapes, last } = shared();
  drawing.drawShape(LOOK, keyOf(1), [0, 0], [10, 10]);
  drawing.cancelStroke();
  assert.equal(shapes.size, 0);
  assert.deepEqual(last().said.map(({ flags }) => flags), [REPLACE, REMOVE]);
  assert.equal(drawing.canUndo, false);
});

test('a shape that others erase while it is drawn disappears', () => {
  const { drawing, shapes, last } = shared();
  drawing.drawShape(LOOK, keyOf(1), [0, 0], [10, 10]);
  last().entries(said({ flags: REPLACE, type: STROKE_TYPE, payload: JSON.parse(last().said[0].payload) }, 1, 1, 1));
  last().entries(gatewayEntry({ flags: REMOVE, sequence: 2, sender: 2, clientSequence: 1, key: 1, type: STROKE_TYPE }));
  assert.equal(drawing.drawShape(LOOK, keyOf(1), [0, 0], [20, 20]), false);
  drawing.endStroke();
  assert.equal(shapes.size, 0);
  assert.equal(drawing.canUndo, false);
});

test('§6 growing shapes and texts of others are shown', () => {
  const { shapes, last } = shared();
  last().entries(said({ flags: REPLACE, type: TEXT_TYPE, payload: { ...WRITTEN, growing: true } }, 9, 1));
  assert.equal(shapes.find(keyOf(9))?.isFinished, false);
  last().entries(said({ flags: REPLACE, type: TEXT_TYPE, payload: WRITTEN }, 9, 2));
  const text = /** @type {Text} */ (shapes.find(keyOf(9)));
  assert.deepEqual([text.text, text.x, text.y, text.isFinished], ['Milk\nand bread', 10, 20, true]);
  last().entries(said({ flags: APPEND, type: STROKE_TYPE, payload: { point: [1, 1] } }, 9, 3));
  last().entries(said({ flags: APPEND, type: TEXT_TYPE, payload: { ...WRITTEN, text: 'Eggs' } }, 9, 4));
  assert.equal(shapes.find(keyOf(9)), text, 'nothing can be added to a text');
});

test('§6 typed text is sent letter by letter, at a limited rate', () => {
  const { drawing, shapes, last } = shared();
  const type = (/** @type {string} */ text) => drawing.writeText(keyOf(1), text, TYPE, [5, 6]);
  assert.equal(type('M'), true);
  type('Mi');
  assert.equal(drawing.flush(performance.now() + 20), true);
  type('Milk');
  assert.equal(drawing.flush(performance.now() + 1000), false);
  drawing.endStroke();
  assert.deepEqual(last().said.map(({ flags, payload }) => [flags, JSON.parse(payload).text]), [
    [REPLACE, 'M'],
    [REPLACE | EXISTING, 'Milk'],
    [REPLACE | EXISTING, 'Milk'],
  ]);
  const { at, ...message } = JSON.parse(last().said.at(-1)?.payload ?? '');
  assert.ok(Number.isInteger(at));
  assert.deepEqual(message, {
    id: keyOf(1),
    text: 'Milk',
    point: [5, 6],
    ...TYPE,
    z: 1,
  });
  assert.equal(drawing.pendingShapes, 1);
  drawing.undo();
  assert.equal(shapes.size, 0);
});

test('an edit of a text is one undo step, also after the text was moved', () => {
  const { drawing, shapes, last } = shared();
  last().entries(said({ flags: REPLACE, type: TEXT_TYPE, payload: WRITTEN }, 9, 1));
  drawing.writeText(keyOf(9), 'Milk', TYPE, [0, 0]);
  drawing.writeText(keyOf(9), 'Honey', TYPE, [0, 0]);
  drawing.endStroke();
  assert.deepEqual(last().said.map(({ flags }) => flags), [REPLACE | EXISTING, REPLACE | EXISTING]);
  const moved = { ...WRITTEN, text: 'Honey', point: [70, 80] };
  last().entries(said({ flags: REPLACE, type: TEXT_TYPE, payload: JSON.parse(last().said[1].payload) }, 9, 2, 1));
  last().entries(said({ flags: REPLACE, type: TEXT_TYPE, payload: moved }, 9, 3));
  drawing.undo();
  const now = /** @type {Text} */ (shapes.find(keyOf(9)));
  assert.deepEqual([now.text, now.x, now.z], [WRITTEN.text, 70, 7]);
  drawing.redo();
  assert.equal(/** @type {Text} */ (shapes.find(keyOf(9))).text, 'Honey');
});

test('an unchanged text is no undo step; an emptied text is removed, and restored by an undo', () => {
  const { drawing, shapes } = alone();
  drawing.writeText(keyOf(1), 'Milk', TYPE, [0, 0]);
  drawing.endStroke();
  drawing.writeText(keyOf(1), 'Milk', TYPE, [0, 0]);
  drawing.endStroke();
  drawing.undo();
  assert.equal(shapes.size, 0);
  drawing.redo();
  drawing.writeText(keyOf(1), '', TYPE, [0, 0]);
  drawing.endStroke();
  assert.equal(shapes.size, 0);
  drawing.undo();
  assert.equal(/** @type {Text} */ (shapes.all[0]).text, 'Milk');
});

test('a new empty text leaves no trace', () => {
  const { drawing, shapes, last } = shared();
  drawing.writeText(keyOf(1), 'M', TYPE, [0, 0]);
  drawing.writeText(keyOf(1), '', TYPE, [0, 0]);
  drawing.endStroke();
  assert.equal(shapes.size, 0);
  assert.equal(drawing.canUndo, false);
  assert.deepEqual(last().said.map(({ flags }) => flags), [REPLACE, REMOVE]);
});

test('an edit of a text removed by others cannot be undone', () => {
  const { drawing, shapes } = alone();
  let isTold = false;
  drawing.addEventListener('undofailed', () => (isTold = true));
  drawing.writeText(keyOf(1), 'Milk', TYPE, [0, 0]);
  drawing.endStroke();
  drawing.writeText(keyOf(1), 'Honey', TYPE, [0, 0]);
  drawing.endStroke();
  shapes.clear();
  drawing.undo();
  assert.deepEqual([isTold, shapes.size], [true, 0]);
});

test('the eraser hits a text anywhere in its box', () => {
  const index = new ShapeIndex();
  const text = new Text({ ...TYPE, id: 'x', text: 'Milk\nand bread', x: 0, y: 0, z: 1, size: 600 });
  index.shown(text);
  assert.deepEqual(index.near([700, 400], [701, 401], 5), [text]);
  assert.deepEqual(index.near([700, 1495], [701, 1496], 5), [text]);
  assert.deepEqual(index.near([700, 1540], [701, 1541], 5), []);
  index.hidden(text);
  assert.deepEqual(index.near([700, 400], [701, 401], 5), []);
});

test('a moved and enlarged text keeps its content', () => {
  const text = new Text({ ...TYPE, id: 'x', text: 'Milk', x: 10, y: 20, z: 3 });
  const { x, y, size, id, z } = text.moved({ factor: 2, x: 5, y: -5 });
  assert.deepEqual([x, y, size, id, z], [25, 35, 40, 'x', 3]);
  assert.equal(text.looksLike(text.with({})), true);
  assert.equal(text.looksLike(text.with({ text: 'Honey' })), false);
});

function alone() {
  const shapes = new Shapes();
  return { shapes, drawing: new Drawing(shapes) };
}

function shared() {
  const { shapes, drawing } = alone();
  const world = fakeSession();
  drawing.attach(world.session, { bringsPicture: false });
  world.session.join();
  welcome(world.last(), {});
  return { ...world, shapes, drawing };
}

/**
 * Returns an entry as the gateway forwards it.
 * @param {{ flags: number, type: string, payload: object }} entry @param {number} key @param {number} sequence
 * @param {number} [sender]
 */
function said(entry, key, sequence, sender = BEN.number) {
  return gatewayEntry({ ...entry, key, sequence, sender, clientSequence: sequence });
}

/** A path that records its calls. */
function recordingPath() {
  /** @type {string[]} */
  const calls = [];
  const tell = (/** @type {string} */ name) => (/** @type {unknown[]} */ ...values) =>
    void calls.push([name, ...values].join(' '));
  const names = ['moveTo', 'lineTo', 'quadraticCurveTo', 'arc', 'closePath'];
  return /** @type {any} */ ({ calls, ...Object.fromEntries(names.map((name) => [name, tell(name)])) });
}
