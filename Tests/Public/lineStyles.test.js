/** Adaptive ink, fills, dashes and opacity: on the wire, under the pointer, and painted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { closedShapeAround, topmostAt } from '../../Public/js/model/hitTest.js';
import { dashPattern, isFilled, isInside } from '../../Public/js/model/lineStyle.js';
import { ADAPTIVE, GRAYS, luminance, nearestColor, paintedColor, PALETTE } from '../../Public/js/model/palette.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { shapeToolPoints } from '../../Public/js/model/strokeOutline.js';
import { Text } from '../../Public/js/model/text.js';
import { drawingText, readDrawing } from '../../Public/js/persist/drawingFile.js';
import { encodeShape, readShape } from '../../Public/js/protocol/shapeMessages.js';
import { shapeTag } from '../../Public/js/render/export/svg.js';
import { paintShape, paintStyleOf } from '../../Public/js/render/shapePainter.js';
import { deserialize, serialize, TilePainter } from '../../Public/js/render/tiles/tilePainter.js';
import { Settings } from '../../Public/js/ui/settings.js';
import { COLORS, StylePicker } from '../../Public/js/ui/stylePicker.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };
const INK = '#1d1d20';
/** A circle as by hand, whose ends nearly meet. */
const LOOP = Array.from({ length: 40 }, (_, at) => [100 + 50 * Math.cos(at / 6.6), 100 + 50 * Math.sin(at / 6.6)])
  .flat();

/** The calls of the painted paths. */
class FakePath {
  /** @type {string[]} */
  calls = [];
  moveTo = () => this.calls.push('moveTo');
  lineTo = () => this.calls.push('lineTo');
  quadraticCurveTo = () => this.calls.push('quadraticCurveTo');
  arc = () => this.calls.push('arc');
  closePath = () => this.calls.push('closePath');
}
Object.assign(globalThis, { Path2D: FakePath });

test('an ordinary stroke needs as many bytes on the wire as before', () => {
  const { payload } = encodeShape(strokeOf({}, [1, 2, 3, 4]));
  assert.deepEqual(Object.keys(JSON.parse(new TextDecoder().decode(payload))), [
    'id',
    'color',
    'point',
    'points',
    'width',
    'tool',
    'rgb',
    'z',
  ]);
});

test('fill, dashes and opacity are sent and read again, also in a file', async () => {
  const styles = [{}, { fill: 'tint', opacity: 0.25 }, { fill: 'solid', dash: 'dotted' }, {
    dash: 'dashed',
    opacity: 0.5,
  }];
  const shapes = styles.map((style) =>
    strokeOf({ ...style, tool: 'rectangle' }, shapeToolPoints('rectangle', [0, 0], [9, 9], 6))
  );
  const read = shapes.map((shape) => readShape({ ...encodeShape(shape), retention: 5 }, 'x', 1)?.(undefined));
  assert.deepEqual(read.map(styleOf), shapes.map(styleOf));
  const { shapes: opened } = await readDrawing(drawingText(shapes), () => 'y');
  assert.deepEqual(opened.map(styleOf), shapes.map(styleOf));
});

test('a moved stroke keeps its style, and strokes with different styles look different', () => {
  const stroke = strokeOf({ fill: 'tint', dash: 'dashed', opacity: 0.5 }, [1, 2, 3, 4]);
  const same = stroke.moved({ factor: 1, x: 0, y: 0 });
  assert.deepEqual(styleOf(same), styleOf(stroke));
  assert.equal(stroke.looksLike(same), true);
  for (const change of [{ fill: '' }, { dash: 'dotted' }, { opacity: 0.6 }]) {
    assert.equal(stroke.looksLike(Object.assign(stroke.moved({ factor: 1, x: 0, y: 0 }), change)), false);
  }
});

test('adaptive ink has the color of the paper’s ink; other pages show a gray that is visible on both papers', () => {
  assert.equal(paintedColor(ADAPTIVE, INK), INK);
  assert.equal(paintedColor('#7f8186', INK), '#7f8186');
  for (const gray of [ADAPTIVE, ...GRAYS]) assert.ok(luminance(gray) > 0.12 && luminance(gray) < 0.4, gray);
  const text = new Text({
    id: 'B',
    text: 'Hi',
    x: 0,
    y: 0,
    size: 20,
    rgb: ADAPTIVE,
    color: nearestColor(ADAPTIVE),
    z: 2,
  });
  assert.deepEqual([text, strokeOf({ rgb: ADAPTIVE }, [1, 1])].map((shape) => paintStyleOf(shape, INK).color), [
    INK,
    INK,
  ]);
  assert.match(shapeTag(text, INK), /fill="#1d1d20"/);
  assert.match(shapeTag(strokeOf({ rgb: ADAPTIVE, tool: 'line' }, [0, 0, 9, 9]), '#f1f1f3'), /stroke="#f1f1f3"/);
});

test('adaptive ink is the first color, and every color of the palette is offered once', () => {
  assert.equal(COLORS[0], ADAPTIVE);
  assert.deepEqual(COLORS.toSorted(), [ADAPTIVE, ...PALETTE, ...GRAYS].toSorted());
  const picker = pickerOf();
  assert.equal(picker.ink.rgb, picker.own);
  picker.chooseColor(0);
  assert.deepEqual(picker.ink, { rgb: ADAPTIVE, color: nearestColor(ADAPTIVE) });
  picker.chooseColor(1);
  assert.deepEqual(picker.ink, { rgb: PALETTE[0], color: 0 });
});

test('the chosen color is stored; a stored color that is not offered is ignored', () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  pickerOf(kept).chooseColor(2);
  assert.equal(pickerOf(kept).ink.rgb, COLORS[2]);
  pickerOf(kept).chooseOwn();
  assert.equal(pickerOf(kept).ink.rgb, pickerOf(kept).own);
  kept.set('drawtogether:ink', 'url(//x)');
  assert.equal(pickerOf(kept).ink.rgb, pickerOf(kept).own);
});

test('a style applies to the tools and shapes that support it', () => {
  const picker = pickerOf();
  /** @type {string[]} */
  const changes = [];
  picker.addEventListener('change', (event) => changes.push(/** @type {CustomEvent} */ (event).detail));
  picker.chooseLine('fill', 'tint');
  picker.chooseLine('dash', 'dashed');
  picker.chooseLine('opacity', 0.5);
  picker.stepWidth(1);
  picker.stepWidth(1);
  assert.deepEqual(changes, ['fill', 'dash', 'opacity', 'width']);
  const chosen = ['rectangle', 'pen', 'highlighter'].map((tool) => picker.strokeStyle(tool));
  assert.deepEqual(chosen.map(({ fill, dash, opacity }) => [fill, dash, opacity]), [
    ['tint', 'dashed', 0.5],
    // The loops of written letters stay empty.
    ['', 'dashed', 0.5],
    [undefined, undefined, undefined],
  ]);
  const text = new Text({ id: 'B', text: 'Hi', x: 0, y: 0, size: 20, rgb: INK, color: 0, z: 2 });
  const shapes = [strokeOf({}, LOOP), strokeOf({ tool: 'highlighter' }, LOOP), text];
  assert.deepEqual(shapes.map((shape) => picker.styleChange(shape, 'fill')), [{ fill: 'tint' }, {}, {}]);
  assert.deepEqual(shapes.map((shape) => picker.styleChange(shape, 'width')), [{ width: 14 }, { width: 34 }, {
    size: 44,
  }]);
});

test('only closed lines are filled', () => {
  const filled = (/** @type {object} */ style, /** @type {number[]} */ points) =>
    isFilled(strokeOf({ fill: 'tint', ...style }, points));
  assert.equal(filled({}, LOOP), true);
  assert.equal(filled({}, LOOP.slice(0, 40)), false, 'half a circle');
  assert.equal(filled({ fill: '' }, LOOP), false);
  assert.equal(filled({ tool: 'highlighter' }, LOOP), false);
  assert.equal(filled({ tool: 'arrow' }, [0, 0, 50, 0, 40, 5, 50, 0, 40, -5]), false);
  assert.equal(filled({ tool: 'rectangle' }, [0, 0, 9, 0, 9, 9, 0, 9, 0, 0]), true);
  for (const points of [[5, 5], [5, 5, 5, 5], [0, 0, 90, 0]]) assert.equal(filled({}, points), false, 'no area');
});

test('a point is inside a line that winds around it, also where the line crosses itself', () => {
  const eight = [0, 0, 100, 100, 100, 0, 0, 100];
  assert.deepEqual([[90, 50], [10, 50], [50, 10], [50, 90]].map(([x, y]) => isInside(eight, [x, y])), [
    true,
    true,
    false,
    false,
  ]);
  // A star: its middle, around which the line goes twice.
  const star = [0, 1, 2, 3, 4].flatMap((at) => [Math.sin(at * 0.8 * Math.PI), Math.cos(at * 0.8 * Math.PI)]);
  assert.equal(isInside(star, [0, 0]), true);
  assert.equal(isInside([5, 5], [5, 5]), false);
});

test('a filled shape is hit inside, a shape without a fill only at its line', () => {
  const { shapes, index } = planeOf();
  const items = new Items();
  const points = shapeToolPoints('rectangle', [0, 0], [200, 200], 6);
  shapes.set(strokeOf({ tool: 'rectangle', id: 'A', z: 1 }, points));
  assert.equal(topmostAt({ shapes, index, items }, 100, 100, 9), null);
  assert.equal(closedShapeAround({ shapes, index, items }, 100, 100)?.id, 'A');
  shapes.set(strokeOf({ tool: 'rectangle', id: 'A', z: 1, fill: 'tint' }, points));
  assert.equal(topmostAt({ shapes, index, items }, 100, 100, 9)?.id, 'A');
  assert.equal(topmostAt({ shapes, index, items }, 230, 100, 9), null);
});

test('dashes become longer with the width; a line of countless dashes is solid', () => {
  const pattern = (/** @type {object} */ style, points = [0, 0, 500, 0]) => dashPattern(strokeOf(style, points));
  assert.deepEqual([pattern({}), pattern({ dash: 'dashed', tool: 'highlighter' })], [null, null]);
  assert.deepEqual(pattern({ dash: 'dashed', width: 10 }), [20, 25]);
  assert.deepEqual(pattern({ dash: 'dashed', width: 0.5 }), pattern({ dash: 'dashed', width: 2 }));
  const far = Array.from({ length: 1000 }, (_, at) => [at % 2 * 2e6 - 1e6, 0]).flat();
  assert.equal(pattern({ dash: 'dotted' }, far), null);
  assert.equal(paintStyleOf(strokeOf({ dash: 'dotted' }, far), INK).lineWidth, null);
});

test('a dashed pen stroke is a line of one width, and its dot is painted too', () => {
  const style = paintStyleOf(strokeOf({ dash: 'dashed' }, LOOP), INK);
  assert.deepEqual([style.lineWidth, style.dashes], [6, [12, 15]]);
  const context = fakeContext();
  paintShape(context, strokeOf({ dash: 'dashed' }, [5, 5]), INK);
  assert.deepEqual(context.done, [['stroke', 1, [12, 15], ['moveTo', 'lineTo']]]);
  assert.deepEqual(context.dash, [], 'the next shape is solid');
});

test('an area is painted below its line; both together are transparent', () => {
  const context = fakeContext();
  paintShape(context, strokeOf({ fill: 'tint' }, LOOP), INK);
  assert.deepEqual(context.done.map(([what, alpha]) => [what, alpha]), [['fill', 0.2], ['fill', 1]]);
  const scratch = fakeContext();
  Object.assign(globalThis, {
    OffscreenCanvas: class {
      getContext = () => Object.assign(scratch, { canvas: this });
    },
  });
  const group = fakeContext();
  paintShape(
    group,
    strokeOf({ tool: 'ellipse', fill: 'solid', opacity: 0.5 }, shapeToolPoints('ellipse', [10, 10], [60, 40], 6)),
    INK,
  );
  assert.deepEqual(scratch.done.map(([what, alpha]) => [what, alpha]), [['fill', 1], ['stroke', 1]]);
  assert.deepEqual(group.done, [['drawImage', 0.5, scratch.canvas, 4, 4]]);
  assert.deepEqual([scratch.canvas.width, scratch.canvas.height], [62, 42]);
  // It is outside of the canvas.
  paintShape(
    group,
    strokeOf({ tool: 'rectangle', fill: 'tint', opacity: 0.5 }, [900, 0, 950, 0, 950, 9, 900, 9, 900, 0]),
    INK,
  );
  assert.equal(group.done.length, 1);
});

test('an SVG has the fill, the dashes and the opacity', () => {
  const box = [0, 0, 9, 0, 9, 9, 0, 9, 0, 0];
  const tag = shapeTag(strokeOf({ tool: 'rectangle', fill: 'tint', dash: 'dashed', opacity: 0.5 }, box), INK);
  assert.match(
    tag,
    /^<g opacity="0\.5"><path fill="#e5484d" fill-opacity="0\.2" d="[^"]+Z"\/><path fill="none" stroke="#e5484d" /,
  );
  assert.match(tag, / stroke-dasharray="12 15" d="[^"]+"\/><\/g>\n$/);
  assert.match(
    shapeTag(strokeOf({ fill: 'solid' }, LOOP), INK),
    /^<g><path fill="#e5484d" d="[^"]+Z"\/><path fill="#e5484d" d=/,
  );
});

test('tiles have the styles, and the ink of the paper for which they are painted', () => {
  const drawn = [
    strokeOf({ id: 'A', z: 1, rgb: ADAPTIVE, width: 2 }, [10, 10, 20, 20]),
    strokeOf({ id: 'B', z: 2, rgb: ADAPTIVE, width: 2, dash: 'dashed' }, [10, 10, 20, 20]),
    strokeOf({ id: 'C', z: 3, rgb: ADAPTIVE, width: 2, tool: 'rectangle', fill: 'tint' }, [
      0,
      0,
      90,
      0,
      90,
      90,
      0,
      90,
      0,
      0,
    ]),
  ];
  const { items, numbers } = serialize(drawn, () => assert.fail('no picture'));
  const restored = deserialize(structuredClone(items), structuredClone(numbers));
  assert.deepEqual(restored.map(({ shape }) => styleOf(shape)), drawn.map(styleOf));
  const painter = new TilePainter();
  painter.put(items, numbers);
  for (const ink of [INK, '#f1f1f3']) {
    const context = fakeContext();
    for (const _ of painter.paint(context, { scale: 0.1, left: 0, top: 0, size: 512, ink }));
    // A hairline, a dashed line, and an area with its line.
    assert.deepEqual(context.done.map(([what]) => what), ['stroke', 'stroke', 'fill', 'stroke']);
    assert.deepEqual(new Set(context.colors), new Set([ink]));
  }
});

test('a growing stroke carries its style from its first message on', () => {
  const shapes = new Shapes();
  const drawing = new Drawing(shapes, () => 'A');
  drawing.beginStroke({ ...LOOK, dash: 'dotted', opacity: 0.5 }, [1, 1], null);
  drawing.extendStroke([2, 2], null);
  drawing.endStroke();
  assert.deepEqual(shapes.all.map(styleOf), [['', 'dotted', 0.5]]);
});

/** @param {any} shape */
function styleOf({ fill, dash, opacity }) {
  return [fill, dash, opacity];
}

/** @param {object} style @param {number[]} points */
function strokeOf(style, points) {
  const stroke = new Stroke({ ...LOOK, id: 'x', z: 1, ...style });
  stroke.append(points, null);
  stroke.isFinished = true;
  return stroke;
}

function planeOf() {
  const shapes = new Shapes();
  const index = new ShapeIndex();
  shapes.observe(index);
  return { shapes, index };
}

/** @param {Map<string, string>} [kept] what the browser stores */
function pickerOf(kept = new Map()) {
  const storage = {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: () => {},
  };
  return new StylePicker(new Settings(storage, () => 0.3));
}

/** @returns {any} a context that records what is painted, and how */
function fakeContext() {
  /** @type {any} */
  const context = { done: [], colors: [], dash: [], globalAlpha: 1, canvas: { width: 800, height: 600 } };
  for (const name of ['setTransform', 'clearRect', 'save', 'restore', 'beginPath', 'moveTo', 'lineTo']) {
    context[name] = () => {};
  }
  context.getTransform = () => ({ a: 1, e: 0, f: 0 });
  context.setLineDash = (/** @type {number[]} */ dash) => context.dash = dash;
  context.fill = () => {
    context.done.push(['fill', context.globalAlpha]);
    context.colors.push(context.fillStyle);
  };
  context.stroke = (/** @type {FakePath | undefined} */ path) => {
    context.done.push(['stroke', context.globalAlpha, context.dash, path?.calls ?? []]);
    context.colors.push(context.strokeStyle);
  };
  context.drawImage = (/** @type {unknown[]} */ ...image) =>
    context.done.push(['drawImage', context.globalAlpha, ...image]);
  return context;
}
