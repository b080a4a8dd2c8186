import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Item } from '../../Public/js/model/item.js';
import { Text } from '../../Public/js/model/text.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import {
  checkSize,
  isDrawingFile,
  MAX_BYTES,
  MAX_ITEMS,
  readDrawing,
  writeDrawing,
} from '../../Public/js/persist/drawingFile.js';
import { extentOf, inSlices } from '../../Public/js/render/export/raster.js';
import { escaped, shapeTag, svgOf, SVGPath } from '../../Public/js/render/export/svg.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 6, z: 1 };
const COLORS = {
  surface: '#fff',
  raised: '#eee',
  line: '#ddd',
  text: '#111',
  soft: '#555',
  accent: '#00f',
  font: 'sans',
};
const { signal } = new AbortController();

/** @param {string} tool @param {number[]} points */
function stroke(tool, points) {
  const made = new Stroke({ ...LOOK, id: tool, tool });
  made.append(points, null);
  return made;
}

/** @param {Partial<Item>} [properties] */
function item(properties) {
  const place = { x: 100, y: 50, width: 80, height: 40, z: 3 };
  return Object.assign(new Item({ id: 'I', name: 'a.png', contentType: 'image/png', size: 3, place }), properties);
}

/** @param {Blob} blob */
const textOf = async (blob) => new TextDecoder().decode(await blob.arrayBuffer());

test('a traced outline is an SVG path; a circle has two halves', () => {
  const path = new SVGPath();
  path.moveTo(13, 10);
  path.arc(10, 10, 3);
  path.moveTo(0.126, -1.5);
  path.quadraticCurveTo(1, 2, 3, 4);
  path.lineTo(5, 6);
  path.closePath();
  assert.equal(String(path), 'M13,10A3,3 0 1 0 7,10A3,3 0 1 0 13,10M0.13,-1.5Q1,2 3,4L5,6Z');
});

test('strokes are filled, shapes are lines, highlighters are transparent', () => {
  assert.match(shapeTag(stroke('pen', [0, 0, 10, 0])), /^<path fill="#e5484d" d="M[^"]+Z"\/>\n$/);
  const line =
    '<path fill="none" stroke="#e5484d" stroke-width="6" stroke-linecap="round" stroke-linejoin="round" d="M0,0L10,0"/>\n';
  assert.equal(shapeTag(stroke('line', [0, 0, 10, 0])), line);
  assert.match(shapeTag(stroke('highlighter', [0, 0, 10, 0])), / opacity="0\.\d+" /);
});

test('a text keeps its lines and is escaped', () => {
  const text = new Text({ ...LOOK, id: 'T', text: 'a <b>\n“c” & d', x: 5, y: 20, size: 16 });
  const tag = shapeTag(text);
  assert.match(tag, /^<text fill="#e5484d" font-family="[^"<]+" font-size="16" xml:space="preserve">/);
  const spans = [...tag.matchAll(/<tspan x="5" y="([\d.]+)">([^<]*)<\/tspan>/g)];
  assert.deepEqual(spans.map(([, , words]) => words), ['a &#60;b&#62;', '“c” &#38; d']);
  assert.equal(Number(spans[1][1]) - Number(spans[0][1]), 20);
  assert.equal(escaped('a\u0000\u001b\ud800"\u{1f600}\ufffe'), 'a\ufffd\ufffd\ufffd&#34;\u{1f600}\ufffd');
});

test('pictures are embedded, and unavailable ones are counted', async () => {
  const drawables = [stroke('pen', [0, 0, 10, 0]), item(), item({ name: '<card>', contentType: 'text/plain' })];
  const order = { drawables, paper: '#fff', signal };
  const whole = await svgOf(order, COLORS, () => Promise.resolve('data:image/png;base64,AA=='));
  const text = await textOf(whole.blob);
  assert.equal(whole.missing, 0);
  assert.match(
    text,
    /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" xmlns:xlink=[^>]* viewBox="-31 -31 195 125">\n<rect x="-31"/,
  );
  assert.match(text, /<image x="60" y="30" width="80" height="40" [^>]*xlink:href="data:image\/png;base64,AA=="/);
  assert.match(text, />…&#60;card&#62;</);
  const without = await svgOf({ ...order, paper: '' }, COLORS, () => Promise.reject(new Error('gone')));
  assert.equal(without.missing, 1);
  assert.doesNotMatch(await textOf(without.blob), /<image|<rect x="-31"/);
});

test('an opened drawing equals the original, with new ids', async () => {
  const text = new Text({ ...LOOK, id: 'T', text: 'hello', x: 5, y: 20, size: 16 });
  const blob = new Blob([Uint8Array.of(0, 255, 7)]);
  const globals = /** @type {any} */ (globalThis);
  globals.FileReader = class {
    /** @param {Blob} blob */
    async readAsDataURL(blob) {
      const base64 = Buffer.from(await blob.arrayBuffer()).toString('base64');
      Object.assign(this, { result: `data:;base64,${base64}` });
      /** @type {any} */ (this).onload();
    }
  };
  const drawables = [stroke('pen', [0, 0, 10, 0]), stroke('arrow', [0, 0, 9, 9]), text, item({ blob }), item()];
  const written = await writeDrawing({ drawables, signal });
  delete globals.FileReader;
  assert.equal(written.missing, 1);
  let made = 0;
  const { shapes, items, damaged } = await readDrawing(await textOf(written.blob), () => `new ${made += 1}`);
  assert.deepEqual([damaged, shapes.length, items.length], [0, 3, 1]);
  shapes.forEach((shape, at) => {
    assert.equal(shape.id, `new ${at + 1}`);
    assert.ok(shape.isFinished);
  });
  const [pen, arrow, words] = /** @type {any[]} */ (shapes);
  assert.deepEqual([pen.tool, pen.points, arrow.tool, words.text, words.size], [
    'pen',
    [0, 0, 10, 0],
    'arrow',
    'hello',
    16,
  ]);
  assert.deepEqual([...items[0].bytes], [0, 255, 7]);
  assert.deepEqual(items[0].placement, { x: 100, y: 50, width: 80, height: 40, z: 3 });
});

const MARK = { type: 'UpsertStrokeMessage', message: { color: 1, point: [1, 2], z: 4 } };
const ITEM = { name: 'a\u0000b', contentType: 'not a type', placement: { location: [1, 2] }, data: 'AAE=' };
const file = (/** @type {unknown} */ shapes, /** @type {unknown} */ items, version = 1) =>
  JSON.stringify({ drawTogether: version, marks: shapes, items });

/**
 * @type {[string, string, [number, number, number] | RegExp][]} the content of a file; and the numbers of shapes, items and
 *   damaged parts, or the error
 */
const FILES = [
  ['no JSON', 'PNG', /not a drawing/],
  ['null', 'null', /not a drawing/],
  ['something else', '{"type":"excalidraw","elements":[]}', /not a drawing/],
  ['no items', '{"drawTogether":1,"marks":[]}', /not a drawing/],
  ['a later version', file([], [], 2), /newer version/],
  ['nothing', file([], []), [0, 0, 0]],
  ['a shape and an item', file([MARK], [ITEM]), [1, 1, 0]],
  ['shapes of another kind', file([{ type: 'CursorMessage', message: { point: [1, 2] } }, null, 3, []], []), [1, 0, 3]],
  ['points beyond the plane', file([{ ...MARK, message: { point: [1e7, 0] } }], []), [0, 0, 1]],
  ['a text of nothing', file([{ type: 'UpsertTextMessage', message: { text: ' ', point: [1, 2], size: 9 } }], []), [
    0,
    0,
    1,
  ]],
  ['items of no place or no bytes', file([], [{ ...ITEM, placement: {} }, { ...ITEM, data: '*' }, 'x']), [0, 0, 3]],
  ['too many items', file([], Array(MAX_ITEMS + 1).fill(ITEM)), /1,001 files in this drawing. At most 1,000 can/],
];

for (const [what, text, expected] of FILES) {
  test(`a file with ${what} is checked`, async () => {
    if (expected instanceof RegExp) await assert.rejects(readDrawing(text, () => 'K'), expected);
    else {
      const { shapes, items, damaged } = await readDrawing(text, () => 'K');
      assert.deepEqual([shapes.length, items.length, damaged], expected);
      for (const { name, contentType } of items) {
        assert.deepEqual([name, contentType], ['ab', 'application/octet-stream']);
      }
    }
  });
}

test('a stroke that is too long is split without a gap', async () => {
  const points = Array.from({ length: 9001 }, (_, at) => [at, 0]);
  const { shapes } = await readDrawing(file([{ ...MARK, message: { ...MARK.message, points } }], []), () => 'K');
  const ends = shapes.map((shape) => /** @type {any} */ (shape).points).map((all) => [all[0], all.at(-2)]);
  assert.deepEqual(ends, [[0, 3999], [3999, 7998], [7998, 9000]]);
});

test('a file that could not be reopened is not written, and the error has its name', () => {
  assert.doesNotThrow(() => checkSize({ size: MAX_BYTES }));
  assert.throws(() => checkSize({ size: 300 * 2 ** 20 }), /This drawing is 300 MB. At most 256 MB can be opened./);
  assert.ok(isDrawingFile({ name: 'Ours.DrawTogether' }) && !isDrawingFile({ name: 'drawtogether.png' }));
});

test('the export has a margin, does not block the page, and can be cancelled', async () => {
  const bounds = { left: 0, top: 10, right: 50, bottom: 20 };
  assert.deepEqual(extentOf([{ bounds }, { bounds: { ...bounds, left: -7 } }]), {
    left: -31,
    top: -14,
    width: 105,
    height: 58,
  });
  const stopped = new AbortController();
  const seen = [];
  const reading = (async () => {
    for await (const one of inSlices([1, 2, 3], stopped.signal)) {
      seen.push(one);
      stopped.abort();
    }
  })();
  await assert.rejects(reading, { name: 'AbortError' });
  assert.deepEqual(seen, [1]);
});
