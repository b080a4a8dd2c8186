import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BitmapCache } from '../../Public/js/render/bitmaps.js';
import {
  finestLevel,
  levelFor,
  MAX_BITMAP_PIXELS,
  pictureType,
  pixelsAt,
  planBitmaps,
  sizeAt,
} from '../../Public/js/model/imageFile.js';
import { Item, shortened } from '../../Public/js/model/item.js';
import { Items, Scene } from '../../Public/js/model/scene.js';
import { AttachmentError } from '../../Public/js/sync/errors.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { tooLargeMessages, unreadableMessages } from '../../Public/js/ui/filePlacer.js';
import { doneOfTotal, itemLabel, partDone, timeLeft, TransferRate } from '../../Public/js/ui/transferProgress.js';
import { panelPlace } from '../../Public/js/ui/panelPlacement.js';
import { keyOf } from './support.js';

const MB = 1024 * 1024;
const SEEN = { left: 0, top: 0, right: 1000, bottom: 1000 };

for (
  const { head, type } of [
    { head: '\x89PNG\r\n\x1a\n\0\0\0\r', type: 'image/png' },
    { head: '\xff\xd8\xff\xe0\0\x10JFIF\0\x01', type: 'image/jpeg' },
    { head: 'GIF89a\x01\0\x01\0\0\0', type: 'image/gif' },
    { head: 'GIF87a\x01\0\x01\0\0\0', type: 'image/gif' },
    { head: 'RIFF\x24\0\0\0WEBP', type: 'image/webp' },
    { head: '\0\0\0\x20ftypavif', type: 'image/avif' },
    { head: '\0\0\0\x20ftypavis', type: 'image/avif' },
    { head: '<svg xmlns="', type: null },
    { head: '<?xml versio', type: null },
    { head: '<!doctype ht', type: null },
    { head: 'RIFF\x24\0\0\0WAVE', type: null },
    { head: '\0\0\0\x20ftypheic', type: null },
    { head: 'BM\0\0\0\0\0\0', type: null },
    { head: '\x89PN', type: null },
    { head: '', type: null },
  ]
) {
  test(`a file beginning with ${JSON.stringify(head)} is ${type ?? 'no picture'}`, () => {
    assert.equal(pictureType(Uint8Array.from(head, (letter) => letter.charCodeAt(0))), type);
  });
}

test('a picture is halved as long as the screen cannot show the difference', () => {
  const natural = { width: 4000, height: 3000 };
  assert.equal(levelFor(natural, 4000), 0);
  assert.equal(levelFor(natural, 2001), 0);
  assert.equal(levelFor(natural, 2000), 1);
  assert.equal(levelFor(natural, 500), 3);
  assert.equal(levelFor(natural, 9000), 0);
  assert.deepEqual(sizeAt(natural, 3), { width: 500, height: 375 });
  assert.deepEqual(sizeAt({ width: 3, height: 1 }, 4), { width: 1, height: 1 });
  assert.ok(levelFor({ width: 1, height: 1 }, 0.001) < 3);
});

test('an SVG is painted as large as the screen shows it, within the limit', () => {
  const natural = { width: 300, height: 150 };
  const finest = finestLevel('image/svg+xml');
  assert.equal(levelFor(natural, 300, finest), 0);
  assert.equal(levelFor(natural, 150, finest), 1);
  assert.equal(levelFor(natural, 1200, finest), -2);
  assert.deepEqual(sizeAt(natural, -2), { width: 1200, height: 600 });
  const level = levelFor(natural, 1e6, finest);
  assert.ok(pixelsAt(natural, level) <= MAX_BITMAP_PIXELS && pixelsAt(natural, level - 1) > MAX_BITMAP_PIXELS);
  assert.equal(finestLevel('image/png'), 0);
});

test('bitmaps have at most the size that phones can draw', () => {
  const natural = { width: 11_500, height: 8700 };
  assert.equal(levelFor(natural, 11_500), 2);
  assert.ok(pixelsAt(natural, 2) <= MAX_BITMAP_PIXELS);
});

const one = { width: 100, height: 100 };

test('visible pictures are loaded; others stay as long as there is room', () => {
  const held = [{ of: 'away', natural: one, level: 0 }, { of: 'here', natural: one, level: 0 }];
  const wanted = [{ of: 'here', natural: one, level: 0 }, { of: 'new', natural: one, level: 0 }];
  assert.deepEqual(planBitmaps(held, wanted, 30_000), { load: [wanted[1]], drop: [] });
  assert.deepEqual(planBitmaps(held, wanted, 29_999), { load: [wanted[1]], drop: ['away'] });
});

test('a finer bitmap replaces a coarse one; a coarser one replaces a fine one only without room', () => {
  assert.deepEqual(
    planBitmaps([{ of: 'a', natural: one, level: 2 }], [{ of: 'a', natural: one, level: 1 }], 1e6).load,
    [
      { of: 'a', natural: one, level: 1 },
    ],
  );
  assert.deepEqual(
    planBitmaps([{ of: 'a', natural: one, level: 0 }], [{ of: 'a', natural: one, level: 3 }], 1e6).load,
    [],
  );
  const many = ['a', 'b'].map((of) => ({ of, natural: one, level: 0 }));
  const { load, drop } = planBitmaps(many, many, 12_500);
  assert.deepEqual(load, [{ of: 'a', natural: one, level: 1 }]);
  assert.deepEqual(drop, []);
});

test('visible pictures always fit: the largest are made coarser first', () => {
  const wanted = [
    { of: 'large', natural: { width: 400, height: 400 }, level: 0 },
    { of: 'small', natural: one, level: 0 },
  ];
  const { load } = planBitmaps([], wanted, 50_000);
  assert.deepEqual(load.map(({ of, level }) => [of, level]), [['large', 1], ['small', 0]]);
  assert.equal(planBitmaps([], wanted, 1).load.length, 2);
});

test('bitmaps are decoded one at a time, for visible pictures', async () => {
  const { items, bitmaps, decodes } = gallery();
  const [here, away, file] = [
    picture({ x: 100 }),
    picture({ id: 2, x: 5000 }),
    picture({ id: 3, x: 200, contentType: 'application/pdf' }),
  ];
  const other = picture({ id: 4, x: 300 });
  for (const item of [here, away, file, other]) items.add(item);
  bitmaps.update(SEEN, 1);
  await settled();
  assert.deepEqual(decodes.map(({ level }) => level), [2]);
  decodes[0].done();
  await settled();
  assert.equal(decodes.length, 2);
  decodes[1].done();
  await settled();
  assert.deepEqual([here, away, file, other].map(({ bitmap }) => bitmap?.level), [2, undefined, undefined, 2]);
  assert.deepEqual(here.natural, { width: 400, height: 400 });
});

test('a picture that is removed during decoding uses no memory', async () => {
  const { items, bitmaps, decodes } = gallery();
  const item = picture({});
  items.add(item);
  bitmaps.update(SEEN, 1);
  await settled();
  items.remove(item);
  decodes[0].done();
  await settled();
  assert.equal(decodes[0].isClosed, true);
  assert.equal(item.bitmap, null);
});

test('an undecodable picture is a card, and a failed load can be retried', async () => {
  const { items, bitmaps, decodes, improved } = gallery();
  const broken = picture({});
  items.add(broken);
  bitmaps.update(SEEN, 1);
  await settled();
  decodes[0].fail();
  await settled();
  assert.equal(broken.isPicture, false);
  assert.deepEqual(improved, [broken]);

  const missing = picture({ id: 2 });
  missing.blob = null;
  missing.origin = /** @type {any} */ ({ load: () => Promise.reject(new Error('It could not be loaded.')) });
  items.add(missing);
  bitmaps.update(SEEN, 1);
  await settled();
  assert.equal(missing.problem, 'It could not be loaded.');
  bitmaps.update(SEEN, 1);
  assert.equal(missing.bitmap, null);
  missing.blob = new Blob(['x']);
  missing.problem = '';
  bitmaps.update(SEEN, 1);
  await settled();
  decodes[1].done();
  await settled();
  assert.equal(missing.bitmap?.level, 2);
});

test('a picture damaged on the server has no retry button', async () => {
  const { items, bitmaps } = gallery();
  const item = picture({});
  item.blob = null;
  let error = new AttachmentError('damaged', 'It is damaged.');
  item.origin = /** @type {any} */ ({ load: () => Promise.reject(error) });
  items.add(item);
  bitmaps.update(SEEN, 1);
  await settled();
  assert.deepEqual([item.problem, item.isLost], ['It is damaged.', true]);
  // After the operator restored the file, the next load may fail for another reason.
  error = new AttachmentError('unavailable', 'It is out of reach.');
  item.problem = '';
  bitmaps.update(SEEN, 1);
  await settled();
  assert.deepEqual([item.problem, item.isLost], ['It is out of reach.', false]);
});

test('downloads are kept for finer bitmaps, up to a limit', async () => {
  const { items, bitmaps, decodes } = gallery();
  let loads = 0;
  const contents = [new Blob(['x']), new Blob(['y']), new Blob(['z'])];
  Object.defineProperty(contents[1], 'size', { value: 256 * MB });
  const all = contents.map((content, at) => {
    const item = picture({ id: at + 1, x: 150 * at });
    item.blob = null;
    item.attachment = /** @type {any} */ ({ isReady: true, load: () => (loads += 1, Promise.resolve(content)) });
    items.add(item);
    return item;
  });
  bitmaps.update(SEEN, 1);
  for (let at = 0; at < 3; at += 1) {
    await settled();
    decodes[at].done();
  }
  await settled();
  assert.deepEqual(all.map(({ blob }) => blob), [contents[0], null, contents[2]]);
  bitmaps.update(SEEN, 4);
  for (let at = 3; at < 6; at += 1) {
    await settled();
    decodes[at].done();
  }
  await settled();
  assert.deepEqual([loads, all.map(({ bitmap }) => bitmap?.level)], [4, [0, 0, 0]]);
});

test('§6 pictures and strokes are ordered by `z` and then by id', () => {
  const [strokes, items] = [new Shapes(), new Items()];
  const scene = new Scene(strokes, items);
  assert.equal(scene.bounds, null);
  for (const [id, z] of [[5, 1], [3, 4]]) {
    const stroke = new Stroke({ id: keyOf(id), rgb: '#000000', color: 0, width: 2, tool: 'pen', z });
    stroke.append([0, 0, 10, 10], null);
    strokes.set(stroke);
  }
  for (const [id, z] of [[9, 6], [2, 4], [7, 1]]) items.add(picture({ id, z }));
  assert.deepEqual(scene.all.map(({ id }) => id), [5, 7, 2, 3, 9].map(keyOf));
  assert.deepEqual(scene.bounds, { left: -50, top: -50, right: 50, bottom: 50 });
  assert.equal(items.at(0, 0)?.id, keyOf(9));
  const lowest = /** @type {Item} */ (items.find(keyOf(9)));
  lowest.place = { ...lowest.place, z: 0 };
  items.changed(lowest);
  assert.equal(items.at(0, 0)?.id, keyOf(2));
  assert.equal(items.at(52, 0), null);
  assert.equal(items.at(52, 0, 5)?.id, keyOf(2));
});

test('sizes and remaining times as text', () => {
  assert.equal(doneOfTotal(12.46 * MB, 81 * MB), '12.4 of 81 MB');
  assert.equal(doneOfTotal(81.39 * MB, 81.39 * MB), '81.3 of 81.3 MB');
  assert.equal(doneOfTotal(0, 100 * MB), '0 of 100 MB');
  assert.equal(doneOfTotal(1536, 340 * 1024), '1.5 of 340 KB');
  assert.equal(doneOfTotal(5, 12), '5 of 12 bytes');
  assert.equal(partDone(999, 1000), '99 %');
  assert.equal(partDone(0, 0), '100 %');
  assert.equal(partDone(3 * MB, null), '3 MB');
  const words = [0, 4.9, 5, 42, 57, 58, 119, 3540, 3600, 3900, 7200].map(timeLeft);
  assert.deepEqual(words, [
    'a few seconds left',
    'a few seconds left',
    '5 s left',
    '40 s left',
    '55 s left',
    '1 min left',
    '2 min left',
    '59 min left',
    '1 h left',
    '1 h 5 min left',
    '2 h left',
  ]);
});

test('the rate covers the last seconds, and restarts after a lost connection', () => {
  const pace = new TransferRate();
  assert.equal(pace.secondsLeft(1000), null);
  pace.add(0, 0);
  pace.add(100, 500);
  assert.equal(pace.secondsLeft(1000), null);
  pace.add(200, 1000);
  assert.equal(pace.secondsLeft(1000), 4);
  // From here on, the transfer is twice as fast. Earlier seconds no longer count.
  for (let at = 2; at <= 12; at += 1) pace.add(400 * (at - 1), 1000 * at);
  assert.equal(pace.secondsLeft(8400), 10);
  pace.add(1000, 13_000);
  assert.equal(pace.secondsLeft(8000), null);
});

test('a screen reader gets kind, uploader and progress', () => {
  const item = picture({ name: 'a.png' });
  assert.equal(itemLabel(item), 'Picture a.png, 2 MB');
  item.by = 'Ada';
  item.state = 'uploading';
  item.offset = MB;
  assert.equal(itemLabel(item), 'Picture a.png, 2 MB, added by Ada, uploading, 50 %');
  item.isBroken = true;
  item.state = 'ready';
  assert.equal(itemLabel(item), 'File a.png, 2 MB, added by Ada');
});

test('a long name is shortened before its end', () => {
  const context = {
    measureText: (/** @type {string} */ text) => /** @type {any} */ ({ width: 10 * [...text].length }),
  };
  assert.equal(shortened('short.pdf', 90, context), 'short.pdf');
  assert.equal(shortened('minutes of the meeting.pdf', 160, context), 'minutes …ing.pdf');
});

function gallery() {
  const items = new Items();
  /** @type {Item[]} */
  const improved = [];
  /** @type {{ level: number, isClosed: boolean, done: () => void, fail: () => void }[]} */
  const decodes = [];
  const bitmaps = new BitmapCache(items, (item) => improved.push(item), {
    measure: () => Promise.resolve({ width: 400, height: 400 }),
    decode: (_, __, level) =>
      new Promise((resolve, reject) => {
        const decode = { level, isClosed: false, done: () => {}, fail: () => reject(new Error('damaged')) };
        decode.done = () => resolve(/** @type {any} */ ({ close: () => (decode.isClosed = true) }));
        decodes.push(decode);
      }),
  });
  return { items, bitmaps, decodes, improved };
}

/** @param {{ id?: number, x?: number, z?: number, name?: string, contentType?: string }} properties */
function picture({ id = 1, x = 0, z = 0, name = 'one.png', contentType = 'image/png' }) {
  const place = { x, y: 0, width: 100, height: 100, z };
  const item = new Item({ id: keyOf(id), name, contentType, size: 2 * MB, place });
  item.blob = new Blob(['x']);
  return item;
}

function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

test('the panel of an upload is below the visible part of its item, and covers no other panel', () => {
  const [panel, view] = [{ width: 240, height: 80 }, { width: 1000, height: 700 }];
  const place = (/** @type {number[]} */ [left, top, width, height], /** @type {any[]} */ taken = []) => {
    const box = panelPlace({ left, top, width, height }, panel, view, taken);
    return box && [box.left, box.top];
  };
  assert.deepEqual(place([300, 200, 400, 100]), [380, 308]);
  // At the edges, the panel stays within them.
  assert.deepEqual(place([-50, 200, 100, 100]), [8, 308]);
  assert.deepEqual(place([900, 500, 100, 400]), [752, 536]);
  // There is no panel for an item outside of the view, or below one of its bars.
  for (
    const away of [[300, 700, 400, 100], [300, 617, 400, 100], [300, -40, 400, 100], [1001, 200, 9, 9], [-9, 200, 9, 9]]
  ) {
    assert.equal(place(away), null);
  }
  const other = { left: 500, top: 300, width: 240, height: 80 };
  assert.deepEqual(place([300, 200, 400, 200], [{ ...other, top: 408 }]), [380, 312]);
  assert.equal(place([300, 200, 400, 100], [other, { ...other, top: 180 }]), null);
  assert.deepEqual(place([100, 200, 200, 100], [other]), [80, 308]);
});

test('rejected files are reported one by one, many in one message', () => {
  const MB = 2 ** 20;
  const files = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, size: 131 * MB }));
  const one = 'This file is 131 MB. The limit here is 100 MB.';
  assert.deepEqual(tooLargeMessages([{ name: 'fits', size: 100 * MB }, files[0]], 100 * MB), [{
    title: 'a',
    text: one,
  }]);
  assert.deepEqual(tooLargeMessages(files.slice(2), 100 * MB).map(({ title, text }) => [title, text]), [
    ['c', one],
    ['d', one],
    ['e', one],
  ]);
  assert.deepEqual(tooLargeMessages(files, 100 * MB), [{ text: '5 files are too large. The limit here is 100 MB.' }]);
  assert.deepEqual(unreadableMessages(['x']), [{ title: 'x', text: 'This file cannot be read.' }]);
  assert.deepEqual(unreadableMessages(['x', 'y', 'z', 'w']), [{ text: '4 files cannot be read.' }]);
  assert.deepEqual([tooLargeMessages([], 1), unreadableMessages([])], [[], []]);
});
