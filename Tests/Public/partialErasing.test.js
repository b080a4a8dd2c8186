/** The eraser for parts of strokes: the geometry of cuts, one command per movement, and several participants. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { PartialErasure } from '../../Public/js/edit/partialErasure.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { cutLine, cutStroke } from '../../Public/js/model/strokeCutting.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { segmentDistance, shapeToolPoints } from '../../Public/js/model/strokeOutline.js';
import { Text } from '../../Public/js/model/text.js';
import { encodeShape } from '../../Public/js/protocol/shapeMessages.js';
import { EraserTool } from '../../Public/js/tools/eraserTool.js';
import { BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, keyOf, welcome } from './support.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 2, tool: 'pen' };
const [REPLACE, REMOVE, EXISTING] = [5, 7, 0x20];

/** Cuts of a line from (0, 0) to (100, 0), with a point at every ten. */
const CUTS = [
  { of: 'its middle', from: [50, -5], to: [50, 5], leaves: [[0, 40], [60, 100]] },
  { of: 'its beginning', from: [0, 0], to: [0, 0], leaves: [[10, 100]] },
  { of: 'its end', from: [95, 0], to: [120, 0], leaves: [[0, 85]] },
  { of: 'all of it', from: [-20, 0], to: [120, 0], leaves: [] },
  { of: 'a part between two points', from: [55, 9.8], to: [55, 9.8], leaves: [[0, 53.01], [56.99, 100]] },
  { of: 'a part along it', from: [20, 6], to: [70, 6], leaves: [[0, 12], [78, 100]] },
  { of: 'nothing beside it', from: [50, 11], to: [90, 11], leaves: null },
  { of: 'nothing where it only touches', from: [50, 10], to: [50, 10], leaves: null },
];

for (const { of, from, to, leaves } of CUTS) {
  test(`a cut of ${of}`, () => {
    const points = Array.from({ length: 11 }, (_, at) => [at * 10, 0]).flat();
    const pieces = cutLine({ points, pressures: null }, pointOf(from), pointOf(to), 10);
    const ends = pieces?.map((piece) => [piece.points[0], piece.points[piece.points.length - 2]].map(rounded));
    assert.deepEqual(ends ?? null, leaves);
  });
}

test('the pressure at a cut is that of the line there; the points between stay as they are', () => {
  const line = { points: [0, 0, 100, 0, 200, 0, 300, 0], pressures: [0, 1, 0.5, 0.5] };
  const pieces = cutLine(line, [50, 0], [50, 0], 10) ?? [];
  assert.deepEqual(pieces.map(({ points, pressures }) => ({ points: points.map(rounded), pressures })), [
    { points: [0, 0, 40, 0], pressures: [0, 0.4] },
    { points: [60, 0, 100, 0, 200, 0, 300, 0], pressures: [0.6, 1, 0.5, 0.5] },
  ]);
});

test('a dot is erased or left as a whole; so is a line without a length', () => {
  assert.deepEqual(cutLine({ points: [5, 5], pressures: [1] }, [0, 5], [4, 5], 2), []);
  assert.equal(cutLine({ points: [5, 5], pressures: null }, [0, 5], [2, 5], 2), null);
  assert.deepEqual(cutLine({ points: [5, 5, 5, 5, 5, 5], pressures: null }, [5, 5], [5, 5], 1), []);
});

test('no remaining ink is within the eraser’s reach, and no ink outside it is lost', () => {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const at = () => Math.round(random() * 10000) / 100;
  for (let round = 0; round < 300; round += 1) {
    // Lines that cross themselves, with repeated points.
    const points = Array.from({ length: 12 }, () => [at(), at()]).flat();
    points.splice(8, 2, points[6], points[7]);
    const [from, to] = [pointOf([at(), at()]), pointOf(round % 3 === 0 ? [50, 50] : [at(), at()])];
    const reach = 1 + random() * 12;
    const pieces = cutLine({ points, pressures: null }, from, to, reach) ?? [{ points, pressures: null }];
    for (const { points: rest } of pieces) {
      for (const [x, y] of alongOf(rest)) {
        assert.ok(segmentDistance([x, y], [x, y], from, to) > reach - 0.03, `${round}`);
      }
    }
    for (const [x, y] of alongOf(points)) {
      if (segmentDistance([x, y], [x, y], from, to) < reach + 0.03) continue;
      assert.ok(pieces.some((piece) => distanceTo(piece.points, [x, y]) < 0.01), `${round}: ${x}, ${y}`);
    }
  }
});

test('a closed shape stays in one piece where nothing was erased; its corners stay sharp', () => {
  const rectangle = strokeOf({ tool: 'rectangle', dash: 'dashed' }, shapeToolPoints('rectangle', [0, 0], [100, 60], 2));
  const [rest, ...others] = cutStroke(rectangle, [50, 0], [50, 0], 9, 4000, counter()) ?? [];
  assert.deepEqual([others.length, rest.tool, rest.dash], [0, 'line', 'dashed']);
  assert.deepEqual(rest.points, [60, 0, 100, 0, 100, 60, 0, 60, 0, 0, 40, 0]);
  const atSeam = cutStroke(rectangle, [0, 0], [0, 0], 9, 4000, counter()) ?? [];
  assert.deepEqual(atSeam.map(({ points }) => points), [[10, 0, 100, 0, 100, 60, 0, 60, 0, 10]]);
  const ellipse = strokeOf({ tool: 'ellipse' }, shapeToolPoints('ellipse', [0, 0], [600, 600], 2));
  const [round] = cutStroke(ellipse, [600, 300], [600, 300], 9, 4000, counter()) ?? [];
  for (let at = 0; at < round.points.length; at += 2) {
    assert.ok(Math.abs(Math.hypot(round.points[at] - 300, round.points[at + 1] - 300) - 300) < 1);
  }
  assert.ok(round.length > 150, 'the lines of the rest are too short to be seen as such');
});

test('a stroke of any length leaves pieces that fit into messages', () => {
  const long = strokeOf({}, Array.from({ length: 50_000 }, (_, at) => [at, Math.sin(at) * 3]).flat());
  const pieces = cutStroke(long, [20_000, -9], [20_000, 9], 9, 4000, counter()) ?? [];
  assert.ok(pieces.every(({ length }) => length <= 4000 && length >= 2));
  const length = pieces.reduce((sum, { points }) => sum + points[points.length - 2] - points[0], 0);
  assert.ok(Math.abs(length - (49_999 - 20)) < 3, `${length}`);
});

test('one movement erases parts of several strokes and is one command', () => {
  const { shapes, drawing, erase } = alone();
  drawing.add([strokeOf({ id: 'A', z: 1 }, [0, 0, 100, 0]), strokeOf({ id: 'B', z: 2, width: 4 }, [0, 50, 100, 50])]);
  erase([50, -20], [50, 20], [50, 70]);
  assert.deepEqual(extents(shapes), [[0, 40, 1, 2], [60, 100, 1, 2], [0, 39, 2, 4], [61, 100, 2, 4]]);
  drawing.undo();
  assert.deepEqual(shapes.all.map(({ id }) => id), ['A', 'B']);
  drawing.redo();
  assert.equal(shapes.size, 4);
  drawing.undo();
  drawing.undo();
  assert.deepEqual(shapes.all.map(({ id }) => id), ['A', 'B'], 'what others drew is not undone');
});

test('a movement that touches nothing is no command; a movement back and forth leaves no tiny strokes', () => {
  const { shapes, drawing, erase } = alone();
  drawing.add([strokeOf({ id: 'A', z: 1 }, [0, 0, 100, 0])]);
  erase([50, 100], [80, 100]);
  assert.equal(drawing.canUndo, false);
  erase([30, 0], [30, 0], [50, 0], [30, 0], [51, 0], [30, 0]);
  assert.deepEqual(extents(shapes), [[0, 20, 1, 2], [61, 100, 1, 2]]);
  erase([11, 0], [11, 0]);
  assert.deepEqual(extents(shapes), [[0, 1, 1, 2], [61, 100, 1, 2]].slice(1), 'the last point is too short to stay');
});

test('texts and filled shapes are erased as a whole, and come back', () => {
  const { shapes, drawing, erase } = alone();
  const text = new Text({ id: 'T', text: 'Hello', x: 0, y: 0, size: 20, rgb: LOOK.rgb, color: 0, z: 3 });
  const filled = strokeOf(
    { id: 'F', z: 4, tool: 'rectangle', fill: 'tint' },
    shapeToolPoints('rectangle', [0, 100], [300, 300], 2),
  );
  drawing.add([text, filled]);
  erase([10, 10], [10, 12]);
  assert.deepEqual(shapes.all.map(({ id }) => id), ['F']);
  erase([150, 200], [151, 200]);
  assert.equal(shapes.size, 0);
  drawing.undo();
  drawing.undo();
  assert.deepEqual(shapes.all.map(({ id }) => id), ['T', 'F']);
});

test('the result is shown during the movement, and sent at its end', () => {
  const { shapes, drawing, said, tool, erasure } = shared();
  drawing.add([strokeOf({ id: keyOf(200), z: 1 }, [0, 0, 100, 0])]);
  const before = said().length;
  tool.begin(sample(50, -20));
  tool.move([sample(50, 20)]);
  erasure.frame();
  assert.deepEqual(extents(shapes), [[0, 40, 1, 2], [60, 100, 1, 2]]);
  assert.equal(said().length, before);
  tool.end();
  assert.deepEqual(said().slice(before).map(({ flags }) => flags), [REPLACE, REPLACE, REMOVE]);
});

test('a movement that a second finger cancels erases nothing', () => {
  const { shapes, drawing, tool, said } = shared();
  drawing.add([strokeOf({ id: keyOf(201), z: 1 }, [0, 0, 100, 0])]);
  const before = said().length;
  tool.begin(sample(50, -20));
  tool.move([sample(50, 20)]);
  assert.equal(shapes.size, 2);
  tool.cancel();
  assert.deepEqual(shapes.all.map(({ id }) => id), [keyOf(201)]);
  assert.deepEqual([said().length, drawing.canUndo], [before, false]);
});

test('a frame erases for a limited time, and the end of the movement erases the rest', () => {
  let time = 0;
  const { shapes, drawing, erasure } = alone(() => time += 3);
  drawing.add(Array.from({ length: 12 }, (_, at) => strokeOf({ id: `S${at}`, z: at }, [at * 50, 0, at * 50, 30])));
  for (let at = 0; at < 12; at += 1) erasure.pass([at * 50, 15], [at * 50, 15], 4);
  assert.equal(erasure.frame(), true);
  assert.ok(shapes.size > 12 && shapes.size < 24, `${shapes.size}`);
  erasure.commit();
  assert.equal(shapes.size, 24);
});

test('shapes that another participant removes or moves during the movement are not brought back; shapes that come into its path are erased', () => {
  const { shapes, drawing, tool, erasure, receive } = shared();
  receive(strokeOf({ id: keyOf(210), z: 1 }, [0, 0, 100, 0]), strokeOf({ id: keyOf(211), z: 2 }, [0, 50, 100, 50]));
  tool.begin(sample(50, -20));
  tool.move([sample(50, 70)]);
  erasure.frame();
  assert.equal(shapes.size, 4);
  // Ben erases a part of the first one, too, and moves the second one below the first.
  receive(
    keyOf(210),
    strokeOf({ id: keyOf(212), z: 1 }, [30, 0, 100, 0]),
    strokeOf({ id: keyOf(211), z: 2 }, [0, 10, 100, 10]),
  );
  tool.end();
  assert.deepEqual(extents(shapes), [[30, 40, 1, 2], [60, 100, 1, 2], [0, 40, 2, 2], [60, 100, 2, 2]]);
  drawing.undo();
  assert.deepEqual(extents(shapes), [[30, 100, 1, 2], [0, 100, 2, 2]]);
});

test('parts that another participant erases of the same stroke disappear at once, even while the eraser is down', () => {
  const { shapes, tool, erasure, receive, requested } = shared();
  receive(strokeOf({ id: keyOf(213), z: 1 }, [0, 0, 100, 0]));
  tool.begin(sample(80, -20));
  tool.move([sample(80, 20)]);
  assert.deepEqual(extents(shapes), [[0, 70, 1, 2], [90, 100, 1, 2]]);
  const before = requested();
  receive(
    strokeOf({ id: keyOf(214), z: 1 }, [0, 0, 10, 0]),
    strokeOf({ id: keyOf(215), z: 1 }, [30, 0, 100, 0]),
    keyOf(213),
  );
  assert.ok(requested() > before);
  assert.equal(erasure.frame(), false);
  assert.deepEqual(extents(shapes), [[0, 10, 1, 2], [30, 70, 1, 2], [90, 100, 1, 2]]);
  // The movement goes on, and its parts that were repeated cut nothing again.
  tool.move([sample(50, 20), sample(50, -20)]);
  assert.deepEqual(extents(shapes), [[0, 10, 1, 2], [30, 40, 1, 2], [60, 70, 1, 2], [90, 100, 1, 2]]);
  // Ben removes all that is left of it.
  receive(keyOf(215));
  erasure.frame();
  assert.deepEqual(extents(shapes), [[0, 10, 1, 2]]);
  tool.cancel();
  assert.deepEqual(extents(shapes), [[0, 10, 1, 2]]);
});

test('a stroke that was restyled to the same style can be erased', () => {
  const { shapes, drawing, erase } = alone();
  drawing.add([strokeOf({ id: 'A' }, [0, 0, 100, 0])]);
  drawing.update([/** @type {Stroke} */ (shapes.all[0]).moved({ factor: 1, x: 0, y: 0 })]);
  erase([50, -20], [50, 20]);
  assert.deepEqual(extents(shapes), [[0, 40, 1, 2], [60, 100, 1, 2]]);
});

test('a line that is shown elsewhere, because its object has moved, is erased there', () => {
  const { shapes, drawing, erase } = alone();
  drawing.add([strokeOf({ id: 'A', tool: 'line' }, [0, 0, 100, 0])]);
  const below = strokeOf({ id: 'A', tool: 'line' }, [0, 50, 100, 50]);
  shapes.place = (shape) => shape.id === 'A' ? below : shape;
  shapes.showAgain('A');
  erase([50, 30], [50, 70]);
  assert.deepEqual(shapes.all.map((one) => [one.bounds.top, one.bounds.bottom]), [[47, 53], [47, 53]]);
  drawing.undo();
  assert.deepEqual(shapes.all.map(({ id }) => id), ['A']);
});

test('two participants who erase parts of one stroke at the same time get the same strokes', () => {
  const [ada, ben] = [shared(), shared(7)];
  const stroke = strokeOf({ id: keyOf(220), z: 1 }, [0, 0, 100, 0]);
  for (const { receive } of [ada, ben]) receive(stroke);
  ada.erase([20, -20], [20, 20]);
  ben.erase([80, -20], [80, 20]);
  // The gateway has Ada's entries first. Ben's page takes back the rest of a stroke that was cut already.
  for (let turn = 0; turn < 2; turn += 1) {
    const log = [...ada.entries(1), ...ben.entries(2)];
    for (const { deliver } of [ada, ben]) deliver(log);
  }
  for (const { shapes } of [ada, ben]) assert.deepEqual(extents(shapes), [[0, 10, 1, 2], [30, 100, 1, 2]]);
  assert.deepEqual(shown(ada.shapes), shown(ben.shapes));
  // Ben's undo does not bring back the stroke that Ada cut; Ada's does.
  ben.drawing.undo();
  assert.equal(ben.shapes.size, 2);
  ada.drawing.undo();
  assert.deepEqual(ada.shapes.all.map(({ id }) => id), [keyOf(220)]);
});

test('parts that others erased while this page was offline do not come back with its own erasure', () => {
  const { shapes, receive, erase, last, reopen } = shared();
  receive(strokeOf({ id: keyOf(221), z: 1 }, [0, 0, 100, 0]), strokeOf({ id: keyOf(222), z: 2 }, [0, 50, 100, 50]));
  last().cut();
  erase([50, -20], [50, 70]);
  assert.equal(shapes.size, 4);
  reopen();
  last().tell(joined({ sequence: 200, resumed: true }));
  last().tell(catchUp('snapshot', 200));
  receive(strokeOf({ id: keyOf(222), z: 2 }, [0, 50, 100, 50]));
  last().tell(caughtUp(200));
  assert.deepEqual(extents(shapes), [[0, 40, 2, 2], [60, 100, 2, 2]]);
});

test('an undo brings the stroke back at the place to which others moved its parts; a redo cuts it there', () => {
  const { shapes, drawing, erase, receive, entries, deliver } = shared();
  receive(strokeOf({ id: keyOf(230), z: 1 }, [0, 0, 100, 0]));
  erase([90, 0], [120, 0]);
  deliver(entries(1));
  const [rest] = /** @type {Stroke[]} */ (shapes.all);
  receive(rest.moved({ factor: 2, x: 0, y: 500 }));
  drawing.undo();
  assert.deepEqual(shapes.all.map(({ id, points, width }) => [id, points, width]), [[
    keyOf(230),
    [0, 500, 200, 500],
    4,
  ]]);
  drawing.redo();
  assert.deepEqual(shapes.all.map(({ points, width }) => [points, width]), [[[0, 500, 160, 500], 4]]);
});

test('an undo brings the stroke back to its own place if its parts were moved apart', () => {
  const { shapes, drawing, erase, receive, entries, deliver } = shared();
  receive(strokeOf({ id: keyOf(240), z: 1 }, [0, 0, 100, 0]));
  erase([50, -20], [50, 20]);
  deliver(entries(1));
  receive(/** @type {Stroke} */ (shapes.all[0]).moved({ factor: 1, x: 0, y: 70 }));
  drawing.undo();
  assert.deepEqual(extents(shapes), [[0, 100, 1, 2]]);
});

/** @param {number[]} point @returns {[number, number]} */
function pointOf([x, y]) {
  return [x, y];
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 100) / 100;
}

/** @param {object} style @param {number[]} points */
function strokeOf(style, points) {
  const stroke = new Stroke({ ...LOOK, id: 'x', z: 1, ...style });
  stroke.append(points, null);
  stroke.isFinished = true;
  return stroke;
}

/** @param {number[]} points @returns {[number, number][]} points along the line */
function alongOf(points) {
  /** @type {[number, number][]} */
  const all = [];
  for (let at = 2; at < points.length; at += 2) {
    for (let part = 0; part <= 1; part += 0.05) {
      all.push([
        points[at - 2] + (points[at] - points[at - 2]) * part,
        points[at - 1] + (points[at + 1] - points[at - 1]) * part,
      ]);
    }
  }
  return all;
}

/** @param {number[]} points @param {[number, number]} point */
function distanceTo(points, point) {
  let least = Infinity;
  for (let at = 2; at < points.length; at += 2) {
    const distance = segmentDistance(point, point, [points[at - 2], points[at - 1]], [points[at], points[at + 1]]);
    least = Math.min(least, distance);
  }
  return least;
}

function counter() {
  let count = 0;
  return () => `K${count += 1}`;
}

/** @param {Shapes} shapes @returns {number[][]} of each stroke its least and its greatest x, its z and its width, in order */
function extents(shapes) {
  return /** @type {Stroke[]} */ (shapes.all).map(({ points, z, width }) => [
    Math.min(...points.filter((_, at) => at % 2 === 0)),
    Math.max(...points.filter((_, at) => at % 2 === 0)),
    z,
    width,
  ]).toSorted((a, b) => a[2] - b[2] || a[0] - b[0]);
}

/** @param {Shapes} shapes */
function shown(shapes) {
  return shapes.all.map((shape) => new TextDecoder().decode(encodeShape(shape).payload));
}

/** @param {number} x @param {number} y @returns {any} */
function sample(x, y) {
  return { x, y };
}

/** A drawing without a session, and an eraser of parts. @param {() => number} [now] @param {number} [firstKey] */
function alone(now, firstKey = 1) {
  const shapes = new Shapes();
  const index = new ShapeIndex();
  shapes.observe(index);
  const history = new UndoHistory();
  let count = firstKey;
  const newKey = () => keyOf(count++);
  const drawing = new Drawing(shapes, newKey, history);
  let frames = 0;
  const erasure = new PartialErasure({
    shapes,
    index,
    drawing,
    history,
    newKey,
    requestFrame: () => (frames += 1),
    later: (run) => run(),
    now,
  });
  const tool = new EraserTool(drawing, index, () => 1);
  tool.partial = erasure;
  /** @param {number[][]} path */
  const erase = ([[x, y], ...others]) => {
    tool.begin(sample(x, y));
    tool.move(others.map(([x, y]) => sample(x, y)));
    tool.end();
  };
  return {
    shapes,
    drawing,
    erasure,
    tool,
    erase: (/** @type {number[][]} */ ...path) => erase(path),
    /** The number of requested frames. */
    requested: () => frames,
  };
}

/** A drawing in a joined session. @param {number} [firstKey] of the new strokes */
function shared(firstKey = 1) {
  const one = alone(undefined, firstKey);
  const world = fakeSession();
  one.drawing.attach(world.session, { bringsPicture: false });
  one.erasure.follow(world.session);
  world.session.join();
  welcome(world.last());
  let sequence = 100;
  const said = () => world.last().said;
  /** Receives shapes of Ben, and his removals of shapes with these ids. @param {(Stroke | string)[]} changes */
  const receive = (...changes) => {
    for (const change of changes) {
      sequence += 1;
      const isRemoval = typeof change === 'string';
      const id = isRemoval ? change : change.id;
      world.last().entries(gatewayEntry({
        flags: isRemoval ? REMOVE : REPLACE,
        sequence,
        sender: BEN.number,
        clientSequence: sequence,
        key: Number.parseInt(id.slice(0, 2), 16),
        type: 'UpsertStrokeMessage',
        payload: isRemoval ? new Uint8Array() : encodeShape(change).payload,
      }));
    }
  };
  let returned = 0;
  /** @param {number} author @returns {object[]} what was sent since the last call, as entries of the gateway */
  const entries = (author) => {
    const news = said().slice(returned);
    returned += news.length;
    return news.map(({ flags, clientSequence, keyByte, type, payload }) => ({
      author,
      flags: flags & ~EXISTING,
      clientSequence,
      key: keyByte,
      type,
      payload: new TextEncoder().encode(payload),
    }));
  };
  /** @param {any[]} log */
  const deliver = (log) => {
    for (const { author, ...entry } of log) {
      sequence += 1;
      const isOwn = author === (firstKey === 1 ? 1 : 2);
      world.last().entries(gatewayEntry({ ...entry, sequence, sender: isOwn ? 1 : BEN.number }));
    }
  };
  return { ...one, ...world, said, receive, entries, deliver };
}
