import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TiledRenderer } from '../../Public/js/render/tiles/tiledRenderer.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { Text } from '../../Public/js/model/text.js';
import { TILE, Tile } from '../../Public/js/render/tiles/tile.js';
import { Tiles } from '../../Public/js/render/tiles/tiles.js';
import { deserialize, serialize, TilePainter } from '../../Public/js/render/tiles/tilePainter.js';

// Browsers provide these; here, shapes are only counted.
Object.assign(globalThis, {
  Path2D: class {
    moveTo() {}
    lineTo() {}
    quadraticCurveTo() {}
    arc() {}
    closePath() {}
  },
});

const LOOK = { rgb: '#e5484d', color: 0, tool: 'pen' };

test('serialized shapes are restored: points, pressures, styles and texts', () => {
  const pressed = strokeOf('A', 1, [1, 2, 3.25, 4], 6);
  pressed.pressures = [0.5, 0.75];
  const text = new Text({ id: 'B', text: 'Hi\nthere', x: 5, y: 6, size: 20, rgb: '#000000', color: 0, z: 2 });
  const plain = strokeOf('C', 3, [900_000.01, -7, 8, 9, 10, 11], 2);
  const { items, numbers } = serialize([pressed, text, plain], () => assert.fail('no picture'));
  const [a, b, c] = deserialize(structuredClone(items), structuredClone(numbers));
  assert.deepEqual([a.id, a.z, a.bounds, c.bounds], ['A', 1, pressed.bounds, plain.bounds]);
  const [first, third] = /** @type {Stroke[]} */ ([a.shape, c.shape]);
  assert.deepEqual([[...first.points], [.../** @type {number[]} */ (first.pressures)]], [pressed.points, [0.5, 0.75]]);
  assert.deepEqual([[...third.points], third.pressures, third.width, third.rgb], [plain.points, null, 2, LOOK.rgb]);
  assert.ok(b.shape instanceof Text);
  assert.deepEqual(b.shape.lines, ['Hi', 'there']);
});

test('a tile has the shapes that it intersects, in order; thin shapes are simplified', () => {
  const painter = new TilePainter();
  const wide = Array.from({ length: 400 }, (_, at) => at / 2);
  const drawn = [
    strokeOf('D', 4, [0, 0, 90, 90], 400),
    strokeOf('B', 2, wide, 2),
    strokeOf('A', 1, [10, 10, 20, 20], 2),
    strokeOf('E', 5, [90_000, 90_000, 90_010, 90_010], 2),
    strokeOf('F', 6, [30, 30, 40, 40], 2),
  ];
  const { items, numbers } = serialize(drawn, () => assert.fail('no picture'));
  painter.put(items, numbers);
  const context = fakeContext();
  run(painter.paint(context, { scale: 0.1, left: 0, top: 0, size: TILE }));
  // The two consecutive shapes of one style are painted together. Then the broad one is filled, and the last one is painted.
  assert.deepEqual(context.done, ['stroke 2', 'fill', 'stroke 1']);
  assert.ok(context.lines < 50, `${context.lines} lines`);
  painter.remove(['D', 'F']);
  const without = fakeContext();
  run(painter.paint(without, { scale: 0.1, left: 0, top: 0, size: TILE }));
  assert.deepEqual(without.done, ['stroke 2']);
});

test('no area is blank, and tiles become exact after panning, zooming and changes', () => {
  const { scene, frame, settle, painted } = large(3000);
  settle();
  const all = painted();
  assert.ok(all > 2, `${all} tiles`);
  settle();
  assert.equal(painted(), all, 'what is right is not painted again');

  const dot = strokeOf('NEW', 9000, [50, 50, 60, 60], 4);
  scene.shown(dot);
  frame();
  assert.deepEqual(frame.live, ['NEW'], 'at once, above the tiles');
  settle();
  frame(true);
  assert.deepEqual(frame.live, [], 'on its tile');
  assert.ok(painted() - all <= 4, 'only what it touches is painted again');

  const before = painted();
  dot.append([70, 70], null);
  scene.changed(dot);
  frame();
  assert.deepEqual(frame.live, ['NEW']);
  scene.changed(dot);
  settle();
  scene.changed(dot);
  scene.hidden(dot);
  settle();
  frame(true);
  assert.deepEqual(frame.live, []);
  assert.ok(painted() > before);

  frame.camera = { scale: 1, x: -2048, y: -1024 };
  settle();
  frame.camera = { scale: 0.4, x: 0, y: 0 };
  frame.isZooming = true;
  frame();
  const whileZooming = painted();
  frame();
  assert.equal(painted(), whileZooming, 'no tiles are painted at the scales in between');
  frame.isZooming = false;
  settle();
  assert.ok(painted() > whileZooming);
});

test('thousands of new shapes are not painted above the tiles; moving ones are', () => {
  const { scene, frame, settle } = large(2000);
  settle();
  const crowd = Array.from({ length: 500 }, (_, at) => strokeOf(`N${at}`, 9000 + at, [at, 5, at + 9, 9], 3));
  for (const one of crowd) scene.shown(one);
  frame();
  assert.deepEqual(frame.live, []);
  settle();
  const moved = crowd.slice(0, 100).map((one) => one.moved({ factor: 1, x: 5, y: 5 }));
  for (const one of crowd.slice(0, 100)) scene.hidden(one);
  for (const one of moved) scene.shown(one);
  frame();
  assert.equal(frame.live.length, 100);
  settle();
  assert.equal(scene.hasPendingWork, false);
});

test('at any zoom, a frame visits only existing tiles', () => {
  let now = 0;
  const nothing = () => {};
  const tiles = new Tiles(
    { put: nothing, remove: nothing, paint: nothing, work: nothing, stop: nothing },
    () => now,
    () => '#000000',
  );
  const bounds = { left: 0, top: 0, right: 200_000, bottom: 200_000 };
  const views = [16, 0.05].map((scale) => ({ transform: { scale, x: 0, y: 0 }, width: 1000, height: 700, bounds }));
  for (const view of views) {
    const begun = performance.now();
    for (let turn = 0; turn < 40; turn += 1) {
      now += 100;
      tiles.update(view, false);
      tiles.receive(/** @type {any} */ ({}));
      tiles.draw(fakeContext(), view, nothing);
    }
    assert.equal(tiles.isOutdated, false);
    // Visiting all possible tiles would take many seconds.
    assert.ok(performance.now() - begun < 1000, `${performance.now() - begun} ms`);
  }
});

test('nothing below a tile is visible through it, at any zoom', () => {
  for (const scale of [0.5, 1, 1.7]) {
    const canvas = sightOf();
    const transform = { scale, x: -30.4, y: -60.3 };
    canvas.context.drawImage('below', 0, 0, 1000, 1000);
    const tile = new Tile(1, 0, 0);
    tile.draw(canvas.context, transform);
    assert.deepEqual(canvas.at(10, 10), ['below'], 'a tile that is not painted yet hides nothing');
    tile.painted(/** @type {any} */ ('tile'), 1, 0);
    tile.draw(canvas.context, transform);
    assert.deepEqual(canvas.at(10, 10), ['tile']);
    const [left, top, width, height] = tile.deviceRect(transform);
    for (const [x, y] of [[0, 0], [left + width - 1, 0], [0, top + height - 1], [left + width - 1, top + height - 1]]) {
      assert.deepEqual(canvas.at(x, y), ['tile'], `${scale}: ${x},${y}`);
    }
    assert.deepEqual(canvas.at(left + width, 10), ['below'], 'it clears no more than it covers');
    assert.deepEqual(canvas.at(10, top + height), ['below']);
  }
});

test('each point of the view shows one layer of tiles, also during a zoom', () => {
  const { tiles, painted } = tilesOfLayers();
  const bounds = { left: 0, top: 0, right: 4000, bottom: 3000 };
  const steps = [
    { transform: { scale: 1, x: -600, y: -300 }, isZooming: false },
    { transform: { scale: 1.5, x: -900, y: -500 }, isZooming: true },
    { transform: { scale: 2, x: -1300, y: -700 }, isZooming: false },
    { transform: { scale: 0.8, x: -100, y: -50 }, isZooming: false },
  ];
  for (const { transform, isZooming } of steps) {
    const view = { transform, width: 1000, height: 700, bounds };
    for (let turn = 0; turn < 60; turn += 1) {
      tiles.update(view, isZooming);
      painted();
      const canvas = sightOf();
      tiles.draw(canvas.context, view, () => canvas.context.drawImage('all', 0, 0, view.width, view.height));
      for (const [x, y] of [[1, 1], [500, 350], [511, 511], [998, 698]]) {
        const seen = canvas.at(x, y);
        assert.equal(seen.length, 1, `${JSON.stringify(transform)}, turn ${turn}: ${seen} at ${x},${y}`);
      }
    }
  }
});

test('a part is painted on an empty canvas, whatever was on it before', () => {
  const painter = new TilePainter();
  const { items, numbers } = serialize([strokeOf('A', 1, [600, 600, 700, 700], 2)], () => assert.fail('no picture'));
  painter.put(items, numbers);
  const canvas = sightOf();
  for (const left of [0, TILE]) {
    canvas.context.setTransform(2, 0, 0, 2, 5, 5);
    canvas.context.drawImage('another part', -5, -5, TILE + 9, TILE + 9);
    run(painter.paint(canvas.context, { scale: 1, left, top: left, size: TILE }));
    assert.deepEqual([canvas.at(1, 1), canvas.at(TILE - 1, TILE - 1)], [[], []]);
  }
});

/** Tiles, and a painter that paints each requested tile at once. */
function tilesOfLayers() {
  let now = 0;
  const nothing = () => {};
  /** @type {any[]} */
  const asked = [];
  const worker = {
    put: nothing,
    remove: nothing,
    paint: (/** @type {any} */ part) => asked.push(part),
    work: nothing,
    stop: nothing,
  };
  const tiles = new Tiles(worker, () => now, () => '#000000');
  const painted = () => {
    now += 16;
    const part = asked.shift();
    if (part) tiles.receive(/** @type {any} */ (`${part.scale}: ${part.left},${part.top}`));
  };
  return { tiles, painted };
}

/** A canvas that returns the names of the images at a pixel: those that were drawn there since it was cleared. */
function sightOf() {
  /** @type {{ name: string | null, left: number, top: number, right: number, bottom: number }[]} */
  const steps = [];
  const context = fakeContext();
  let [scale, x, y] = [1, 0, 0];
  /** @type {(name: string | null, left: number, top: number, width: number, height: number) => void} */
  const add = (name, left, top, width, height) => {
    const [right, bottom] = [(left + width) * scale + x, (top + height) * scale + y];
    steps.push({ name, left: left * scale + x, top: top * scale + y, right, bottom });
  };
  context.setTransform = (/** @type {number[]} */ ...matrix) => [scale, , , , x, y] = matrix;
  context.clearRect = (/** @type {[number, number, number, number]} */ ...box) => add(null, ...box);
  context.drawImage = add;
  const at = (/** @type {number} */ column, /** @type {number} */ row) => {
    const there = steps.filter(({ left, top, right, bottom }) =>
      left <= column && column < right && top <= row && row < bottom
    );
    return there.slice(there.findLastIndex(({ name }) => name === null) + 1).map(({ name }) => name);
  };
  return { context, at };
}

/** A large scene whose tiles are painted without a worker. @param {number} count */
function large(count) {
  let now = 0;
  let paintings = 0;
  /** @type {string[]} */
  let live = [];
  const strokes = Array.from(
    { length: count },
    (_, at) =>
      strokeOf(`S${at}`, at, [(at * 37) % 3000, (at * 53) % 2000, (at * 37) % 3000 + 20, (at * 53) % 2000 + 9], 3),
  );
  const scene = new TiledRenderer(strokes, {
    paint: (_, drawable) => live.push(drawable.id),
    newCanvas: () => {
      paintings += 1;
      return /** @type {any} */ ({ getContext: fakeContext });
    },
    now: () => now += 0.01,
    ink: () => '#000000',
    requestFrame: () => {},
  }, null);
  const bounds = { left: -10, top: -10, right: 3100, bottom: 2100 };
  const frame = Object.assign((/** @type {boolean} */ isAnew = false) => {
    now += 16;
    live = [];
    if (isAnew) scene.markDirty();
    const view = { transform: frame.camera, width: 1000, height: 700, bounds };
    scene.frame(/** @type {any} */ (fakeContext()), view, frame.isZooming, () => {});
    frame.live = live;
  }, { camera: { scale: 1, x: 0, y: 0 }, isZooming: false, live: /** @type {string[]} */ ([]) });
  const settle = () => {
    for (let turn = 0; turn < 3000; turn += 1) {
      frame();
      if (!scene.hasPendingWork) return;
    }
    assert.fail('the scene always has pending work');
  };
  return { scene, frame, settle, painted: () => paintings };
}

/** @returns {any} a context that records what is painted */
function fakeContext() {
  const nothing = () => {};
  /** @type {any} */
  const context = { done: [], lines: 0, starts: 0 };
  const names = ['setTransform', 'clearRect', 'drawImage', 'save', 'restore', 'rect', 'clip', 'getImageData'];
  for (const name of names) context[name] = nothing;
  context.beginPath = () => context.starts = 0;
  context.moveTo = () => context.starts += 1;
  context.lineTo = () => context.lines += 1;
  context.stroke = () => context.done.push(`stroke ${context.starts}`);
  context.fill = () => context.done.push('fill');
  return context;
}

/** @param {Generator<void>} steps */
function run(steps) {
  while (!steps.next().done);
}

/** @param {string} id @param {number} z @param {number[]} points @param {number} width */
function strokeOf(id, z, points, width) {
  const made = new Stroke({ ...LOOK, id, z, width });
  made.append(points, null);
  made.isFinished = true;
  return made;
}
