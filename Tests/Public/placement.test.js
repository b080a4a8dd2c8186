import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridCells, offsetToFreeSpace, placeInCell } from '../../Public/js/edit/autoLayout.js';
import { contains, cornerAt, resizeFactor } from '../../Public/js/model/hitTest.js';
import { scaleAbout, transformedPlacement } from '../../Public/js/protocol/transformSync.js';
import {
  boundsOf,
  decodePlacement,
  encodePlacement,
  fallbackPosition,
  fitInto,
  onPlane,
  placementMessage,
  readPlacement,
} from '../../Public/js/model/placement.js';

const PLACE = { x: 100, y: 50, width: 80, height: 40, z: 3 };
const BOUNDS = boundsOf(PLACE);
const VIEW = { width: 1000, height: 700, scale: 1 };

for (
  const { what, value, expected } of [
    {
      what: 'the sample says no more than a location',
      value: { location: [1, 2] },
      expected: [1, 2, null, null, null],
    },
    {
      what: 'all of it',
      value: { location: [1.5, -2], width: 30, height: 20, z: 7, other: true },
      expected: [1.5, -2, 30, 20, 7],
    },
    { what: 'half a size is none', value: { location: [1, 2], width: 30 }, expected: [1, 2, null, null, null] },
    {
      what: 'no size of nothing',
      value: { location: [1, 2], width: 0, height: 5 },
      expected: [1, 2, null, null, null],
    },
    { what: 'no `z` below', value: { location: [1, 2], z: -1 }, expected: [1, 2, null, null, null] },
    { what: 'no `z` between', value: { location: [1, 2], z: 1.5 }, expected: [1, 2, null, null, null] },
  ]
) {
  test(`§6 a placement is read: ${what}`, () => {
    const { x, y, width, height, z } = readPlacement(value) ?? {};
    assert.deepEqual([x, y, width, height, z], expected);
  });
}

test('§6 invalid placements and those beyond the plane are ignored', () => {
  const bad = [null, 5, 'x', {}, { location: 5 }, { location: [1] }, { location: [1, '2'] }, {
    location: [0, 1_000_001],
  }];
  for (const value of bad) assert.equal(readPlacement(value), null);
  assert.equal(readPlacement({ location: [0, 0], width: 100_001, height: 5 })?.width, null);
  assert.equal(decodePlacement(new TextEncoder().encode('{"location":')), null);
});

test('§6 the message has the center, in hundredths', () => {
  const payload = encodePlacement('ID', onPlane({ ...PLACE, x: 100.126 }));
  assert.equal(new TextDecoder().decode(payload), '{"id":"ID","location":[100.13,50],"width":80,"height":40,"z":3}');
  assert.deepEqual(decodePlacement(payload), { id: 'ID', placement: { ...PLACE, x: 100.13 } });
  assert.deepEqual(placementMessage(PLACE), { location: [100, 50], width: 80, height: 40, z: 3 });
  assert.deepEqual(boundsOf(PLACE), { left: 60, top: 30, right: 140, bottom: 70 });
});

test('without a placement every page computes the same default', () => {
  assert.deepEqual(fallbackPosition('00000000-0000-4000-8000-000000000000'), { x: 200, y: 200 });
  assert.deepEqual(fallbackPosition('0000000A-0000-4000-8000-000000000000'), { x: 320, y: 260 });
  assert.deepEqual(fallbackPosition('FFFFFFFF-0000-4000-8000-000000000000'), { x: 620, y: 260 });
});

test('a picture fits into its space without distortion or enlargement', () => {
  assert.deepEqual(fitInto({ width: 4000, height: 2000 }, { width: 600, height: 250 }), { width: 500, height: 250 });
  assert.deepEqual(fitInto({ width: 3000, height: 500 }, { width: 600, height: 420 }), { width: 600, height: 100 });
  assert.deepEqual(fitInto({ width: 30, height: 20 }, { width: 600, height: 420 }), { width: 30, height: 20 });
});

test('a single item gets at most 60 % of the view, where it was dropped, at any zoom', () => {
  assert.deepEqual(gridCells(1, [10, 20], VIEW), [{ x: 10, y: 20, room: { width: 600, height: 420 } }]);
  const [close] = gridCells(1, [10, 20], { ...VIEW, scale: 4 });
  assert.deepEqual(close.room, { width: 150, height: 105 });
  // It has 30 × 20 pixels on the screen at any zoom, not four times as many.
  assert.deepEqual(placeInCell({ width: 30, height: 20 }, close, 4), { x: 10, y: 20, width: 7.5, height: 5 });
});

test('several items are placed side by side around the center', () => {
  for (const count of [2, 3, 4, 5, 7, 20]) {
    for (const view of [VIEW, { width: 390, height: 844, scale: 1 }, { ...VIEW, scale: 0.5 }]) {
      const laid = gridCells(count, [0, 0], view);
      assert.equal(laid.length, count);
      const boxes = laid.map(({ x, y, room }) => boundsOf({ x, y, ...room }));
      boxes.forEach((a, at) => {
        for (const b of boxes.slice(at + 1)) {
          const isApart = a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;
          assert.ok(isApart, `${count} in ${JSON.stringify(view)}: ${JSON.stringify([a, b])}`);
        }
      });
      const middle = laid.reduce((sum, { x }) => sum + x, 0) / count;
      assert.ok(Math.abs(middle) < 1e-6, `${middle}`);
    }
  }
});

test('the cells of the grid are wide enough for cards', () => {
  const laid = gridCells(6, [0, 0], { width: 390, height: 844, scale: 1 }, { width: 280, height: 76 });
  assert.ok(laid.every(({ room }) => room.width >= 280));
  assert.equal(new Set(laid.map(({ y }) => y)).size, 6);
});

const SEEN = { left: 0, top: 0, right: 100, bottom: 60 };
for (
  const { what, things, taken, way } of [
    { what: 'nothing is there', things: [[40, 20, 60, 40]], taken: [], way: [0, 0] },
    { what: 'it lies upon something', things: [[40, 20, 60, 40]], taken: [[30, 0, 55, 60]], way: [20, 0] },
    { what: 'it is moved up rather than far', things: [[40, 20, 60, 40]], taken: [[0, 35, 100, 60]], way: [0, -10] },
    { what: 'it comes into view', things: [[90, 20, 110, 40]], taken: [], way: [-10, 0] },
    {
      what: 'several move as one',
      things: [[30, 20, 45, 40], [55, 20, 70, 40]],
      taken: [[66, 0, 80, 60]],
      way: [-10, 0],
    },
    {
      what: 'one lies between what is there',
      things: [[40, 0, 49, 60]],
      taken: [[0, 0, 69, 60], [81, 0, 100, 60]],
      way: [30, 0],
    },
    {
      what: 'all is full',
      things: [[40, 20, 60, 40]],
      taken: [[30, 10, 70, 50], [0, 0, 29, 60], [71, 0, 99, 60]],
      way: null,
    },
    { what: 'it is larger than the view', things: [[-10, 20, 110, 40]], taken: [], way: null },
  ]
) {
  test(`a free place nearby: ${what}`, () => {
    const bounds = ([left, top, right, bottom]) => ({ left, top, right, bottom });
    assert.deepEqual(offsetToFreeSpace(things.map(bounds), taken.map(bounds), SEEN, 10), way);
  });
}

test('an item is hit inside, and within a tolerance', () => {
  assert.equal(contains(BOUNDS, 60, 30), true);
  assert.equal(contains(BOUNDS, 59, 30), false);
  assert.equal(contains(BOUNDS, 55, 75, 5), true);
  assert.equal(contains(BOUNDS, 54, 50, 5), false);
});

for (
  const { what, at, corner } of [
    { what: 'the corner itself', at: [140, 70], corner: [1, 1] },
    { what: 'outside of it', at: [150, 22], corner: [1, -1] },
    { what: 'a little inside', at: [68, 62], corner: [-1, 1] },
    { what: 'the middle', at: [100, 50], corner: null },
    { what: 'a quarter inside is not the corner any more', at: [81, 41], corner: null },
    { what: 'too far outside', at: [170, 70], corner: null },
    { what: 'the middle of a side', at: [140, 50], corner: null },
  ]
) {
  test(`the hit corner: ${what}`, () => {
    assert.deepEqual(cornerAt(BOUNDS, at[0], at[1], 22), corner);
  });
}

for (
  const { what, corner, by, expected } of [
    { what: 'right down', corner: [1, 1], by: [80, 40], expected: { x: 140, y: 70, width: 160, height: 80 } },
    { what: 'left up', corner: [-1, -1], by: [-80, -40], expected: { x: 60, y: 30, width: 160, height: 80 } },
    { what: 'right up, smaller', corner: [1, -1], by: [-40, 20], expected: { x: 80, y: 60, width: 40, height: 20 } },
    {
      what: 'across counts nothing',
      corner: [1, 1],
      by: [-20, 40],
      expected: { x: 100, y: 50, width: 80, height: 40 },
    },
    { what: 'no smaller than it can be seen', corner: [1, 1], by: [-500, -500], expected: { width: 16, height: 8 } },
  ]
) {
  test(`a resize keeps the opposite corner and the shape: ${what}`, () => {
    const factor = resizeFactor(BOUNDS, /** @type {any} */ (corner), by[0], by[1], true);
    const [x, y] = [corner[0] > 0 ? BOUNDS.left : BOUNDS.right, corner[1] > 0 ? BOUNDS.top : BOUNDS.bottom];
    const place = transformedPlacement(PLACE, scaleAbout(factor, x, y), true);
    for (const [name, value] of Object.entries(expected)) {
      assert.ok(Math.abs(place[/** @type {'x'} */ (name)] - value) < 1e-9, `${name}: ${JSON.stringify(place)}`);
    }
    const [right, down] = corner;
    const fixed = [place.x - right * place.width / 2, place.y - down * place.height / 2];
    assert.ok(Math.hypot(fixed[0] - (100 - right * 40), fixed[1] - (50 - down * 20)) < 1e-9);
    assert.equal(place.z, 3);
  });
}

test('a moved item stays on the plane, and a resized one at its place', () => {
  const by = (/** @type {number} */ x, /** @type {number} */ y) =>
    transformedPlacement(PLACE, { factor: 1, x, y }, true);
  const grown = (/** @type {number} */ factor, isPicture = true) =>
    transformedPlacement(PLACE, scaleAbout(factor, 100, 50), isPicture);
  assert.deepEqual(by(5, -10), { ...PLACE, x: 105, y: 40 });
  assert.equal(by(2_000_000, 0).x, 1_000_000);
  assert.deepEqual(grown(2), { ...PLACE, width: 160, height: 80 });
  assert.equal(grown(1e9).width, 100_000);
  assert.deepEqual(grown(2, false), PLACE);
});
