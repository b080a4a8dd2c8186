/** The people on the sheets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SheetPeople } from '../../Public/js/ui/sheetPeople.js';
import { ADA, BEN } from './support.js';

test('a person on another sheet is named with that sheet', () => {
  const { people, view, ben } = onSheets();
  assert.equal(people.placeOf(ben), 'on Plans');
  assert.deepEqual(people.on(2).map(({ name }) => name), ['Ben']);
  assert.equal(people.labelOf(2), 'Plans, with Ben');
  assert.deepEqual([...people.bySheet].map(([number, there]) => [number, there.length]), [[2, 1]]);
  view.current = 2;
  assert.equal(people.placeOf(ben), '');
  view.list = [1];
  assert.equal(people.placeOf(ben), 'on Sheet 1', 'a sheet that is not shown counts as the first one');
});

test('another tab of this person is not listed as another person, even if the gateway has changed the color', () => {
  const { people } = onSheets();
  assert.deepEqual(people.others.map(({ number }) => number), [BEN.number]);
});

/** Two tabs of Ada on the first sheet, and Ben on the second one. */
function onSheets() {
  const view = { list: [1, 2], current: 1 };
  const given = { ...ADA, color: '#0a5ad2' };
  const session = { localParticipant: given, activeParticipants: [given, { ...given, number: 3 }, BEN] };
  const people = new SheetPeople({
    sheets: /** @type {any} */ ({ find: (/** @type {number} */ number) => number === 2 ? { name: 'Plans' } : null }),
    view,
    sharing: /** @type {any} */ ({ session }),
    presence: /** @type {any} */ ({
      of: (/** @type {number} */ number) => ({ kind: 'here', sheet: number === BEN.number ? 2 : 1 }),
    }),
    profile: { name: ADA.name, color: ADA.color },
  });
  return { people, view, ben: { ...BEN, numbers: [BEN.number] } };
}
