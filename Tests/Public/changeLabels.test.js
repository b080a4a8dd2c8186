import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { Camera } from '../../Public/js/model/camera.js';
import { FrameQueue } from '../../Public/js/model/scheduling.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { STROKE_TYPE } from '../../Public/js/protocol/shapeMessages.js';
import { ChangeLabels } from '../../Public/js/ui/changeLabels.js';
import { ADA, BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, welcome } from './support.js';

/** Flags: reliable with append, replace and remove. */
const [APPEND, REPLACE, REMOVE] = [3, 5, 7];
const [CARA, DAN] = [{ ...BEN, number: 3, name: 'Cara' }, { ...BEN, number: 4, name: 'Dan' }];

test('a label names the author of the change at its place, also after a backlog', () => {
  const { frameQueue, last, labels } = world();
  welcome(last());
  // Many more than are applied at once.
  for (let at = 0; at < 200; at += 1) last().entries(stroke(BEN, at));
  last().entries(entry(CARA, REMOVE, 70), stroke(DAN, 3, 500), entry(BEN, REMOVE, 7), stroke(BEN, 150));
  assert.equal(frameQueue.hasPending, true);
  frameQueue.flush();
  assert.deepEqual(labels(), ['Ben removed this at 107', 'Cara removed this at 170', 'Dan at 603']);
});

test('entries of a catch-up get no labels, although they are applied after its end', () => {
  const { frameQueue, last, labels } = world();
  last().open();
  last().tell(joined({ sequence: 200 }));
  last().tell(catchUp('snapshot', 200));
  for (let at = 0; at < 200; at += 1) last().entries(stroke(BEN, at));
  last().tell(caughtUp(200));
  assert.equal(frameQueue.hasPending, true);
  frameQueue.flush();
  assert.deepEqual(labels(), []);
});

test('own entries and strokes that are being drawn get no labels', () => {
  const { last, labels } = world();
  welcome(last());
  last().entries(stroke(ADA, 1), entry(BEN, APPEND, 2, payloadOf(2, 0)), entry(BEN, APPEND, 2, payloadOf(2, 9)));
  last().entries(stroke(BEN, 2));
  assert.deepEqual(labels(), []);
  last().entries(stroke(BEN, 2, 10));
  assert.deepEqual(labels(), ['Ben at 112']);
});

test('changes that arrived while the page was hidden get no labels later', () => {
  const { last, labels } = world();
  welcome(last());
  last().entries(stroke(BEN, 1));
  assert.deepEqual(labels(performance.now() + 2000), []);
  last().entries(stroke(CARA, 2));
  assert.deepEqual(labels(performance.now()), ['Cara at 102']);
});

/** A page that joins a session, with its labels. */
function world() {
  /** @type {Set<any>} */
  const shown = new Set();
  const layer = { append: (/** @type {any} */ tag) => shown.add(tag) };
  Object.assign(globalThis, {
    innerWidth: 1000,
    innerHeight: 800,
    document: {
      getElementById: () => layer,
      createElement: () => ({
        style: { setProperty: () => {} },
        setAttribute: () => {},
        append(/** @type {string} */ text) {
          this.text = text;
        },
        remove() {
          shown.delete(this);
        },
      }),
    },
  });
  const frameQueue = new FrameQueue();
  const drawing = new Drawing(new Shapes(), undefined, undefined, frameQueue);
  const changeLabels = new ChangeLabels({
    camera: new Camera(),
    participant: (number) => /** @type {any} */ ([ADA, BEN, CARA, DAN].find((one) => one.number === number) ?? null),
    isSeenAt: () => false,
    requestFrame: () => {},
  });
  drawing.changedRemotely = (change) => changeLabels.show(change);
  const { session, last } = fakeSession();
  drawing.attach(session, { bringsPicture: false });
  session.join();
  const labels = (now = 0) => {
    changeLabels.frame(now);
    // A stroke covers 7 points to the left of its first point.
    const placeOf = (/** @type {any} */ { style }) => 7 + Number.parseFloat(style.transform.slice('translate('.length));
    return [...shown].map((tag) => `${tag.text} at ${placeOf(tag)}`).toSorted();
  };
  return { frameQueue, last, labels };
}

let sequence = 1000;

/** @param {{ number: number }} author @param {number} flags @param {number} at which stroke @param {object} [payload] */
function entry({ number }, flags, at, payload) {
  return gatewayEntry({
    flags,
    sequence: sequence += 1,
    sender: number,
    key: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    type: STROKE_TYPE,
    payload,
  });
}

/** A whole stroke. @param {{ number: number }} author @param {number} at @param {number} [shift] points to the right */
function stroke(author, at, shift = 0) {
  return entry(author, REPLACE, at, payloadOf(at, shift));
}

/** @param {number} at @param {number} shift */
function payloadOf(at, shift) {
  return { color: 1, points: [[100 + at + shift, 300]], width: 6, tool: 'pen', rgb: '#f2762e', z: at };
}
