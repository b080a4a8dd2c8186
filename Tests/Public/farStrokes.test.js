/** Strokes far from the origin of the plane: paths with single precision must not make them coarse. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stroke } from '../../Public/js/model/stroke.js';
import { paintShape } from '../../Public/js/render/shapePainter.js';

/** A path that holds its coordinates, as a browser does: with single precision. */
class FakePath {
  /** @type {number[]} */
  numbers = [];
  moveTo = (/** @type {number[]} */ ...numbers) => this.numbers.push(...numbers.map(Math.fround));
  lineTo = this.moveTo;
  quadraticCurveTo = this.moveTo;
  arc = (/** @type {number} */ x, /** @type {number} */ y) => this.moveTo(x, y);
  closePath = () => {};
}
Object.assign(globalThis, { Path2D: FakePath });

const POINTS = [10.01, 20.02, 15.37, 27.91, 31.13, 22.22, 40.04, 60.06];
const SCALE = 16;

for (const style of [{ tool: 'pen' }, { tool: 'line' }, { tool: 'pen', dash: 'dashed' }]) {
  test(`${JSON.stringify(style)} has the same pixels on each sheet`, () => {
    const home = paintedAt([0, 0], style);
    assert.ok(home.length > 3);
    for (const origin of /** @type {[number, number][]} */ ([[100_000, 0], [-200_000, 300_000], [900_000, -900_000]])) {
      const far = paintedAt(origin, style);
      assert.equal(far.length, home.length);
      far.forEach((value, at) => assert.ok(Math.abs(value - home[at]) < 0.01, `${value} and ${home[at]}`));
    }
  });
}

test('the transform of the context is the same afterwards', () => {
  const context = new FakeContext(100_000, 0);
  const before = context.matrix;
  paintShape(/** @type {any} */ (context), strokeAt([100_000, 0], { tool: 'pen' }), '#000000');
  assert.equal(context.matrix, before);
});

/** @param {[number, number]} origin of the sheet @param {object} style @returns {number[]} device pixels */
function paintedAt([x, y], style) {
  const context = new FakeContext(x, y);
  paintShape(/** @type {any} */ (context), strokeAt([x, y], style), '#000000');
  return context.painted;
}

/** @param {[number, number]} origin @param {object} style */
function strokeAt([x, y], style) {
  const stroke = new Stroke({ id: 'A', rgb: '#e5484d', color: 0, width: 3, z: 1, tool: 'pen', ...style });
  stroke.append(POINTS.map((value, at) => value + (at % 2 ? y : x)), null);
  stroke.finish();
  return stroke;
}

class FakeMatrix {
  /** @param {number} scale @param {number} e @param {number} f */
  constructor(scale, e, f) {
    this.scale = scale;
    this.e = e;
    this.f = f;
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    return new FakeMatrix(this.scale, this.e + this.scale * x, this.f + this.scale * y);
  }
}

/** A context whose camera is at the origin of a sheet. It computes with single precision. */
class FakeContext {
  /** @type {number[]} */
  painted = [];

  /** @param {number} x @param {number} y */
  constructor(x, y) {
    this.matrix = new FakeMatrix(SCALE, -x * SCALE, -y * SCALE);
  }

  getTransform = () => this.matrix;
  setTransform = (/** @type {FakeMatrix} */ matrix) => (this.matrix = matrix);
  setLineDash = () => {};
  fill = (/** @type {FakePath} */ { numbers }) => {
    const { scale, e, f } = this.matrix;
    const { fround } = Math;
    this.painted.push(...numbers.map((value, at) => fround(fround(scale * value) + fround(at % 2 ? f : e))));
  };
  stroke = this.fill;
}
