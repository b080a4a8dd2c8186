import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import { scaleFor } from '../../Public/js/render/export/raster.js';
import { Item } from '../../Public/js/model/item.js';
import { PanTool } from '../../Public/js/tools/panTool.js';

/** The size of a picture in points, and the scale of its copy in pixels per point. */
const COPIES = [
  { rule: 'as many pixels a point as are wanted', width: 1000, height: 800, scale: 2 },
  { rule: 'no more pixels than any browser can hold', width: 4096, height: 4096, scale: 1 },
  { rule: 'nor on one side', width: 16_384, height: 100, scale: 0.5 },
  { rule: 'nor on the other', width: 10, height: 819_200, scale: 0.01 },
];

for (const { rule, width, height, scale } of COPIES) {
  test(`a copy has ${rule}`, () => assert.equal(scaleFor(width, height, 2), scale));
}

test('the grabbed point stays under the pointer at any zoom', () => {
  const camera = new Camera();
  const hand = new PanTool(camera);
  camera.zoom(4, 100, 100);
  const sample = (/** @type {number} */ at) => {
    const [x, y] = camera.toPlane(at, 50);
    return { x, y, pressure: null };
  };
  const held = sample(200);
  hand.begin(held);
  for (const at of [230, 400, 10]) {
    hand.move([sample(0), sample(at)]);
    const { x, y } = sample(at);
    assert.deepEqual([Math.round(1e6 * x), Math.round(1e6 * y)], [held.x, held.y].map((one) => Math.round(1e6 * one)));
  }
  hand.end();
  assert.equal(camera.scale, 4);
});

test('ready attachments can be read, also after the end of the session; unfinished ones cannot', async () => {
  const place = { x: 0, y: 0, width: 1, height: 1, z: 1 };
  const item = new Item({ id: 'A', name: 'a.png', contentType: 'image/png', size: 1, place });
  const attachment = /** @type {any} */ ({ isReady: false, load: () => Promise.resolve('contents') });
  item.attachment = attachment;
  assert.deepEqual([item.source, item.canLoad], [null, false]);
  await assert.rejects(item.load(), /“a.png” is not available yet/);
  attachment.isReady = true;
  assert.deepEqual([item.source, await item.load()], [attachment, 'contents']);
  item.origin = item.attachment;
  item.attachment = null;
  assert.deepEqual([item.source, item.canLoad, await item.load()], [attachment, true, 'contents']);
});
