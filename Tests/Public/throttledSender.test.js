import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dragSender, ThrottledSender } from '../../Public/js/protocol/throttledSender.js';

test('the newest value is sent at once, and then once per interval', () => {
  const sent = /** @type {number[]} */ ([]);
  const sender = new ThrottledSender((/** @type {number} */ value) => sent.push(value), 50);
  assert.equal(sender.frame(0), false, 'nothing to send');
  for (let now = 0; now <= 120; now += 10) {
    sender.set(now);
    sender.frame(now);
  }
  assert.deepEqual(sent, [0, 50, 100]);
  assert.equal(sender.frame(149), true, 'the last value is still to be sent');
  assert.equal(sender.frame(150), false);
  assert.equal(sender.frame(10_000), false);
  assert.deepEqual(sent, [0, 50, 100, 120]);
});

test('a paused drag is repeated until it ends; the next drag is sent at once', () => {
  const sent = /** @type {string[]} */ ([]);
  const drag = dragSender((/** @type {string} */ value) => sent.push(value));
  assert.equal(drag.end(), false, 'nothing was sent');
  drag.set('first');
  assert.equal(drag.end(), false, 'it ended before the first frame');
  drag.set('second');
  for (let now = 0; now <= 4100; now += 100) assert.equal(drag.frame(now), true);
  assert.deepEqual(sent, ['second', 'second', 'second']);
  assert.equal(drag.end(), true);
  assert.deepEqual([drag.value, drag.frame(9000)], [null, false]);
  drag.set('third');
  drag.frame(9001);
  assert.deepEqual(sent.slice(3), ['third']);
});
