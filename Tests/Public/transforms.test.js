/** The select tool with rotation: the handle, keys, and the box of a rotated object. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, sides } from './transformSupport.js';

/** A page with a selected rectangle from (400, 300) to (500, 340), whose handle is above its middle. */
function rectangle() {
  const page = openPage();
  const id = page.draw('rectangle', [400, 300, 500, 340]);
  page.selection.choose([id]);
  const angle = () => page.transforms.frame(null)?.angle ?? NaN;
  return { ...page, id, angle };
}

/** The center of the rectangle, and the handle: above the box, which is seven points larger. */
const CENTER = [450, 320];
const HANDLE = [450, 300 - 7 - 38];

/** @param {number} degrees @returns {number[]} where the handle is after that rotation */
function handleAt(degrees) {
  const [radius, radians] = [CENTER[1] - HANDLE[1], degrees * Math.PI / 180];
  return [CENTER[0] + radius * Math.sin(radians), CENTER[1] - radius * Math.cos(radians)];
}

test('the handle rotates the selection about its center', () => {
  const { drag, find, id, angle, selection } = rectangle();
  drag([HANDLE, handleAt(10), handleAt(30)]);
  assert.equal(selection.size, 1);
  assert.ok(Math.abs(angle() - 30) < 0.1, `${angle()}`);
  const { points } = find(id);
  assert.deepEqual([(points[0] + points[4]) / 2, (points[1] + points[5]) / 2].map(Math.round), CENTER);
});

test('the handle is large enough for a finger, and a card has none', () => {
  const { transforms, selectTool, selection, itemStore } = rectangle();
  const [x, y] = HANDLE;
  transforms.frame(null);
  assert.deepEqual([selectTool.cursorAt(x + 21, y), selectTool.cursorAt(x, y - 21), selectTool.cursorAt(x + 23, y)], [
    'turn',
    'turn',
    '',
  ]);
  const content = { blob: new Blob(['a']), name: 'a.pdf', contentType: 'application/pdf', natural: null };
  const { id } = itemStore.add(content, { x: 700, y: 600, width: 280, height: 76 });
  selection.choose([id]);
  assert.equal(selectTool.cursorAt(700, 600 - 38 - 38), '');
  selectTool.turn(15);
  selectTool.commitNudge();
  assert.equal(itemStore.current({ id })?.angle, 0);
});

test('with Shift, the angle is a multiple of 15° on the page', () => {
  const { drag, angle } = rectangle();
  drag([HANDLE, handleAt(20), handleAt(38)], { shift: true });
  assert.ok(Math.abs(angle() - 45) < 0.1, `${angle()}`);
  drag([handleAt(45), handleAt(60), handleAt(65.5)]);
  assert.ok(Math.abs(angle() - 65.5) < 0.2, `${angle()}`);
  drag([handleAt(65.5), handleAt(70), handleAt(76)], { shift: true });
  assert.ok(Math.abs(angle() - 75) < 0.1, `${angle()}`);
});

test('an angle near a right angle snaps to it, unless Alt is down', () => {
  const { drag, angle } = rectangle();
  drag([HANDLE, handleAt(20), handleAt(2)], { alt: true });
  assert.ok(Math.abs(angle() - 2) < 0.1, `${angle()}`);
  drag([handleAt(2), handleAt(20), handleAt(1)]);
  assert.ok(angle() < 0.05 || angle() > 359.95, `${angle()}`);
});

test('while the handle is dragged, the box turns with it, and its angle is shown', () => {
  const { draw, selection, selectTool, transforms } = rectangle();
  const other = draw('pen', [600, 320, 640, 360]);
  selection.choose([...selection.ids, other]);
  const frame = /** @type {any} */ (transforms.frame(null));
  const [x, y] = [(frame.box.left + frame.box.right) / 2, frame.box.top - 38];
  const middle = (frame.box.top + frame.box.bottom) / 2;
  assert.equal(transforms.turning, null);
  selectTool.begin({ x, y, pressure: null });
  selectTool.move([{ x: x + middle - y, y: middle, pressure: null }]);
  assert.equal(transforms.turning, 90);
  const turned = /** @type {any} */ (transforms.frame(null));
  assert.deepEqual([turned.angle, ...sides(turned.box)], [90, ...sides(frame.box)]);
  selectTool.end();
  assert.equal(transforms.frame(null)?.angle, 0);
});

test('without room above, the handle is below', () => {
  const { draw, selection, transforms } = rectangle();
  selection.choose([draw('rectangle', [400, 80, 500, 120])]);
  const frame = transforms.frame(null);
  assert.equal(transforms.isHandleBelow, true);
  assert.ok(transforms.isOnHandle(450, 127 + 38));
  assert.deepEqual(frame && sides(frame.around), [393, 73, 507, 187]);
});

test('a corner of a rotated box resizes it about the opposite corner', () => {
  const { drag, find, id, angle } = rectangle();
  drag([HANDLE, handleAt(20), handleAt(90)], { shift: true });
  // Its upper right corner, at (507, 293) before, is now below: at (477, 377). The opposite one is at (423, 263).
  drag([[477, 377], [480, 400], [477 + 54, 377 + 114]]);
  const { points } = find(id);
  assert.ok(Math.abs(angle() - 90) < 0.1);
  assert.deepEqual(
    sides({
      left: Math.min(points[0], points[4]),
      top: Math.min(points[1], points[5]),
      right: Math.max(points[0], points[4]),
      bottom: Math.max(points[1], points[5]),
    }),
    [437, 277, 517, 477],
  );
});

test('the cursor at a corner follows the rotation', () => {
  const { drag, selectTool } = rectangle();
  assert.equal(selectTool.cursorAt(507, 347), 'down');
  drag([HANDLE, handleAt(20), handleAt(90)], { shift: true });
  assert.equal(selectTool.cursorAt(423, 377), 'up');
  drag([handleAt(90), handleAt(120), handleAt(135)], { shift: true });
  assert.ok(['across', 'along'].includes(selectTool.cursorAt(...cornerAt(135))));
});

test('an object is dragged and selected inside its rotated box, and not beside it', () => {
  const { drag, selectTool, selection } = rectangle();
  drag([HANDLE, handleAt(20), handleAt(45)], { shift: true });
  // On the diagonal of the box, and in a corner of its bounds.
  assert.equal(selectTool.cursorAt(450 + 28, 320 + 28), 'move');
  assert.equal(selectTool.cursorAt(450 - 40, 320 + 40), '');
  drag([[700, 700]]);
  assert.equal(selection.size, 0);
  drag([[450 - 25, 320 + 25]]);
  assert.equal(selection.size, 0, 'a tap beside it');
  drag([[450 + 15, 320 + 12]]);
  assert.equal(selection.size, 1, 'a tap inside');
});

test('keys rotate by steps about the same center, as one undo step', () => {
  const { selectTool, drawing, find, id, selection, draw } = rectangle();
  selection.choose([id, draw('pen', [600, 300, 700, 500, 640, 320])]);
  const look = () => [...selection.ids].map((one) => find(one).points);
  const before = look();
  for (let times = 0; times < 24; times += 1) selectTool.turn(15);
  for (const [at, points] of look().entries()) {
    assert.ok(
      points.every((/** @type {number} */ one, /** @type {number} */ index) =>
        Math.abs(one - before[at][index]) < 0.05
      ),
    );
  }
  selectTool.turn(1);
  selectTool.commitNudge();
  assert.notDeepEqual(look(), before);
  drawing.undo();
  assert.deepEqual(look(), before);
});

test('an end during a rotation restores the selection', () => {
  const { selectTool, find, id, transforms, drawing } = rectangle();
  const { points } = find(id);
  selectTool.begin({ x: HANDLE[0], y: HANDLE[1], pressure: null });
  selectTool.move([{ x: 600, y: 320, pressure: null }]);
  assert.notDeepEqual(find(id).points, points);
  selectTool.cancel();
  assert.deepEqual([find(id).points, transforms.turning], [points, null]);
  drawing.undo();
  assert.equal(find(id), null);
});

/** @param {number} degrees @returns {[number, number]} a corner of the box after a rotation */
function cornerAt(degrees) {
  const radians = degrees * Math.PI / 180;
  const [x, y] = [57, 27];
  return [
    CENTER[0] + x * Math.cos(radians) - y * Math.sin(radians),
    CENTER[1] + x * Math.sin(radians) + y * Math.cos(radians),
  ];
}
