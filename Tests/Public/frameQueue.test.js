import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameQueue } from '../../Public/js/model/scheduling.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { STROKE_TYPE } from '../../Public/js/protocol/shapeMessages.js';
import { BEN, catchUp, caughtUp, fakeSession, gatewayEntry, welcome } from './support.js';

/** Flags: reliable, with replace, remove. */
const [REPLACE, REMOVE] = [5, 7];

test('single tasks run at once; thousands run in slices per frame, in order', () => {
  let now = 0;
  let asked = 0;
  const frameQueue = new FrameQueue(() => asked += 1, () => now);
  const done = /** @type {number[]} */ ([]);
  const add = (/** @type {number} */ one) => frameQueue.add(() => (now += 1, done.push(one)));
  for (let one = 0; one < 10_000; one += 1) add(one);
  const atOnce = done.length;
  assert.ok(atOnce > 30 && atOnce < 1000, `${atOnce} at once`);
  assert.ok(asked > 0);
  let most = 0;
  for (let before = done.length; frameQueue.runSlice(); before = done.length) {
    most = Math.max(most, done.length - before);
  }
  assert.ok(most <= 32, `${most} ms in a frame`);
  assert.deepEqual(done, Array.from({ length: 10_000 }, (_, at) => at));
  add(-1);
  assert.equal(done.at(-1), -1, 'nothing waits any more');
});

test('without frames tasks still run', () => {
  let now = 0;
  const frameQueue = new FrameQueue(() => {}, () => now);
  let done = 0;
  for (let one = 0; one < 10_000; one += 1) {
    now += 10;
    frameQueue.add(() => done += 1);
  }
  assert.ok(done > 9000, `${done} of 10,000 in ${now} ms`);
});

test('tasks added by tasks run after the waiting ones', () => {
  const frameQueue = new FrameQueue(() => {}, () => 0);
  for (let one = 0; one < 1000; one += 1) frameQueue.add(() => {});
  const done = /** @type {string[]} */ ([]);
  frameQueue.add(() => frameQueue.add(() => done.push('added')));
  frameQueue.add(() => done.push('waited'));
  frameQueue.flush();
  assert.deepEqual(done, ['waited', 'added']);
  assert.equal(frameQueue.hasPending, false);
});

test('a large snapshot is shown while it arrives; repeating it changes nothing, and removed items disappear', () => {
  const shapes = new Shapes();
  const frameQueue = new FrameQueue();
  const drawing = new Drawing(shapes, undefined, undefined, frameQueue);
  /** The numbers of shapes that were displayed at the end of a catch-up. */
  const complete = /** @type {number[]} */ ([]);
  drawing.addEventListener('caughtup', () => complete.push(shapes.size));
  const { session, last } = fakeSession();
  drawing.attach(session, { bringsPicture: false });
  session.join();
  welcome(last());
  const whole = Array.from({ length: 1500 }, (_, at) => entry(REPLACE, at));
  last().tell(catchUp('snapshot', 2000));
  for (const one of whole) last().entries(one);
  assert.ok(shapes.size > 30 && shapes.size < 1500, 'before the snapshot is complete');
  last().tell(caughtUp(2000));
  frameQueue.flush();
  assert.equal(shapes.size, 1500);
  const before = shapes.find(idOf(3));
  last().tell(catchUp('snapshot', 2000));
  for (const one of whole.slice(2)) last().entries(one);
  frameQueue.flush();
  assert.equal(shapes.size, 1500, 'what is seen stays');
  last().tell(caughtUp(2000));
  last().entries(entry(REMOVE, 7, 2001));
  frameQueue.flush();
  assert.equal(shapes.size, 1497);
  assert.equal(shapes.find(idOf(3)), before, 'looks the same: is the same');
  assert.deepEqual(complete, [0, 1500, 1497]);
});

test('leaving during a snapshot keeps the received part', () => {
  const shapes = new Shapes();
  const drawing = new Drawing(shapes);
  const { session, last } = fakeSession();
  drawing.attach(session, { bringsPicture: false });
  session.join();
  welcome(last());
  for (let at = 0; at < 900; at += 1) last().entries(entry(REPLACE, at, 100 + at));
  drawing.detach();
  assert.equal(shapes.size, 900);
});

/** @param {number} at */
function idOf(at) {
  return `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
}

/** @param {number} flags @param {number} at the number of the stroke @param {number} [sequence] */
function entry(flags, at, sequence = 0) {
  const payload = { id: idOf(at), color: 1, point: [at, 1], width: 6, tool: 'pen', rgb: '#f2762e', z: at };
  return gatewayEntry({ flags, sequence, sender: BEN.number, key: idOf(at), type: STROKE_TYPE, payload });
}
