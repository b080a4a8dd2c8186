import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OptimisticOverlay } from '../../Public/js/model/optimisticOverlay.js';

test('an own edit is displayed at once, over changes of the session, until it is acknowledged', () => {
  const { overlay, changes } = world();
  overlay.edit('a', 1);
  overlay.addPending('a', false);
  overlay.confirm('a', 1, () => 2);
  assert.deepEqual([overlay.base('a'), overlay.confirmed('a')], [1, 2]);
  overlay.edit('a', 3);
  overlay.addPending('a', false);
  overlay.acknowledge('a', false);
  assert.equal(overlay.base('a'), 3, 'the second edit is not acknowledged');
  overlay.acknowledge('a', false);
  assert.deepEqual([overlay.base('a'), overlay.pendingEdit('a')], [2, null]);
  assert.deepEqual(changes(), ['a', 'a', 'a', 'a']);
});

test('a draft stays until it ends, although nothing is pending', () => {
  const { overlay } = world();
  overlay.confirm('a', 1, () => 1);
  overlay.edit('a', 2, true);
  overlay.addPending('a', false);
  overlay.acknowledge('a', false);
  assert.equal(overlay.base('a'), 2);
  overlay.endDraft('a');
  assert.equal(overlay.base('a'), 1);
});

test('a value removed by another participant disappears, unless a pending edit restores it', () => {
  const { overlay } = world();
  for (const key of ['changed', 'restored', 'own']) {
    overlay.confirm(key, 1, () => 1);
    overlay.edit(key, 2);
    overlay.addPending(key, key === 'restored');
    overlay.confirmRemoval(key, key !== 'own');
  }
  assert.deepEqual(['changed', 'restored', 'own'].map((key) => overlay.base(key)), [null, 2, 2]);
});

test('a snapshot replaces the confirmed values at its end; pending edits stay over it', () => {
  const { overlay, changes } = world();
  overlay.beginSnapshot();
  overlay.confirm('first', 1, () => 1);
  assert.equal(overlay.base('first'), 1, 'the first snapshot is displayed while it arrives');
  overlay.endSnapshot();
  overlay.edit('own', 5);
  overlay.addPending('own', true);
  changes();

  overlay.beginSnapshot();
  overlay.confirm('second', 1, (held) => (held ?? 0) + 2);
  overlay.confirm('second', 1, (held) => (held ?? 0) + 2);
  overlay.confirm('third', 1, () => 3);
  overlay.confirmRemoval('third', true);
  assert.deepEqual([overlay.base('first'), overlay.base('second'), changes()], [1, null, []]);
  const later = /** @type {(() => void)[]} */ ([]);
  overlay.endSnapshot((report) => later.push(report));
  assert.deepEqual([[...overlay.confirmedKeys], overlay.base('second'), overlay.base('own')], [['second'], 4, 5]);
  assert.deepEqual(changes(), []);
  for (const report of later) report();
  assert.deepEqual(changes(), ['first', 'second']);
});

test('at the end of the session an incomplete snapshot is dropped, and edits are confirmed', () => {
  const { overlay } = world();
  for (const key of ['kept', 'removed', 'draft']) overlay.confirm(key, 1, () => 1);
  overlay.beginSnapshot();
  overlay.edit('kept', 2);
  overlay.edit('removed', null);
  overlay.edit('draft', 2, true);
  for (const key of ['kept', 'removed', 'draft']) overlay.addPending(key, true);
  overlay.detach();
  overlay.endSnapshot();
  assert.deepEqual(['kept', 'removed', 'draft'].map((key) => overlay.confirmed(key)), [2, null, 1]);
  assert.deepEqual(['kept', 'removed'].map((key) => overlay.pendingEdit(key)), [null, null]);
});

test('a drag by another participant ends with its result, the removal of the value, or after 5 s', () => {
  const { overlay, changes } = world();
  for (const key of ['moved', 'removed', 'late', 'again']) {
    overlay.confirm(key, 2, () => 1);
    overlay.dragRemotely(key, 'to the left', 2, 0);
  }
  overlay.dragRemotely('again', 'to the right', 3, 4000);
  overlay.confirm('moved', 3, () => 2);
  assert.equal(overlay.remoteDrag('moved'), 'to the left', 'another participant changed it');
  changes();
  overlay.confirm('moved', 2, () => 3);
  overlay.confirmRemoval('removed', true);
  assert.deepEqual([overlay.remoteDrag('moved'), overlay.remoteDrag('removed')], [null, null]);
  assert.deepEqual(changes(), ['moved', 'removed'], 'one report each');
  assert.equal(overlay.expireRemoteDrags(4999), true);
  assert.equal(overlay.expireRemoteDrags(5000), true);
  assert.deepEqual([overlay.remoteDrag('late'), overlay.remoteDrag('again')], [null, 'to the right']);
  assert.equal(overlay.expireRemoteDrags(Infinity), false);
  assert.deepEqual(changes(), ['late', 'again']);
});

/** An overlay, and the keys that it reported since the last call. */
function world() {
  let reported = /** @type {string[]} */ ([]);
  /** @type {OptimisticOverlay<number, string>} */
  const overlay = new OptimisticOverlay((key) => reported.push(key));
  const changes = () => {
    const keys = reported;
    reported = [];
    return keys;
  };
  return { overlay, changes };
}
