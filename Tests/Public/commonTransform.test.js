import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonTransform } from '../../Public/js/model/commonTransform.js';
import { Stroke } from '../../Public/js/model/stroke.js';

const SMALL = strokeOf([1, 1, 2, 2]);
const LARGE = strokeOf([900, 10, 300, 700, 1234.56, 40]);

test('strokes that were moved and resized together have one transform', () => {
  const transform = { factor: 1.37, x: -250.5, y: 31.25 };
  const found = commonTransform([SMALL, LARGE], [SMALL.moved(transform), LARGE.moved(transform)]);
  assert.ok(found && Math.abs(found.factor - 1.37) < 1e-4 && Math.abs(found.x + 250.5) < 0.1, JSON.stringify(found));
  assert.deepEqual(commonTransform([SMALL], [SMALL]), { factor: 1, x: 0, y: 0 });
  assert.deepEqual(commonTransform([SMALL, LARGE], [null, LARGE]), { factor: 1, x: 0, y: 0 }, 'one was removed');
});

test('a dot that was moved has a transform', () => {
  assert.deepEqual(commonTransform([strokeOf([5, 5])], [strokeOf([8, 1])]), { factor: 1, x: 3, y: -4 });
});

test('strokes that were moved apart, changed or removed have none', () => {
  const moved = (/** @type {Stroke} */ stroke) => stroke.moved({ factor: 1, x: 10, y: 0 });
  assert.equal(commonTransform([SMALL, LARGE], [SMALL, moved(LARGE)]), null);
  assert.equal(commonTransform([SMALL], [strokeOf([1, 1, 2, 2, 3, 3])]), null);
  assert.equal(commonTransform([LARGE], [strokeOf([900, 10, 300, 600, 1234.56, 40])]), null);
  assert.equal(commonTransform([SMALL, LARGE], [null, null]), null);
});

/** @param {number[]} points */
function strokeOf(points) {
  const stroke = new Stroke({ rgb: '#e5484d', color: 0, width: 6, tool: 'pen', id: 'A', z: 1 });
  stroke.append(points, null);
  return stroke;
}
