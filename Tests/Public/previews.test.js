import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Previews } from '../../Public/js/edit/previews.js';
import { Item } from '../../Public/js/model/item.js';
import { MAX_PREVIEW_LENGTH, readPreview } from '../../Public/js/model/preview.js';
import { Items } from '../../Public/js/model/scene.js';
import { decodePreview, PreviewCache } from '../../Public/js/render/previews.js';
import { keyOf } from './support.js';

const SEEN = { left: 0, top: 0, right: 1000, bottom: 1000 };
const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on, to the end', 'latin1').toString('base64');

/** @type {[string, unknown, string][]} */
const RECEIVED = [
  ['a PNG', { preview: PNG }, PNG],
  ['a WebP', { preview: btoa('RIFF\x24\0\0\0WEBP') }, btoa('RIFF\x24\0\0\0WEBP')],
  ['a JPEG', { preview: btoa('\xff\xd8\xff\xe0\0\x10JFIF\0\x01') }, btoa('\xff\xd8\xff\xe0\0\x10JFIF\0\x01')],
  ['an address', { preview: `data:image/png;base64,${PNG}` }, ''],
  ['no base64', { preview: `${PNG.slice(0, -4)}<b>!` }, ''],
  ['a cut text', { preview: PNG.slice(0, -1) }, ''],
  ['too much padding', { preview: `${PNG.slice(0, -4)}A===` }, ''],
  ['too long a text', { preview: PNG.padEnd(MAX_PREVIEW_LENGTH + 4, 'A') }, ''],
  ['an empty text', { preview: '' }, ''],
  ['no text', { preview: [PNG] }, ''],
  ['nothing', {}, ''],
  ['no metadata', null, ''],
];
for (const [name, metadata, preview] of RECEIVED) {
  test(`${name} is ${preview ? 'a' : 'no'} preview`, () => assert.equal(readPreview(metadata), preview));
}

/** @type {[string, string, number, boolean][]} */
const DECODED = [
  ['a PNG', PNG, 64, true],
  ['a WebP', btoa('RIFF\x24\0\0\0WEBP'), 32, true],
  ['a JPEG', btoa('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'), 1, true],
  ['a file that claims to be a large picture', PNG, 65, false],
  ['a GIF', btoa('GIF89a\x01\0\x01\0\0\0'), 32, false],
  ['an SVG', btoa('<svg xmlns="http://www.w3.org/2000/svg"/>'), 32, false],
  ['a text', btoa('hello'), 32, false],
];
for (const [name, preview, side, isDecoded] of DECODED) {
  test(`${name} of ${side} pixels is ${isDecoded ? '' : 'not '}decoded as a preview`, async () => {
    const image = /** @type {any} */ ({});
    const measure = () => Promise.resolve({ width: 1, height: side });
    assert.equal(await decodePreview(preview, measure, () => Promise.resolve(image)), isDecoded ? image : null);
    assert.equal(await decodePreview(preview, () => Promise.reject(new TypeError())), null);
  });
}

test('a preview is made of the picture that the page shows', async () => {
  const { items, previews, made } = maker();
  const item = picture({});
  items.add(item);
  const preview = previews.of(item);
  const image = shown(item);
  items.changed(item);
  assert.equal(await preview, PNG);
  assert.equal(item.preview, PNG);
  assert.deepEqual(made, [image]);
  // It is made once.
  assert.equal(await previews.of(item), PNG);
  assert.equal(made.length, 1);
});

test('small pictures and other files have no preview', async () => {
  const { items, previews } = maker();
  for (const item of [picture({ size: 5000 }), picture({ id: 2, contentType: 'application/pdf' })]) {
    items.add(item);
    shown(item);
    assert.equal(await previews.of(item), '');
  }
});

test('a picture that is removed or not decoded in time is uploaded without a preview', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { items, previews } = maker();
  const [removed, slow] = [picture({}), picture({ id: 2 })];
  for (const item of [removed, slow]) items.add(item);
  const found = [previews.of(removed), previews.of(slow)];
  items.remove(removed);
  context.mock.timers.tick(2000);
  assert.deepEqual(await Promise.all(found), ['', '']);
});

test('previews are decoded for visible pictures, until the pictures are there', async () => {
  const { items, cache, decodes, changes } = viewer();
  const [seen, away, loaded, plain] = [
    picture({ preview: PNG }),
    picture({ id: 2, x: 5000, preview: PNG }),
    picture({ id: 3, preview: PNG }),
    picture({ id: 4 }),
  ];
  for (const item of [seen, away, loaded, plain]) items.add(item);
  shown(loaded);
  cache.update(SEEN);
  cache.update(SEEN);
  assert.deepEqual(decodes.map(({ preview }) => preview), [PNG]);
  const image = decodes[0].done();
  await settled();
  assert.equal(seen.blur, image);
  assert.deepEqual(changes, [seen]);
  shown(seen);
  cache.update(SEEN);
  assert.deepEqual([seen.blur, image.isClosed], [null, true]);
  // The picture was dropped, because others need the memory.
  seen.bitmap = null;
  cache.update(SEEN);
  assert.equal(decodes.length, 2);
});

test('a wrong preview is tried once, and a late one is dropped', async () => {
  const { items, cache, decodes, changes } = viewer();
  const [wrong, late, removed] = [1, 2, 3].map((id) => picture({ id, preview: PNG }));
  for (const item of [wrong, late, removed]) items.add(item);
  cache.update(SEEN);
  decodes[0].fail();
  shown(late);
  items.remove(removed);
  const images = [decodes[1].done(), decodes[2].done()];
  await settled();
  cache.update(SEEN);
  assert.deepEqual(images.map(({ isClosed }) => isClosed), [true, true]);
  assert.deepEqual([decodes.length, changes], [3, []]);
});

test('the number of decoded previews is bounded', async () => {
  const { items, cache, decodes } = viewer();
  const all = Array.from({ length: 520 }, (_, at) => picture({ id: at + 1, preview: PNG }));
  for (const item of all) items.add(item);
  for (let round = 0; round < 3; round += 1) {
    cache.update(SEEN);
    for (const decode of decodes) decode.done();
    await settled();
  }
  assert.equal(decodes.length, 520);
  assert.equal(all.filter(({ blur }) => blur).length, 500);
});

function maker() {
  const items = new Items();
  /** @type {unknown[]} */
  const made = [];
  const previews = new Previews(items, (image) => (made.push(image), PNG));
  return { items, previews, made };
}

function viewer() {
  const items = new Items();
  /** @type {Item[]} */
  const changes = [];
  /** @type {{ preview: string, done: () => any, fail: () => void }[]} */
  const decodes = [];
  const cache = new PreviewCache(items, (item) => changes.push(item), (preview) =>
    new Promise((resolve) => {
      const image = { isClosed: false, close: () => (image.isClosed = true) };
      decodes.push({ preview, done: () => (resolve(/** @type {any} */ (image)), image), fail: () => resolve(null) });
    }));
  return { items, cache, decodes, changes };
}

/** @param {{ id?: number, x?: number, size?: number, contentType?: string, preview?: string }} properties */
function picture({ id = 1, x = 0, size = 100_000, contentType = 'image/png', preview = '' }) {
  const place = { x, y: 0, width: 100, height: 100, z: 0 };
  const item = new Item({ id: keyOf(id), name: 'one.png', contentType, size, place });
  item.preview = preview;
  return item;
}

/** Decodes the picture of an item. @param {Item} item */
function shown(item) {
  const image = /** @type {any} */ ({ close: () => {} });
  item.bitmap = { image, level: 0 };
  return image;
}

function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}
