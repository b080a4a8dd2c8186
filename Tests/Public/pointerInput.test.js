import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finger, pen, pointerInput } from './pointerSupport.js';

test('a pen takes over from an earlier palm touch', () => {
  const input = pointerInput();
  const { camera, calls, hovers } = input;
  finger(input, 'down', 1, 1, 1);
  pen(input, 'down', 50, 50);
  hovers.length = 0;
  finger(input, 'move', 1, 2, 2);
  pen(input, 'move', 51, 51);
  finger(input, 'up', 1, 2, 2);
  pen(input, 'up', 51, 51);
  assert.deepEqual(calls, ['begin 1 1', 'cancel', 'begin 50 50', 'move 51 51', 'end']);
  assert.deepEqual(hovers[0], [51, 51]);
  assert.equal(camera.isHome, true);
});

test('a pen draws while two fingers touch, and the fingers then do not pan', () => {
  const input = pointerInput();
  const { camera, calls } = input;
  finger(input, 'down', 1, 9, 1);
  finger(input, 'down', 2, 18, 1);
  calls.length = 0;
  pen(input, 'down', 50, 50);
  finger(input, 'move', 1, 30, 30);
  pen(input, 'up', 50, 50);
  assert.deepEqual(calls, ['begin 50 50', 'end']);
  assert.equal(camera.isHome, true);
});

test('a palm that touches while the pen draws does not end the stroke, and does not move the page', () => {
  const input = pointerInput();
  const { camera, calls, hovers } = input;
  pen(input, 'down', 50, 50);
  // A palm has several points of contact.
  for (const id of [1, 2, 3]) finger(input, 'down', id, 90 + 20 * id, 120);
  for (const id of [1, 2, 3]) finger(input, 'move', id, 95 + 30 * id, 140);
  pen(input, 'move', 60, 60);
  for (const id of [1, 2, 3]) finger(input, 'up', id, 95 + 30 * id, 140);
  pen(input, 'move', 70, 70);
  pen(input, 'up', 70, 70);
  assert.deepEqual(calls, ['begin 50 50', 'move 60 60', 'move 70 70', 'end']);
  assert.equal(camera.isHome, true);
  assert.deepEqual(hovers.filter((point) => point !== null), [[50, 50], [60, 60], [70, 70]]);
});

test('a palm that still touches after the pen’s stroke is not the first of two fingers', () => {
  const input = pointerInput();
  const { camera, calls } = input;
  pen(input, 'down', 50, 50);
  finger(input, 'down', 1, 120, 120);
  pen(input, 'up', 50, 50);
  calls.length = 0;
  finger(input, 'down', 2, 200, 200);
  finger(input, 'move', 2, 210, 210);
  finger(input, 'move', 1, 130, 130);
  finger(input, 'up', 2, 210, 210);
  assert.deepEqual(calls, ['begin 200 200', 'move 210 210', 'end']);
  assert.equal(camera.isHome, true);
});

test('a second finger soon after the first one cancels the stroke; a late one ends it', () => {
  for (const [ms, expected] of /** @type {const} */ ([[0, 'cancel'], [349, 'cancel'], [350, 'end'], [5000, 'end']])) {
    const input = pointerInput();
    const { camera, calls, hovers } = input;
    finger(input, 'down', 1, 100, 100, { timeStamp: 1000 });
    finger(input, 'move', 1, 110, 100, { timeStamp: 1000 });
    finger(input, 'down', 2, 200, 100, { timeStamp: 1000 + ms });
    assert.deepEqual(calls, ['begin 100 100', 'move 110 100', expected], `${ms} ms`);
    assert.equal(hovers.at(-1), null, 'nobody points where the picture is held');
    finger(input, 'move', 1, 110, 130);
    finger(input, 'move', 2, 200, 130);
    assert.deepEqual(camera.toCanvas(110, 100), [110, 130], 'both move the picture');
    finger(input, 'up', 1, 110, 130);
    finger(input, 'move', 2, 250, 180);
    finger(input, 'up', 2, 250, 180);
    assert.deepEqual(calls, ['begin 100 100', 'move 110 100', expected], 'the one that is left draws nothing');
  }
});

test('after two fingers, the next one draws', () => {
  const input = pointerInput();
  const { calls } = input;
  finger(input, 'down', 1, 100, 100);
  finger(input, 'down', 2, 200, 100);
  finger(input, 'up', 2, 200, 100);
  finger(input, 'down', 3, 300, 300);
  finger(input, 'cancel', 1, 100, 100);
  finger(input, 'up', 3, 300, 300);
  calls.length = 0;
  finger(input, 'down', 4, 20, 30);
  finger(input, 'up', 4, 20, 30);
  assert.deepEqual(calls, ['begin 20 30', 'end']);
});

test('a move has every coalesced point, in order, with its pressure, in the plane', () => {
  const input = pointerInput();
  const { camera, samples } = input;
  camera.zoom(2, 0, 0);
  camera.pan(-100, 0);
  const points = [[110, 20, 0.25], [120, 22, 0.5], [130, 26, 0.75]];
  const coalesced = points.map(([clientX, clientY, pressure]) => ({ pointerType: 'pen', clientX, clientY, pressure }));
  pen(input, 'down', 100, 20, { pressure: 0.125 });
  pen(input, 'move', 130, 26, { pressure: 0.75, getCoalescedEvents: () => coalesced });
  pen(input, 'up', 130, 26);
  assert.deepEqual(samples.map(({ x, y, pressure }) => [x, y, pressure]), [
    [100, 10, 0.125],
    [105, 10, 0.25],
    [110, 11, 0.5],
    [115, 13, 0.75],
  ]);
});

test('a move without coalesced points is one point', () => {
  const input = pointerInput();
  pen(input, 'down', 1, 1);
  pen(input, 'move', 2, 2, { getCoalescedEvents: () => [] });
  pen(input, 'move', 3, 3);
  pen(input, 'cancel', 3, 3);
  assert.deepEqual(input.calls, ['begin 1 1', 'move 2 2', 'move 3 3', 'cancel']);
});

test('the input works from the beginning of a tool’s movement to its end', () => {
  const input = pointerInput();
  const states = [input.input.isWorking];
  const record = () => states.push(input.input.isWorking);
  pen(input, 'down', 50, 50);
  record();
  pen(input, 'move', 60, 60);
  record();
  pen(input, 'up', 60, 60);
  record();
  pen(input, 'down', 50, 50);
  input.input.finish();
  record();
  finger(input, 'down', 1, 1, 1);
  finger(input, 'down', 2, 9, 9);
  record();
  assert.deepEqual(states, [false, true, true, false, false, false]);
});
