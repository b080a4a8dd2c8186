import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { STROKE_TYPE } from '../../Public/js/protocol/shapeMessages.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { ADA, BEN, catchUp, caughtUp, fakeSession, gatewayEntry, joined, keyOf, LIMITS, welcome } from './support.js';

const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };
/** Flags: reliable, with append, replace, remove; and with `existing`. */
const [APPEND, REPLACE, REMOVE, EXISTING] = [3, 5, 7, 0x20];

test('a stroke is drawn, undone and redone without a session', () => {
  const { drawing, strokes } = alone();
  draw(drawing, [0, 0, 10, 10]);
  assert.deepEqual(strokes.all.map(({ points }) => points), [[0, 0, 10, 10]]);
  assert.equal(drawing.canUndo, true);
  drawing.undo();
  assert.equal(strokes.size, 0);
  assert.equal(drawing.canRedo, true);
  drawing.redo();
  assert.equal(strokes.size, 1);
  drawing.redo();
  draw(drawing, [5, 5]);
  assert.equal(drawing.canRedo, false);
});

test('§6 a stroke is an append, then appends with existing, and at the end a replace', () => {
  const { drawing, last, flush } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  flush();
  drawing.extendStroke([3, 4, 5.126, 6], null);
  flush();
  flush();
  drawing.endStroke();
  const said = last().said;
  assert.deepEqual(said.map(({ flags, type }) => [flags, type]), [
    [APPEND, STROKE_TYPE],
    [APPEND | EXISTING, STROKE_TYPE],
    [REPLACE | EXISTING, STROKE_TYPE],
  ]);
  const id = keyOf(1);
  const look = { id, color: 0, width: 6, tool: 'pen', rgb: '#e5484d', z: 1 };
  const { at } = JSON.parse(said[2].payload);
  assert.ok(Math.abs(at - Date.now() / 1000) < 60, 'the time of the finished stroke');
  assert.deepEqual(said.map(({ payload }) => JSON.parse(payload)), [
    { ...look, point: [1, 2], points: [[1, 2]] },
    { ...look, point: [5.13, 6], points: [[3, 4], [5.13, 6]] },
    { ...look, point: [5.13, 6], points: [[1, 2], [3, 4], [5.13, 6]], at },
  ]);
  assert.deepEqual(said.map(({ keyByte }) => keyByte), [1, 1, 1]);
});

test('the first and the last point are sent at once, not with the next frame', () => {
  const { drawing, last } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  assert.deepEqual(last().said.map(({ flags }) => flags), [APPEND]);
  drawing.extendStroke([3, 4], null);
  drawing.endStroke();
  assert.deepEqual(last().said.map(({ flags }) => flags), [APPEND, REPLACE | EXISTING]);
});

test('§6 pressures are sent with their points', () => {
  const { drawing, last, flush } = shared();
  drawing.beginStroke(LOOK, [1, 2], [0.25]);
  flush();
  drawing.extendStroke([3, 4], [0.12345]);
  drawing.endStroke();
  assert.deepEqual(last().said.map(({ payload }) => JSON.parse(payload).pressures), [[0.25], [0.25, 0.123]]);
});

test('§6 a new z is above the highest known z and the last sequence', () => {
  const { drawing, strokes, last } = shared();
  last().entries(stroke({ sequence: 40, key: 9, z: 12 }));
  draw(drawing, [0, 0]);
  assert.equal(strokes.find(keyOf(1))?.z, 41);
  last().entries(stroke({ sequence: 41, key: 8, z: 100 }));
  draw(drawing, [0, 0]);
  assert.equal(strokes.find(keyOf(2))?.z, 101);
});

test('§6 an object without z is ordered by its first retained entry', () => {
  const { strokes, last } = shared();
  last().entries(
    stroke({ sequence: 3, key: 9 }),
    stroke({ sequence: 4, key: 8, z: 2 }),
    stroke({ sequence: 5, key: 9 }),
  );
  assert.deepEqual(strokes.all.map(({ id, z }) => [id, z]), [[keyOf(8), 2], [keyOf(9), 3]]);
});

test('P3 §6 a replace without z has the same order as for a late joiner', () => {
  const { strokes, last } = shared();
  last().entries(
    stroke({ sequence: 3, key: 9 }),
    stroke({ sequence: 4, key: 8 }),
    stroke({ sequence: 5, key: 9, flags: REPLACE }),
  );
  assert.deepEqual(strokes.all.map(({ id, z }) => [id, z]), [[keyOf(8), 4], [keyOf(9), 5]]);
});

test('§6 the z of a new stroke is at most the maximum', () => {
  const { drawing, strokes, last } = shared();
  last().entries(stroke({ sequence: 1, key: 9, z: Number.MAX_SAFE_INTEGER }));
  draw(drawing, [1, 2]);
  assert.deepEqual(strokes.all.map(({ z }) => z), [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
});

test('§6 with equal z, the lower key is drawn first', () => {
  const { strokes, last } = shared();
  last().entries(stroke({ sequence: 1, key: 9, z: 1 }), stroke({ sequence: 2, key: 8, z: 1 }));
  assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(8), keyOf(9)]);
});

test('growing strokes of others are shown', () => {
  const { strokes, last } = shared();
  last().entries(stroke({ sequence: 1, key: 9, z: 1, points: [[0, 0]] }));
  last().entries(stroke({ sequence: 2, key: 9, z: 1, points: [[1, 1], [2, 2]] }));
  assert.deepEqual(strokes.find(keyOf(9))?.points, [0, 0, 1, 1, 2, 2]);
  assert.equal(strokes.find(keyOf(9))?.isFinished, false);
  last().entries(stroke({ flags: REPLACE, sequence: 3, key: 9, z: 1, points: [[0, 0], [2, 2]] }));
  assert.deepEqual(strokes.find(keyOf(9))?.points, [0, 0, 2, 2]);
  assert.equal(strokes.find(keyOf(9))?.isFinished, true);
});

test('single points, as in Apple’s sample, form a stroke', () => {
  const { strokes, last } = shared();
  for (let at = 1; at <= 3; at += 1) {
    const payload = { id: keyOf(9), color: 7, point: [at, at] };
    last().entries(
      gatewayEntry({ flags: APPEND, sequence: at, sender: 2, clientSequence: at, key: 9, type: STROKE_TYPE, payload }),
    );
  }
  const { points, rgb, width, z } = /** @type {any} */ (strokes.find(keyOf(9)));
  assert.deepEqual([points, rgb, width, z], [[1, 1, 2, 2, 3, 3], '#4f5fe8', 3, 1]);
});

test('an own stroke is the same object before and after the session has it', () => {
  const { drawing, strokes, last, flush } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  flush();
  drawing.extendStroke([3, 4], null);
  drawing.endStroke();
  const before = strokes.find(keyOf(1));
  echo(last());
  assert.equal(strokes.find(keyOf(1)), before);
  assert.equal(drawing.pendingShapes, 0);
});

test('an own entry that comes back does not revert later points', () => {
  const { drawing, strokes, last, flush } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  flush();
  echo(last());
  drawing.extendStroke([3, 4], null);
  assert.deepEqual(strokes.find(keyOf(1))?.points, [1, 2, 3, 4]);
  flush();
  drawing.endStroke();
  echo(last());
  assert.deepEqual(strokes.find(keyOf(1))?.points, [1, 2, 3, 4]);
});

test('a stroke that others erase while it is drawn ends', () => {
  const { drawing, strokes, last, flush } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  flush();
  echo(last());
  drawing.extendStroke([3, 4], null);
  flush();
  last().entries(gatewayEntry({ flags: REMOVE, sequence: 9, sender: 2, clientSequence: 1, key: 1, type: STROKE_TYPE }));
  assert.equal(strokes.size, 0);
  drawing.extendStroke([5, 6], null);
  drawing.endStroke();
  assert.equal(strokes.size, 0);
  assert.equal(last().said.length, 2);
  assert.equal(drawing.canUndo, false);
});

test('a stroke that others erase during its undo is restored', () => {
  const { drawing, strokes, last } = shared();
  draw(drawing, [1, 2]);
  echo(last());
  drawing.undo();
  drawing.redo();
  last().entries(gatewayEntry({ flags: REMOVE, sequence: 9, sender: 2, clientSequence: 1, key: 1, type: STROKE_TYPE }));
  assert.equal(strokes.size, 1);
  echo(last());
  assert.equal(strokes.size, 1);
});

test('§6 undo removes and redo replaces own strokes only', () => {
  const { drawing, strokes, last } = shared();
  draw(drawing, [1, 2]);
  last().entries(stroke({ sequence: 2, key: 9, z: 5 }));
  drawing.undo();
  assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(9)]);
  drawing.undo();
  assert.equal(strokes.size, 1);
  drawing.redo();
  assert.deepEqual(last().said.map(({ flags, keyByte }) => [flags, keyByte]), [
    [APPEND, 1],
    [REPLACE | EXISTING, 1],
    [REMOVE, 1],
    [REPLACE, 1],
  ]);
});

test('§6 an undo restores all strokes of others that were erased in one movement', () => {
  const { drawing, strokes, last } = shared();
  last().entries(
    stroke({ flags: REPLACE, sequence: 1, key: 8, z: 1 }),
    stroke({ flags: REPLACE, sequence: 2, key: 9, z: 2 }),
  );
  const erased = [...strokes.all];
  for (const one of erased) drawing.erase(one);
  drawing.endErasing(erased);
  assert.equal(strokes.size, 0);
  drawing.undo();
  assert.deepEqual(strokes.all.map(({ id, z }) => [id, z]), [[keyOf(8), 1], [keyOf(9), 2]]);
  assert.deepEqual(last().said.map(({ flags, keyByte }) => [flags, keyByte]), [[REMOVE, 8], [REMOVE, 9], [REPLACE, 8], [
    REPLACE,
    9,
  ]]);
});

test('an undo of strokes that others removed has no effect, and this is reported', () => {
  const { drawing, last } = shared();
  let isTold = false;
  drawing.addEventListener('undofailed', () => (isTold = true));
  draw(drawing, [1, 2]);
  echo(last());
  last().entries(gatewayEntry({ flags: REMOVE, sequence: 9, sender: 2, clientSequence: 1, key: 1, type: STROKE_TYPE }));
  drawing.undo();
  assert.equal(isTold, true);
  assert.equal(last().said.length, 2);
});

test('a cancelled stroke leaves no trace', () => {
  const { drawing, strokes, last, flush } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  flush();
  drawing.cancelStroke();
  assert.equal(strokes.size, 0);
  assert.deepEqual(last().said.map(({ flags }) => flags), [APPEND, REMOVE]);
  assert.equal(drawing.canUndo, false);
});

test('a cancelled stroke that another participant restores is shown as on other pages', () => {
  const { drawing, strokes, last } = shared();
  drawing.beginStroke(LOOK, [1, 2], null);
  drawing.cancelStroke();
  echo(last());
  last().entries(stroke({ flags: REPLACE, sequence: 9, key: 1 }));
  assert.deepEqual(strokes.all.map(({ id, points }) => [id, points]), [[keyOf(1), [1, 1]]]);
});

test('a stroke too long for one message is split, and undone as one', () => {
  const { drawing, strokes, last } = shared({ limits: { ...LIMITS, messageBytes: 2000 } });
  drawing.beginStroke(LOOK, [0.01, 0.01], [0.123]);
  for (let at = 1; at < 100; at += 1) drawing.extendStroke([-999_999.99 + at, -999_999.99], [0.123]);
  drawing.endStroke();
  const said = last().said;
  assert.ok(said.length > 2);
  assert.ok(said.every(({ payload }) => payload.length <= 2000));
  const ends = strokes.all.map(({ points }) => points.slice(-2));
  const begins = strokes.all.map(({ points }) => points.slice(0, 2));
  assert.deepEqual(begins.slice(1), ends.slice(0, -1));
  drawing.undo();
  assert.equal(strokes.size, 0);
});

test('sharing sends the local drawing', () => {
  const { drawing, strokes } = alone();
  draw(drawing, [1, 2]);
  draw(drawing, [3, 4]);
  const world = fakeSession();
  drawing.attach(world.session, { bringsPicture: true });
  assert.equal(drawing.pendingShapes, 2);
  world.session.join();
  welcome(world.last());
  assert.deepEqual(world.last().said.map(({ flags, keyByte }) => [flags, keyByte]), [[REPLACE, 1], [REPLACE, 2]]);
  assert.equal(strokes.size, 2);
  echo(world.last());
  assert.equal(strokes.size, 2);
  drawing.undo();
  assert.equal(strokes.size, 1);
});

test('P8 offline changes are shown at once, and sent later in few entries', () => {
  const { drawing, strokes, last, reopen, flush } = shared();
  last().cut();
  drawing.beginStroke(LOOK, [1, 2], null);
  flush();
  drawing.extendStroke([3, 4], null);
  flush();
  drawing.endStroke();
  draw(drawing, [5, 6]);
  drawing.undo();
  assert.equal(strokes.size, 1);
  assert.equal(drawing.pendingShapes, 2);
  reopen();
  last().tell(joined({ resumed: true }));
  last().tell(catchUp('snapshot', 0));
  last().tell(caughtUp(0));
  assert.deepEqual(last().said.map(({ flags, keyByte }) => [flags, keyByte]), [[REPLACE, 1], [REMOVE, 2]]);
  echo(last());
  assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(1)]);
});

test('a snapshot is shown at its end; pending changes stay', () => {
  const { drawing, strokes, last, reopen } = shared();
  last().entries(stroke({ sequence: 1, key: 8, z: 1 }), stroke({ sequence: 2, key: 9, z: 2 }));
  last().cut();
  draw(drawing, [1, 2]);
  reopen();
  last().tell(joined({ sequence: 4, resumed: true }));
  last().tell(catchUp('snapshot', 4));
  assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(8), keyOf(9), keyOf(1)]);
  last().entries(stroke({ sequence: 2, key: 9, z: 2 }));
  assert.equal(strokes.size, 3);
  last().tell(caughtUp(4));
  assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(9), keyOf(1)]);
});

test('a reloaded page shows the pending changes', () => {
  const before = shared();
  before.last().cut();
  draw(before.drawing, [1, 2]);
  const { outbox } = before.session.save();
  const { drawing, strokes } = alone();
  const world = fakeSession({ saved: { token: 'token-1', outbox } });
  drawing.attach(world.session, { bringsPicture: false });
  assert.deepEqual(strokes.all.map(({ points }) => points), [[1, 2]]);
  world.session.join();
  welcome(world.last(), { resumed: true });
  assert.deepEqual(world.last().said.map(({ flags, keyByte }) => [flags, keyByte]), [[REPLACE, 1]]);
});

test('P6 a refused stroke is removed, and this is reported', () => {
  const { drawing, strokes, last } = shared();
  /** @type {string[]} */
  const reported = [];
  drawing.addEventListener('error', (event) => reported.push(/** @type {CustomEvent} */ (event).detail.message));
  draw(drawing, [1, 2]);
  for (const clientSequence of [1, 2]) {
    last().tell({ error: { code: 'message-too-large', detail: 'Too much.', clientSequence } });
  }
  assert.equal(strokes.size, 0);
  assert.deepEqual(reported, ['Too much.', 'Too much.']);
});

test('after the end the picture stays and can be edited locally', () => {
  const { drawing, strokes, session, last } = shared();
  last().entries(stroke({ flags: REPLACE, sequence: 1, key: 9, z: 1 }));
  draw(drawing, [1, 2]);
  last().cut(4010, '{"code":"ended"}');
  drawing.beginStroke(LOOK, [7, 7], null);
  drawing.detach();
  draw(drawing, [3, 4]);
  assert.equal(session.state, 'invalidated');
  assert.equal(strokes.size, 4);
  drawing.undo();
  assert.equal(strokes.size, 3);
});

test('an incomplete snapshot at the end of the session removes nothing', () => {
  const { drawing, strokes, last, reopen } = shared();
  last().entries(stroke({ flags: REPLACE, sequence: 1, key: 9, z: 1 }));
  last().cut();
  reopen();
  last().tell(joined({ sequence: 4, resumed: true }));
  last().tell(catchUp('snapshot', 4));
  last().cut(4010);
  drawing.detach();
  assert.equal(strokes.size, 1);
});

for (const resumed of [true, false]) {
  test(`P8 own strokes that were lost in a crash stay visible and can be undone: ${resumed}`, () => {
    const { drawing, strokes, last, reopen, flush } = shared();
    let hidden = 0;
    for (let count = 0; count < 3; count += 1) draw(drawing, [count, 2, 3, 4]);
    drawing.undo();
    // A shape that is being drawn. Its first entry has come back.
    drawing.beginStroke(LOOK, [5, 5], null);
    flush();
    echo(last());
    drawing.extendStroke([6, 6], null);
    strokes.observe({ shown: () => {}, changed: () => {}, hidden: () => hidden += 1 });
    last().cut();
    drawing.extendStroke([7, 7], null);
    reopen();
    const participant = resumed ? ADA : BEN;
    last().tell(joined({ participant, token: 'another', epoch: 'e2', resumed }));
    last().tell(catchUp('snapshot', 0));
    last().tell(caughtUp(0));
    assert.deepEqual([hidden, strokes.all.map(({ id }) => id)], [0, [1, 2, 4].map(keyOf)]);
    assert.equal(drawing.pendingShapes, 4);
    drawing.endStroke();
    drawing.undo();
    drawing.undo();
    assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(1)]);
    flush();
    echo(last(), participant.number);
    assert.deepEqual(strokes.all.map(({ id }) => id), [keyOf(1)]);
    assert.equal(drawing.pendingShapes, 0);
  });
}

test('entries without an effect cause no repaint', () => {
  const { strokes, last } = shared();
  last().entries(stroke({ flags: APPEND | EXISTING, sequence: 1, key: 9, z: 1 }));
  assert.equal(strokes.size, 0);
});

/** A drawing without a session. Its keys are all 01, all 02, and so on. */
function alone() {
  const strokes = new Shapes();
  let count = 0;
  const drawing = new Drawing(strokes, () => keyOf(count += 1));
  return { strokes, drawing };
}

/** A drawing in a joined session. @param {object} [changes] to the message `joined` */
function shared(changes = {}) {
  const { strokes, drawing } = alone();
  const world = fakeSession();
  drawing.attach(world.session, { bringsPicture: false });
  world.session.join();
  welcome(world.last(), changes);
  return { ...world, strokes, drawing, flush: () => drawing.flush() };
}

/** @param {Drawing} drawing @param {number[]} points */
function draw(drawing, points) {
  drawing.beginStroke(LOOK, points.slice(0, 2), null);
  if (points.length > 2) drawing.extendStroke(points.slice(2), null);
  drawing.endStroke();
}

/**
 * Returns an entry of another participant.
 * @param {{ flags?: number, sequence: number, key: number, z?: number, points?: number[][] }} entry
 */
function stroke({ flags = APPEND, sequence, key, z, points = [[1, 1]] }) {
  const payload = { id: keyOf(key), color: 1, point: points.at(-1), points, width: 6, tool: 'pen', rgb: '#f2762e', z };
  return gatewayEntry({
    flags,
    sequence,
    sender: BEN.number,
    clientSequence: sequence,
    key,
    type: STROKE_TYPE,
    payload,
  });
}

/** Returns all entries to the client that have not come back yet, in order. @param {import('./support.js').FakeSocket} socket */
function echo(socket, sender = 1) {
  for (
    const { flags, clientSequence, keyByte, type, payload } of socket.said.filter((one) =>
      one.clientSequence > (echoed.get(socket) ?? 0)
    )
  ) {
    echoed.set(socket, clientSequence);
    const bytes = new TextEncoder().encode(payload);
    const entry = {
      flags: flags & ~EXISTING,
      sequence: 1000 + clientSequence,
      sender,
      clientSequence,
      key: keyByte,
      type,
      payload: bytes,
    };
    socket.entries(gatewayEntry(entry));
  }
}

/** @type {WeakMap<object, number>} */
const echoed = new WeakMap();

test('order and bounds are updated lazily', () => {
  const strokes = new Shapes();
  let seed = 11;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let turn = 0; turn < 400; turn += 1) {
    const id = keyOf(Math.floor(random() * 40));
    const found = strokes.find(id);
    if (found && random() < 0.3) {
      found.append([900 * random(), 900 * random()], null);
      strokes.extended(id);
    } else if (found) strokes.remove(id);
    else strokes.set(strokeAt(id, Math.floor(20 * random()), 500 * random(), 500 * random()));
    if (turn % 3 === 0) continue;
    const order = strokes.all.map(({ z, id }) => `${String(z).padStart(2, '0')} ${id}`);
    assert.deepEqual(order, [...order].sort());
    assert.equal(strokes.all.length, strokes.size);
    const sides = strokes.all.map(({ bounds }) => bounds);
    assert.deepEqual(
      strokes.bounds,
      sides.length === 0 ? null : {
        left: Math.min(...sides.map(({ left }) => left)),
        top: Math.min(...sides.map(({ top }) => top)),
        right: Math.max(...sides.map(({ right }) => right)),
        bottom: Math.max(...sides.map(({ bottom }) => bottom)),
      },
    );
  }
});

/** @param {string} id @param {number} z @param {number} x @param {number} y */
function strokeAt(id, z, x, y) {
  const made = new Stroke({ ...LOOK, id, z });
  made.append([x, y], null);
  return made;
}
