import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MomentLoader } from '../../Public/js/edit/momentLoader.js';
import { PastScene } from '../../Public/js/edit/pastScene.js';
import { Sheets } from '../../Public/js/protocol/sheetSync.js';
import { readAttachment } from '../../Public/js/sync/journal/attachment.js';
import { HistoryReader } from '../../Public/js/sync/history/historyReader.js';
import { FakeHistory, foldOf, noBreaks, randomEvents } from './historySupport.js';
import { quiet, until } from './support.js';

/** @param {FakeHistory} history @param {HistoryReader} [reader] */
async function loaderOf(history, reader = history.reader) {
  const past = new PastScene({
    sheets: new Sheets(),
    readAttachment,
    attachment: /** @type {any} */ (() => null),
    blobOf: () => null,
    nameOf: () => '',
  });
  const log = /** @type {{ shown: number[], last: number[], failed: string[], busy: boolean[] }} */ ({
    shown: [],
    last: [],
    failed: [],
    busy: [],
  });
  const loader = new MomentLoader(past, {
    shown: ({ sequence }, isLast) => log[isLast ? 'last' : 'shown'].push(sequence),
    failed: (error) => log.failed.push(/** @type {any} */ (error).code),
    busy: (isBusy) => log.busy.push(isBusy),
  }, () => noBreaks);
  await loader.open(reader);
  const sizeAt = (/** @type {number} */ sequence) => foldOf(history.events.slice(0, sequence)).size;
  return { loader, past, log, sizeAt };
}

/** @param {MomentLoader} loader */
const idle = (loader) => until(() => !loader.isBusy);

test('the wanted moment is shown, and the same one is not loaded again', async () => {
  const history = new FakeHistory(randomEvents(60));
  const { loader, past, log, sizeAt } = await loaderOf(history);
  loader.want(33);
  assert.equal(loader.isBusy, true);
  await idle(loader);
  assert.deepEqual([loader.shown, past.shapes.size], [33, sizeAt(33)]);
  loader.want(33);
  assert.equal(loader.isBusy, false);
  assert.deepEqual([log.last, log.busy], [[33], [true, false]]);
});

test('of many chosen moments, only the last one is shown', async () => {
  const history = new FakeHistory(randomEvents(100), { tail: 0 });
  const { loader, past, log, sizeAt } = await loaderOf(history);
  let open = () => {};
  history.gate = new Promise((resolve) => open = () => resolve(undefined));
  for (const sequence of [5, 95, 31, 62, 77]) loader.want(sequence);
  await quiet();
  open();
  await idle(loader);
  assert.deepEqual([log.last, log.shown, log.failed], [[77], [], []]);
  assert.equal(past.shapes.size, sizeAt(77));
});

test('a moment is shown although its loading was aborted before the person came back to it', async () => {
  const history = new FakeHistory(randomEvents(300), { perChunk: 100, tail: 0 });
  let [go, taken] = [() => {}, 0];
  const pause = new Promise((resolve) => go = () => resolve(undefined));
  const take = () => {
    taken += 1;
    return pause;
  };
  const reader = new HistoryReader(history.requests, () => /** @type {any} */ ({ isDue: true, take }));
  const { loader, log } = await loaderOf(history, reader);
  loader.want(50);
  // The entries have arrived, and are being read.
  await until(() => taken > 0);
  loader.want(250);
  loader.want(50);
  go();
  await idle(loader);
  assert.deepEqual([log.failed, log.last], [[], [50]]);
});

test('the last picture is known as the wanted one, also if the person wanted another moment meanwhile', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  const { loader, past, log } = await loaderOf(history);
  const show = past.show.bind(past);
  past.show = async (...entries) => {
    loader.want(11);
    loader.want(33);
    await show(...entries);
  };
  loader.want(33);
  await idle(loader);
  assert.deepEqual([log.last, log.shown], [[33], []]);
});

test('a closed history reports nothing more, and the nearest moment is the wanted one until one is shown', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  const { loader, log } = await loaderOf(history);
  assert.equal(loader.nearest, -1);
  history.gate = new Promise(() => {});
  loader.want(33);
  assert.deepEqual([loader.shown, loader.nearest], [-1, 33]);
  await loader.close();
  assert.deepEqual([log.busy, loader.nearest], [[true], -1]);
});

test('an error is reported once, and the next chosen moment is shown', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  const { loader, log } = await loaderOf(history);
  loader.want(55);
  await idle(loader);
  history.answers = [new Response(Uint8Array.of(1, 2, 3))];
  loader.want(15);
  await idle(loader);
  assert.deepEqual([log.failed, loader.shown, loader.wanted], [['damaged'], 55, 55]);
  loader.want(15);
  await idle(loader);
  assert.deepEqual([log.failed, log.last], [['damaged'], [55, 15]]);
});

test('closing removes the picture, also in the middle of a change, and another history can be opened', async () => {
  const history = new FakeHistory(randomEvents(60), { tail: 0 });
  const { loader, past, log } = await loaderOf(history);
  loader.want(33);
  await idle(loader);
  history.gate = new Promise(() => {});
  loader.want(58);
  await quiet();
  await loader.close();
  assert.deepEqual([past.scene.isEmpty, loader.shown, log.failed], [true, -1, []]);
  const other = new FakeHistory(randomEvents(20, 12, 7));
  assert.equal((await loader.open(other.reader))?.through, 20);
  loader.want(20);
  await idle(loader);
  assert.equal(past.shapes.size, foldOf(other.events).size);
});

test('a history that is closed before it is open is not shown', async () => {
  const history = new FakeHistory(randomEvents(60));
  const { loader } = await loaderOf(history);
  const opening = loader.open(history.reader);
  loader.close();
  assert.equal(await opening, null);
});
