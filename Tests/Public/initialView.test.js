import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InitialView } from '../../Public/js/ui/initialView.js';

test('the first catch-up of a session is shown as a whole while it arrives, and when it is complete', () => {
  const { initialView, counts } = fakeView();
  initialView.frame(true);
  initialView.beginCatchUp();
  initialView.frame(true);
  assert.deepEqual(counts, { shown: 1, frames: 0 });
  initialView.frame(false);
  initialView.endCatchUp();
  initialView.frame(false);
  assert.deepEqual([counts, initialView.isCatchingUp], [{ shown: 2, frames: 1 }, false]);
  initialView.endCatchUp();
  initialView.frame(true);
  assert.deepEqual(counts, { shown: 2, frames: 1 });
});

test('the camera does not move while the pointer draws', () => {
  const { initialView, counts, draw } = fakeView();
  draw(true);
  initialView.show();
  initialView.frame(false);
  assert.equal(counts.shown, 0);
  draw(false);
  initialView.frame(false);
  initialView.frame(false);
  assert.equal(counts.shown, 1);
});

/** A view that counts the requested frames, and how often the whole picture is shown. */
function fakeView() {
  const counts = { shown: 0, frames: 0 };
  let isDrawing = false;
  const initialView = new InitialView(
    { showAtFirst: () => void (counts.shown += 1) },
    () => isDrawing,
    () => void (counts.frames += 1),
  );
  return { initialView, counts, draw: (/** @type {boolean} */ draws) => void (isDrawing = draws) };
}
