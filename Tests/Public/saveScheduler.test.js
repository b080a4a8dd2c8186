import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SaveScheduler } from '../../Public/js/app/saveScheduler.js';
import { FakeClock, quiet } from './support.js';

test('urgent changes of one task are saved together, also later ones; others are saved after 250 ms', async () => {
  const clock = new FakeClock();
  let saves = 0;
  const env = { setTimeout: clock.setTimeout, clearTimeout: clock.clearTimeout };
  const scheduler = new SaveScheduler(() => {
    scheduler.cancel();
    saves += 1;
  }, /** @type {any} */ (env));
  for (let round = 1; round <= 2; round += 1) {
    scheduler.schedule(false);
    scheduler.schedule(true);
    scheduler.schedule(true);
    assert.equal(saves, 2 * round - 2);
    await quiet();
    // The delayed save is cancelled, because everything is saved.
    assert.deepEqual([saves, clock.waiting], [2 * round - 1, 0]);
    scheduler.schedule(false);
    clock.pass(249);
    scheduler.schedule(false);
    assert.equal(saves, 2 * round - 1);
    clock.pass(1);
    assert.deepEqual([saves, clock.waiting], [2 * round, 0]);
  }
});
