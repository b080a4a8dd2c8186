import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Item } from '../../Public/js/model/item.js';
import { Items } from '../../Public/js/model/scene.js';
import { Animations } from '../../Public/js/render/animations.js';
import { keyOf, quiet } from './support.js';

const SEEN = { left: 0, top: 0, right: 1000, bottom: 1000 };

test('an animated picture shows its frames in order, and frees each one', async () => {
  const { animations, add, tick, shown, frames } = player();
  const item = add({});
  animations.update(SEEN, true);
  for (let count = 0; count < 4; count += 1) await tick();
  assert.deepEqual(shown, [0, 1, 2, 0, 1]);
  assert.equal(item.isAnimated, true);
  assert.ok(frames.every(({ isClosed }) => isClosed));
  assert.equal(openBitmaps(frames), 1);
});

test('an animation stops out of view, without permission, on a hidden page, and when it is paused; later it continues', async () => {
  const { animations, add, tick, shown, opened } = player();
  const item = add({});
  animations.update(SEEN, true);
  await quiet();
  const stops = [
    () => animations.update({ ...SEEN, left: 900 }, true),
    () => animations.update(SEEN, false),
    () => animations.stop(),
    () => {
      item.isPaused = true;
      animations.update(SEEN, true);
    },
  ];
  for (const [at, stop] of stops.entries()) {
    stop();
    for (let count = 0; count < 3; count += 1) await tick();
    assert.equal(shown.length, at + 1);
    assert.ok(opened.every(({ isClosed }) => isClosed));
    item.isPaused = false;
    animations.update(SEEN, true);
    await quiet();
  }
  assert.deepEqual(shown, [0, 1, 2, 0, 1]);
});

test('an animation that has ended shows its last frame', async () => {
  const { animations, add, tick, shown, opened } = player({ repetitions: 1 });
  add({});
  animations.update(SEEN, true);
  for (let count = 0; count < 9; count += 1) await tick();
  animations.update(SEEN, true);
  await tick();
  assert.deepEqual(shown, [0, 1, 2, 0, 1, 2]);
  assert.deepEqual(opened.map(({ isClosed }) => isClosed), [true]);
});

test('other pictures, huge ones, and those that are not loaded yet stay still', async () => {
  const { animations, add, tick, opened } = player();
  add({ contentType: 'image/png' });
  add({ natural: { width: 4000, height: 4000 } });
  add({}).bitmap = null;
  add({}).blob = null;
  animations.update(SEEN, true);
  await tick();
  assert.equal(opened.length, 0);
});

test('a picture with one frame, and one that cannot be decoded, are tried once', async () => {
  const { animations, add, tick, opened } = player({ isStill: true });
  const item = add({});
  for (let count = 0; count < 3; count += 1) {
    animations.update(SEEN, true);
    await tick();
  }
  assert.deepEqual([opened.length, item.isAnimated], [1, false]);
});

test('only the largest pictures move at a time', async () => {
  const { animations, items, add, opened } = player();
  for (let count = 0; count < 9; count += 1) add({ size: 100 + count });
  animations.update(SEEN, true);
  await quiet();
  assert.equal(opened.length, 4);
  assert.deepEqual(items.all.filter(({ isAnimated }) => isAnimated).map(({ place }) => place.width), [
    105,
    106,
    107,
    108,
  ]);
});

test('a frame that is decoded too late is dropped', async () => {
  const { animations, items, add, tick, shown, frames, hold } = player();
  const item = add({});
  const release = hold();
  animations.update(SEEN, true);
  await quiet();
  items.remove(item);
  release();
  await tick();
  assert.deepEqual([shown, openBitmaps(frames), frames.length], [[], 0, 1]);
});

/** @param {{ bitmap: { isClosed: boolean } | null }[]} frames @returns {number} the bitmaps of frames that use memory */
function openBitmaps(frames) {
  return frames.filter(({ bitmap }) => bitmap && !bitmap.isClosed).length;
}

/** @param {{ repetitions?: number, isStill?: boolean }} [options] */
function player({ repetitions = Infinity, isStill = false } = {}) {
  const items = new Items();
  /** The frames in the order in which they were shown. @type {number[]} */
  const shown = [];
  /** @type {{ isClosed: boolean, bitmap: any }[]} */
  const frames = [];
  /** @type {{ isClosed: boolean }[]} */
  const opened = [];
  /** @type {(() => void)[]} */
  const timers = [];
  let gate = Promise.resolve();
  const decode = async (/** @type {number} */ at) => {
    await gate;
    const frame = { at, isClosed: false, bitmap: null, close: () => (frame.isClosed = true) };
    frames.push(frame);
    return { image: /** @type {any} */ (frame), ms: 100 };
  };
  const animations = new Animations(items, {
    open: (blob) => {
      assert.ok(blob);
      const animation = { frames: 3, repetitions, decode, isClosed: false, close: () => (animation.isClosed = true) };
      opened.push(animation);
      return Promise.resolve(isStill ? null : animation);
    },
    bitmapOf: (/** @type {any} */ frame) => {
      frame.bitmap = { at: frame.at, isClosed: false, close: () => (frame.bitmap.isClosed = true) };
      return Promise.resolve(frame.bitmap);
    },
    setTimeout: (run) => timers.push(run),
  });
  items.observe({
    shown: () => {},
    changed: () => {},
    hidden: () => {},
    repainted: ({ bitmap }) => shown.push(/** @type {any} */ (bitmap)?.image.at),
  });
  let ids = 0;
  const add = ({ contentType = 'image/gif', size = 100, natural = { width: 100, height: 100 } }) => {
    const place = { x: 0, y: 0, width: size, height: size, z: 0 };
    const item = new Item({ id: keyOf(ids += 1), name: 'one.gif', contentType, size: 1000, place });
    item.blob = new Blob(['x']);
    item.natural = natural;
    item.bitmap = { image: /** @type {any} */ ({ close: () => {} }), level: 0 };
    items.add(item);
    return item;
  };
  const tick = async () => {
    await quiet();
    for (const run of timers.splice(0)) run();
    await quiet();
  };
  const hold = () => {
    let release = () => {};
    gate = new Promise((resolve) => (release = resolve));
    return () => release();
  };
  return { items, animations, add, tick, shown, frames, opened, hold };
}
