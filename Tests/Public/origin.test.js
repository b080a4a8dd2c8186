import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { readOrigin } from '../../Public/js/model/origin.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { STROKE_TYPE, TEXT_TYPE } from '../../Public/js/protocol/shapeMessages.js';
import { drawingText, readDrawing } from '../../Public/js/persist/drawingFile.js';
import { ADA, BEN, fakeSession, gatewayEntry, keyOf, welcome } from './support.js';

const REPLACE = 5;
const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };
const AT = 1_790_000_000;
const [ALONG, IDENTITY] = [{ factor: 1, x: 5, y: 0 }, { factor: 1, x: 0, y: 0 }];

test('a finished stroke names the time at which it was drawn, and its author only when another participant changes it', () => {
  const { drawing, shapes, last } = page();
  draw(drawing, [0, 0, 5, 5]);
  const own = JSON.parse(last().said.at(-1)?.payload ?? '');
  assert.ok(Math.abs(own.at - Date.now() / 1000) < 60);
  assert.equal(own.by, undefined);

  last().entries(entry(BEN.number, 9, { at: AT }));
  drawing.update([/** @type {any} */ (shapes.find(keyOf(9))).moved(ALONG)]);
  const moved = JSON.parse(last().said.at(-1)?.payload ?? '');
  assert.deepEqual([moved.by, moved.at], [BEN.number, AT]);
});

test('the author of a received shape is its sender, or the author whom the sender names', () => {
  const { shapes, last } = page();
  last().entries(entry(BEN.number, 8, { at: AT }), entry(BEN.number, 9, { by: 3, at: AT }));
  assert.deepEqual(originAt(shapes, 8), [BEN.number, BEN.number, AT]);
  assert.deepEqual(originAt(shapes, 9), [3, BEN.number, AT]);
  last().entries(entry(BEN.number, 7, { text: 'Milk', point: [0, 0], size: 20, by: 3 }, TEXT_TYPE));
  assert.deepEqual(originAt(shapes, 7), [3, BEN.number, 0]);
});

test('a shape keeps its time and author when its text is edited', () => {
  const { drawing, shapes, last } = page();
  last().entries(entry(BEN.number, 7, { text: 'Milk', point: [0, 0], size: 20, at: AT }, TEXT_TYPE));
  drawing.writeText(keyOf(7), 'Milk and bread', { rgb: '#e5484d', color: 0, size: 20 }, [0, 0]);
  drawing.endStroke();
  const { by, at } = JSON.parse(last().said.at(-1)?.payload ?? '');
  assert.deepEqual([by, at], [BEN.number, AT]);
  assert.deepEqual(originAt(shapes, 7).slice(0, 1), [BEN.number]);
});

test('the displayed stroke learns its editor although it looks the same', () => {
  const { shapes, last } = page();
  last().entries(entry(BEN.number, 9, { at: AT }));
  const before = shapes.find(keyOf(9));
  last().entries(entry(4, 9, { by: BEN.number, at: AT }, STROKE_TYPE, 2));
  assert.equal(shapes.find(keyOf(9)), before);
  assert.deepEqual(originAt(shapes, 9), [BEN.number, 4, AT]);
});

for (const value of [-1, 0, 1.5, '7', null, {}, 2 ** 40, NaN]) {
  test(`a number or time that is ${JSON.stringify(value)} is ignored`, () => {
    assert.deepEqual(readOrigin({ by: value, at: value }), { author: 0, editor: 0, madeAt: 0 });
  });
}

test('the stored picture of a session names each author', () => {
  const { drawing, last } = page();
  last().entries(entry(BEN.number, 9, { at: AT }));
  const stored = drawing.encodeConfirmed(keyOf(9));
  const { by, at } = JSON.parse(new TextDecoder().decode(stored?.payload));
  assert.deepEqual([by, at], [BEN.number, AT]);
});

test('outside of the session, the numbers of its participants are forgotten', async () => {
  const { drawing, shapes, last } = page();
  last().entries(entry(BEN.number, 9, { at: AT }));
  const text = drawingText([...shapes.all]);
  assert.ok(!text.includes('"by"') && !text.includes('"at"'));
  const forged = text.replace('"tool"', '"by":3,"at":5,"tool"');
  const { shapes: [copy] } = await readDrawing(forged, () => keyOf(5));
  assert.deepEqual([copy.author, copy.editor, copy.madeAt], [0, 0, 0]);
  drawing.detach();
  assert.deepEqual(originAt(shapes, 9), [0, 0, AT]);
});

test('a moved copy keeps the origin', () => {
  const { shapes, last } = page();
  last().entries(entry(BEN.number, 9, { at: AT }));
  const copy = /** @type {any} */ (shapes.find(keyOf(9))).moved(IDENTITY);
  assert.deepEqual([copy.author, copy.editor, copy.madeAt], [BEN.number, BEN.number, AT]);
});

/** A page in a session as Ada. */
function page() {
  const shapes = new Shapes();
  let keys = 0;
  const drawing = new Drawing(shapes, () => keyOf(keys += 1));
  const { session, last } = fakeSession();
  drawing.attach(session, { bringsPicture: false });
  session.join();
  welcome(last(), { participant: ADA });
  return { shapes, drawing, last };
}

/** @param {Drawing} drawing @param {number[]} points */
function draw(drawing, points) {
  drawing.beginStroke(LOOK, points.slice(0, 2), null);
  drawing.extendStroke(points.slice(2), null);
  drawing.endStroke();
}

/**
 * @param {number} sender @param {number} key @param {object} more members of the message @param {string} [type]
 * @param {number} [sequence]
 */
function entry(sender, key, more, type = STROKE_TYPE, sequence = 1) {
  const payload = { ...LOOK, id: keyOf(key), point: [1, 1], points: [[0, 0], [1, 1]], z: 1, ...more };
  return gatewayEntry({ flags: REPLACE, sequence, sender, clientSequence: sequence, key, type, payload });
}

/** @param {Shapes} shapes @param {number} key @returns {number[]} author, editor and time */
function originAt(shapes, key) {
  const shape = shapes.find(keyOf(key));
  return shape ? [shape.author, shape.editor, shape.madeAt] : [];
}
