import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera, MAX_SCALE, MIN_SCALE } from '../../Public/js/model/camera.js';
import { CameraGlide } from '../../Public/js/model/cameraGlide.js';
import { edgePlace } from '../../Public/js/model/edgePlace.js';

const SIZE = { width: 1000, height: 500 };

test('the camera glides until the target is visible as a whole, and then rests', () => {
  const { camera, glide, run } = gliding();
  glide.to({ left: 2000, top: 2000, right: 4000, bottom: 2500 });
  const seen = run();
  assert.ok(seen.length > 5, `${seen.length} frames`);
  // On the way, it only comes closer.
  for (let at = 1; at < seen.length; at += 1) assert.ok(seen[at] >= seen[at - 1]);
  assert.deepEqual(rounded(camera.seen(1000, 500)), { left: 2000, top: 1750, right: 4000, bottom: 2750 });
  const { version } = camera;
  assert.equal(glide.frame(9000), false);
  assert.equal(camera.version, version);
});

test('the camera rests at its limit', () => {
  const { camera, glide, run } = gliding();
  camera.limit = (view) => ({ ...view, x: Math.min(300, view.x) });
  glide.to({ left: 2000, top: 0, right: 3000, bottom: 500 });
  run();
  assert.equal(camera.x, 300);
});

test('without gliding, the camera jumps', () => {
  const { camera, glide } = gliding({ glides: () => false });
  glide.to({ left: -500, top: 0, right: 500, bottom: 500 });
  assert.equal(glide.frame(0), false);
  assert.deepEqual(rounded(camera.seen(1000, 500)), { left: -500, top: 0, right: 500, bottom: 500 });
});

test('another movement of the camera ends the glide', () => {
  const { camera, glide } = gliding();
  glide.to({ left: 2000, top: 0, right: 3000, bottom: 500 });
  glide.frame(0);
  glide.frame(16);
  assert.equal(glide.isInterrupted, false);
  camera.pan(1, 0);
  assert.equal(glide.isInterrupted, true);
  const { x } = camera;
  glide.frame(32);
  assert.equal(camera.x, x);
  glide.stop();
  assert.equal(glide.isInterrupted, false);
});

test('a view of the actual size leads to exactly this size', () => {
  const { camera, glide, run } = gliding();
  camera.zoom(1.7, 3, 7);
  glide.to({ left: 0.33, top: 0, right: 1000.34, bottom: 500 });
  run();
  assert.equal(camera.scale, 1);
});

for (const [bounds, scale] of /** @type {const} */ ([[[0, 0, 1e6, 1], MIN_SCALE], [[0, 0, 1, 1], MAX_SCALE]])) {
  test(`the scale stays within its limits: ${scale}`, () => {
    const { camera, glide, run } = gliding();
    const [left, top, right, bottom] = bounds;
    glide.to({ left, top, right, bottom });
    run();
    assert.ok(Math.abs(camera.scale / scale - 1) < 0.001);
  });
}

/** The view is 1000 × 500. @type {{ at: [number, number], place: [number, number, number] | null }[]} */
const PLACES = [
  { at: [500, 250], place: null },
  { at: [0, 500], place: null },
  { at: [3000, 250], place: [972, 250, 0] },
  { at: [-3000, 250], place: [28, 250, 180] },
  { at: [500, -900], place: [500, 92, -90] },
  { at: [500, 9000], place: [500, 388, 90] },
];

for (const { at, place } of PLACES) {
  test(`the mark of the point ${at} is at ${place}`, () => {
    const found = edgePlace(...at, SIZE);
    assert.deepEqual(found && [found.x, found.y, Math.round(found.angle * 180 / Math.PI)], place);
  });
}

test('a mark has a place in a tiny window', () => {
  assert.deepEqual(edgePlace(-50, -50, { width: 20, height: 20 })?.x, 28);
});

/** @param {{ glides?: () => boolean }} [options] */
function gliding(options) {
  const camera = new Camera();
  const glide = new CameraGlide(camera, { size: () => SIZE, ...options });
  /** Runs frames until it rests. @returns {number[]} the left edge in each */
  const run = () => {
    const seen = [];
    for (let now = 0; now < 5000 && (glide.frame(now) || now === 0); now += 16) seen.push(camera.x);
    return seen;
  };
  return { camera, glide, run };
}

/** @param {import('../../Public/js/model/stroke.js').Bounds} bounds */
function rounded(bounds) {
  return Object.fromEntries(Object.entries(bounds).map(([name, value]) => [name, Math.round(value)]));
}
