import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageState } from '../../Public/js/ui/pageState.js';

test('changes are shown in the next frame, together', () => {
  const { pageState, counts } = fakePage();
  assert.equal(pageState.frame(0), false);
  assert.deepEqual(counts, { shown: 1, frames: 0 });
  pageState.changed();
  pageState.changed();
  assert.deepEqual([pageState.frame(16), pageState.frame(32)], [false, false]);
  assert.deepEqual(counts, { shown: 2, frames: 2 });
});

test('during a catch-up, changes are shown every 250 ms', () => {
  const { pageState, counts, initialView } = fakePage();
  pageState.frame(1000);
  initialView.isCatchingUp = true;
  pageState.changed();
  assert.deepEqual([pageState.frame(1249), counts.shown], [true, 1]);
  assert.deepEqual([pageState.frame(1250), counts.shown], [false, 2]);
});

/** A page without a session that counts the updates and the requested frames. */
function fakePage() {
  const counts = { shown: 0, frames: 0 };
  const initialView = { isCatchingUp: false };
  const nothing = () => {};
  const parts = {
    drawing: { canUndo: false, canRedo: false },
    scene: { isEmpty: true },
    sharing: { session: null, over: null },
    toolbar: { show: () => void (counts.shown += 1) },
    banner: { changed: nothing },
    endedBar: { show: nothing },
    view: { changed: nothing },
    initialView,
    requestFrame: () => void (counts.frames += 1),
  };
  return { pageState: new PageState(/** @type {any} */ (parts)), counts, initialView };
}
