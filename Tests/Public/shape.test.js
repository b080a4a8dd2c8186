import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import {
  isRGB,
  luminance,
  nearestColor,
  PALETTE,
  PEOPLE_COLORS,
  personalColor,
  textOn,
} from '../../Public/js/model/palette.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { outline, segmentDistance, smoothed } from '../../Public/js/model/strokeOutline.js';
import { CursorSender, RemoteCursors } from '../../Public/js/protocol/cursorMessage.js';
import { MAX_POINTS, Stroke } from '../../Public/js/model/stroke.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { NO_ORIGIN } from '../../Public/js/model/origin.js';
import { readStroke } from '../../Public/js/protocol/shapeMessages.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { Pinch } from '../../Public/js/tools/panTool.js';
import { cleanName, randomName, Settings } from '../../Public/js/ui/settings.js';
import { en } from '../../Public/js/i18n/later/en.js';
import { de } from '../../Public/js/i18n/later/de.js';
import { vectors } from './vectors.js';

const GOOD = {
  id: 'x',
  color: 3,
  point: [1, 2],
  points: [[0, 0], [1, 2]],
  width: 4,
  tool: 'pen',
  rgb: '#ABCDEF',
  z: 7,
};

/** Messages on the wire, and the result: null if the message is invalid, or the differences from a valid one. */
const READ = [
  { rule: 'a whole message', change: {}, gives: {} },
  {
    rule: 'the sample’s',
    change: { points: undefined, width: undefined, rgb: undefined, z: undefined, tool: undefined },
    gives: { points: [1, 2], width: 3, rgb: PALETTE[3], z: null, tool: 'pen' },
  },
  { rule: 'no point', change: { points: [], point: undefined }, gives: null },
  { rule: 'a point of one', change: { points: [[1]] }, gives: null },
  { rule: 'a point of text', change: { points: [['1', '2']] }, gives: null },
  { rule: 'a point off the plane', change: { points: [[1_000_001, 0]] }, gives: null },
  {
    rule: 'a point at the edge of the plane',
    change: { points: [[-1_000_000, 1_000_000]] },
    gives: { points: [-1_000_000, 1_000_000] },
  },
  { rule: 'a point that is no number in JSON', change: { points: [[null, 0]] }, gives: null },
  { rule: 'points that are no list', change: { points: 'all', point: [5, 6] }, gives: { points: [5, 6] } },
  { rule: 'pressures out of bounds', change: { pressures: [-1, 2] }, gives: { pressures: [0, 1] } },
  { rule: 'too few pressures', change: { pressures: [0.5] }, gives: { pressures: null } },
  { rule: 'pressures of text', change: { pressures: ['a', 'b'] }, gives: { pressures: null } },
  { rule: 'a color that is none', change: { color: 11, rgb: undefined }, gives: { color: 0, rgb: PALETTE[0] } },
  { rule: 'rgb that is code', change: { rgb: 'url(//x)' }, gives: { rgb: PALETTE[3] } },
  { rule: 'a width without end', change: { width: 1e9 }, gives: { width: 200 } },
  { rule: 'no width', change: { width: 0 }, gives: { width: 0.5 } },
  { rule: 'a tool as long as a book', change: { tool: 'x'.repeat(999) }, gives: { tool: 'x'.repeat(32) } },
  { rule: 'a point that cannot be a number', change: { points: [[{ toString: 1, valueOf: 1 }, 0]] }, gives: null },
  { rule: 'a shape that is still drawn out', change: { growing: true }, gives: { isGrowing: true } },
  { rule: 'what may or may not grow', change: { growing: 1 }, gives: {} },
  {
    rule: 'a filled, dashed and transparent line',
    change: { fill: 'tint', dash: 'dotted', opacity: 0.4 },
    gives: { fill: 'tint', dash: 'dotted', opacity: 0.4 },
  },
  { rule: 'fills and dashes that are none', change: { fill: 'url(//x)', dash: ['dashed'] }, gives: {} },
  { rule: 'a fill that is a name of every object', change: { fill: 'toString', dash: 'constructor' }, gives: {} },
  { rule: 'a fill that is a list of one', change: { fill: ['solid'], dash: { dashed: true } }, gives: {} },
  { rule: 'an opacity below the least', change: { opacity: -5 }, gives: { opacity: 0.1 } },
  { rule: 'an opacity above the most', change: { opacity: 1e300 }, gives: { opacity: 1 } },
  { rule: 'an opacity of text', change: { opacity: '0.5' }, gives: {} },
  { rule: 'no opacity', change: { opacity: null }, gives: {} },
  { rule: 'z below nothing', change: { z: -1 }, gives: { z: null } },
  { rule: 'z beyond counting', change: { z: 2 ** 53 }, gives: { z: null } },
];

for (const { rule, change, gives } of READ) {
  test(`§6 reads a stroke: ${rule}`, () => {
    const good = {
      points: [0, 0, 1, 2],
      pressures: null,
      color: 3,
      rgb: '#abcdef',
      width: 4,
      tool: 'pen',
      fill: '',
      dash: '',
      opacity: 1,
      z: 7,
      isLocked: false,
      from: null,
      to: null,
      isGrowing: false,
      ...NO_ORIGIN,
    };
    const message = readStroke(new TextEncoder().encode(JSON.stringify({ ...GOOD, ...change })));
    assert.deepEqual(message, gives && { ...good, ...gives });
  });
}

for (const text of ['', '{', '7', 'null', '[]', '"x"']) {
  test(`§6 an invalid message is ignored: ${text}`, () =>
    assert.equal(readStroke(new TextEncoder().encode(text)), null));
}

test('a stroke has a limited number of points, and bounds that include its width', () => {
  const stroke = strokeOf([0, 0]);
  stroke.append(Array.from({ length: 2 * MAX_POINTS + 10 }, () => 5), null);
  assert.equal(stroke.length, MAX_POINTS);
  assert.deepEqual(stroke.bounds, { left: -7, top: -7, right: 12, bottom: 12 });
});

test('smoothing keeps the first and the last point', () => {
  const path = smoothed([0, 0, 10, 0, 10, 10, 20, 10], 6);
  assert.deepEqual([path[0].x, path[0].y], [0, 0]);
  assert.deepEqual([path.at(-1)?.x, path.at(-1)?.y], [20, 10]);
  assert.ok(path[1].x >= 5 && path[1].x < 10);
  assert.deepEqual(path.map(({ at }) => at), [0, 1, 2, 3]);
});

test('smoothing a growing stroke changes only its end', () => {
  const points = [0, 0, 8, 3, 15, 9, 20, 20, 22, 30];
  const before = smoothed(points, 6);
  const after = smoothed([...points, 25, 40], 6);
  assert.deepEqual(after.slice(0, 4), before.slice(0, 4));
});

test('a dot is a circle as wide as the pen', () => {
  assert.deepEqual(outline(strokeOf([5, 5])), {
    left: [5, 8],
    right: [5, 2],
    joints: [{ x: 5, y: 5, at: 0, radius: 3 }],
  });
});

test('coincident points are merged', () => {
  const { left, joints } = outline(strokeOf([5, 5, 5, 5, 5, 5]));
  assert.deepEqual([left.length, joints.length], [2, 1]);
});

test('an outline runs along the line, and tapers at its ends', () => {
  const { left, right, joints } = outline(strokeOf([0, 0, 5, 0, 10, 0, 15, 0, 20, 0, 25, 0, 30, 0]));
  for (let at = 0; at < left.length; at += 2) {
    assert.equal(left[at], right[at]);
    assert.ok(left[at + 1] > 0 && right[at + 1] === -left[at + 1]);
  }
  assert.ok(left[1] < left[7]);
  assert.equal(joints.length, 2);
});

test('more pressure makes a stroke thicker', () => {
  const at = (/** @type {number} */ pressure) =>
    outline(strokeOf([0, 0, 50, 0, 100, 0], [pressure, pressure, pressure])).left[3];
  assert.ok(at(0) < at(0.5) && at(0.5) < at(1));
});

test('slow movement makes a stroke thicker', () => {
  const middle = (/** @type {number} */ step) => {
    const { left } = outline(strokeOf(Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? (at / 2) * step : 0))));
    return left[21];
  };
  assert.ok(middle(2) > middle(40));
});

test('a sharp turn has a joint', () => {
  const { joints } = outline(strokeOf([0, 0, 30, 0, 60, 0, 30, 1, 0, 2]));
  assert.ok(joints.length > 2);
});

test('unusual input gives finite numbers', () => {
  for (const points of [[0, 0, 0, 0, 1e6, 1e6], [1e6, -1e6, -1e6, 1e6], [0.001, 0, 0.002, 0]]) {
    const { left, right, joints } = outline(strokeOf(points));
    assert.ok([...left, ...right, ...joints.flatMap(({ x, y, radius }) => [x, y, radius])].every(Number.isFinite));
  }
});

/** The ends of two segments, and their distance. */
const DISTANCES = [
  [[0, 0], [10, 0], [0, 5], [10, 5], 5],
  [[0, 0], [10, 10], [0, 10], [10, 0], 0],
  [[0, 0], [0, 0], [3, 4], [3, 4], 5],
  [[0, 0], [10, 0], [13, 4], [13, 9], 5],
  [[0, 0], [10, 0], [10, 0], [20, 0], 0],
];

for (const [a, b, c, d, distance] of DISTANCES) {
  test(`the distance between ${a}–${b} and ${c}–${d} is ${distance}`, () => {
    assert.equal(
      segmentDistance(/** @type {any} */ (a), /** @type {any} */ (b), /** @type {any} */ (c), /** @type {any} */ (d)),
      distance,
    );
  });
}

test('the index finds near strokes in every cell', () => {
  const index = new ShapeIndex();
  const long = strokeOf([0, 0, 1000, 0]);
  const far = strokeOf([5000, 5000, 5010, 5000]);
  const huge = strokeOf([-1e6, 1e6, 1e6, 1e6]);
  for (const stroke of [long, far, huge]) index.shown(stroke);
  assert.deepEqual(index.near([500, 11], [500, 11], 9), [long]);
  assert.deepEqual(index.near([500, 13], [500, 13], 9), []);
  assert.deepEqual(index.near([500, -300], [500, 300], 1), [long]);
  assert.deepEqual(index.near([5005, 5005], [5005, 5005], 9), [far]);
  assert.deepEqual(index.near([777, 1e6], [777, 1e6], 9), [huge]);
  assert.deepEqual(new Set(index.near([-1e6, -1e6], [1e6, 1e6], 9)), new Set([long, far, huge]));
  far.append([5300, 5000], null);
  index.changed(far);
  assert.deepEqual(index.near([5290, 5000], [5290, 5000], 1), [far]);
  const right = { left: 5200, top: 0, right: 6000, bottom: 6000 };
  assert.deepEqual(index.within(right), [far]);
  assert.deepEqual(index.within({ ...right, right: 5250, bottom: 4990 }), []);
  index.hidden(long);
  assert.deepEqual(index.near([500, 0], [500, 0], 9), []);
});

test('the index agrees with a linear search', () => {
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const place = () => Math.round(random() * 1200 - 300);
  const index = new ShapeIndex();
  const strokes = Array.from({ length: 300 }, () => strokeOf([place(), place(), place(), place(), place(), place()]));
  for (const stroke of strokes) index.shown(stroke);
  for (const stroke of strokes.splice(0, 60)) index.hidden(stroke);
  for (let tries = 0; tries < 200; tries += 1) {
    const from = /** @type {[number, number]} */ ([place(), place()]);
    const to = /** @type {[number, number]} */ ([from[0] + random() * 40, from[1] + random() * 40]);
    const expected = strokes.filter(({ points }) => distanceTo(points, from, to) <= 12);
    assert.deepEqual(new Set(index.near(from, to, 9)), new Set(expected));
  }
});

test('the eraser removes each crossed stroke once, as one undo step', () => {
  const index = new ShapeIndex();
  const [a, b] = [strokeOf([0, 0, 0, 100]), strokeOf([50, 0, 50, 100])];
  for (const stroke of [a, b]) index.shown(stroke);
  const erased = /** @type {Stroke[]} */ ([]);
  const actions = /** @type {Stroke[][]} */ ([]);
  const drawing = {
    erase: (/** @type {Stroke} */ stroke) => (erased.push(stroke), index.hidden(stroke)),
    endErasing: (/** @type {Stroke[]} */ all) => actions.push(all),
  };
  const eraser = new EraserTool(/** @type {any} */ (drawing), index, () => 1);
  eraser.begin({ x: -30, y: 50, pressure: null });
  eraser.move([{ x: 20, y: 50, pressure: null }, { x: 90, y: 50, pressure: null }]);
  eraser.end();
  assert.deepEqual(erased, [a, b]);
  assert.deepEqual(actions, [[a, b]]);
});

test('a pinch keeps the point under the fingers', () => {
  const camera = new Camera();
  const [x, y] = camera.toPlane(100, 50);
  camera.zoom(2, 100, 50);
  assert.deepEqual(camera.toCanvas(x, y), [100, 50]);
  camera.pan(30, -10);
  assert.deepEqual(camera.toCanvas(x, y), [130, 40]);
  camera.zoom(1e9, 0, 0);
  assert.equal(camera.scale, 16);
  camera.zoom(1e-9, 0, 0);
  assert.equal(camera.scale, 0.05);
  camera.home();
  assert.equal(camera.isHome, true);
});

test('the camera fits the whole drawing without enlarging it', () => {
  const camera = new Camera();
  camera.fit({ left: 0, top: 0, right: 4000, bottom: 100 }, 1000, 600);
  const seen = camera.seen(1000, 600);
  assert.ok(seen.left < 0 && seen.right > 4000 && camera.scale < 0.25);
  camera.fit({ left: 10, top: 10, right: 20, bottom: 20 }, 1000, 600);
  assert.equal(camera.scale, 1);
  assert.deepEqual(camera.toCanvas(15, 15), [500, 300]);
});

test('two fingers pan and zoom; the last finger does not draw', () => {
  const camera = new Camera();
  const pinch = new Pinch(camera);
  const touch = (/** @type {number} */ pointerId, /** @type {number} */ clientX) => ({
    pointerId,
    clientX,
    clientY: 0,
  });
  pinch.down(touch(1, 100));
  assert.equal(pinch.move(touch(1, 100)), false);
  pinch.down(touch(2, 200));
  assert.equal(pinch.move(touch(2, 300)), true);
  assert.equal(camera.scale, 2);
  assert.deepEqual(camera.toCanvas(100, 0), [100, 0]);
  pinch.up(touch(2, 300));
  assert.equal(pinch.isActive, true);
  pinch.up(touch(1, 100));
  assert.equal(pinch.isActive, false);
});

test('pointers of others move smoothly, fade after two seconds, and disappear', () => {
  const cursors = new RemoteCursors();
  cursors.receive(2, { point: [0, 0] }, 0);
  cursors.frame(0);
  cursors.receive(2, { point: [100, 0] }, 16);
  assert.equal(cursors.frame(16), true);
  const { x } = /** @type {{ x: number }} */ (cursors.all.get(2));
  assert.ok(x > 10 && x < 90);
  for (let now = 32; now < 2000; now += 16) cursors.frame(now);
  assert.equal(Math.round(cursors.all.get(2)?.x ?? 0), 100);
  assert.equal(cursors.all.get(2)?.isIdle, false);
  assert.equal(cursors.frame(2016), false);
  assert.equal(cursors.all.get(2)?.isIdle, true);
  cursors.receive(2, { point: [0, 0] }, 3000);
  assert.equal(cursors.all.get(2)?.x, 0);
  cursors.receive(2, {}, 3010);
  cursors.frame(3010);
  assert.equal(cursors.all.get(2)?.isIdle, true);
  cursors.keepOnly(() => false);
  assert.equal(cursors.all.size, 0);
});

test('a pointer jumps to another sheet', () => {
  const cursors = new RemoteCursors();
  cursors.receive(2, { point: [0, 0] }, 0);
  cursors.frame(0);
  cursors.receive(2, { point: [100_000, 0] }, 16);
  cursors.frame(16);
  assert.equal(cursors.all.get(2)?.x, 100_000);
});

test('with reduced motion, pointers jump; invalid points are ignored', () => {
  const cursors = new RemoteCursors({ glides: () => false });
  cursors.receive(2, { point: [0, 0] }, 0);
  cursors.receive(2, { point: [100, 0] }, 1);
  cursors.frame(1);
  assert.equal(cursors.all.get(2)?.x, 100);
  for (const message of [null, 7, { point: 'x' }, { point: [1] }, { point: [1e9, 0] }]) cursors.receive(3, message, 1);
  assert.equal(cursors.all.has(3), false);
});

test('the pointer of this person is sent at most thirty times a second, also when it leaves', () => {
  const sent = /** @type {object[]} */ ([]);
  const sender = new CursorSender((message) => sent.push(message));
  sender.moved(null);
  assert.equal(sender.frame(0), false);
  for (let now = 0; now < 1000; now += 8) {
    sender.moved([now + 0.123, 0]);
    sender.frame(now);
  }
  assert.ok(sent.length >= 24 && sent.length <= 31);
  assert.deepEqual(sent[0], { point: [0.1, 0] });
  sender.moved(null);
  assert.equal(sender.frame(1000), false);
  assert.deepEqual(sent.at(-1), {});
  sender.moved([1, 1]);
  assert.equal(sender.frame(1010), true);
  assert.equal(sender.frame(1033), false);
});

test('the history keeps five hundred steps, and drops undone ones at a new step', () => {
  const history = new UndoHistory();
  const actions = Array.from({ length: 501 }, () => ({ undo: () => true, redo: () => true }));
  for (const command of actions) history.push(command);
  let depth = 0;
  while (history.undo()) depth += 1;
  assert.equal(depth, 500);
  assert.equal(history.redo(), actions[1]);
  history.push({ undo: () => true, redo: () => true });
  assert.equal(history.canRedo, false);
});

test('§6 the palette has the colors of the activity in their order, with names in each language', () => {
  const { colors, nearest } = vectors('palette');
  assert.deepEqual([...PALETTE], colors.map((/** @type {{ rgb: string }} */ { rgb }) => rgb));
  assert.deepEqual(
    en.colors.map((name) => name.toLowerCase()),
    colors.map((/** @type {{ name: string }} */ { name }) => name),
  );
  assert.equal(de.colors.length, colors.length);
  for (const { rgb, number } of [...colors, ...nearest]) assert.equal(nearestColor(rgb), number, rgb);
});

test('the colors are visible on both papers', () => {
  assert.ok(PALETTE.every(isRGB));
  assert.equal(textOn('#ffffff'), '#000000');
  assert.equal(textOn('#1d1d20'), '#ffffff');
  for (let part = 0; part < 1; part += 0.01) {
    const color = personalColor(() => part);
    assert.ok(isRGB(color) && luminance(color) > 0.1 && luminance(color) < 0.42, color);
  }
});

test('the color of a person is almost one of those that the gateway gives, and seldom exactly another person’s', () => {
  assert.deepEqual([...PEOPLE_COLORS], vectors('palette').participants);
  const channels = (/** @type {string} */ rgb) => [1, 3, 5].map((at) => Number.parseInt(rgb.slice(at, at + 2), 16));
  const colors = Array.from({ length: 200 }, () => personalColor());
  for (const color of colors) {
    const isNear = PEOPLE_COLORS.some((near) =>
      channels(near).every((channel, at) => Math.abs(channel - channels(color)[at]) <= 2)
    );
    assert.ok(isNear, color);
  }
  assert.ok(new Set(colors).size > 150);
});

test('names are filtered, and generated if missing', () => {
  assert.equal(cleanName('  A\u0000d\u202ea\n '), 'Ada');
  assert.equal(cleanName('😀'.repeat(70)), '😀'.repeat(64));
  assert.equal(randomName(() => 0), 'Amber Badger');
  assert.equal(randomName(() => 0.9999), 'Violet Swift');
});

test('name, color and width are stored; invalid stored values are ignored', () => {
  const kept = new Map([['drawtogether:color', 'red'], ['drawtogether:width', '1e9'], ['drawtogether:name', '\n']]);
  const storage = {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  };
  const first = new Settings(storage, () => 0);
  assert.deepEqual([first.name, first.width], ['Amber Badger', 6]);
  assert.equal(first.rename('   '), false);
  first.rename(' Ada ');
  first.setWidth(14);
  const second = new Settings(storage, () => 0.5);
  assert.deepEqual([second.name, second.color, second.width], ['Ada', first.color, 14]);
  second.setColor('#101010');
  assert.equal(first.renamed('drawtogether:color'), true, 'in another tab');
  assert.equal(first.renamed('drawtogether:width'), false);
  assert.deepEqual([first.color, new Settings(storage).color], ['#101010', '#101010']);
});

/** @param {number[]} points @param {number[] | null} [pressures] */
function strokeOf(points, pressures = null) {
  const stroke = new Stroke({ id: 'x', rgb: '#000000', color: 0, width: 6, tool: 'pen', z: 1 });
  stroke.append(points, pressures);
  return stroke;
}

/** @param {number[]} points @param {[number, number]} from @param {[number, number]} to */
function distanceTo(points, from, to) {
  let least = Infinity;
  for (let at = 0; at + 3 < points.length; at += 2) {
    least = Math.min(least, segmentDistance(from, to, [points[at], points[at + 1]], [points[at + 2], points[at + 3]]));
  }
  return least;
}
