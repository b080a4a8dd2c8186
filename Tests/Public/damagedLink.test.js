import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDamagedLink } from '../../Public/js/app/damagedLink.js';

test('a link with characters around it joins the session, without a message', async () => {
  /** @type {string[]} */
  const joined = [];
  const openAlone = () => assert.fail('The page was opened without a session.');
  await openDamagedLink((id) => joined.push(id), openAlone, '/s/AAAAAAAAAAAAAAAAAAAAAA).');
  assert.deepEqual(joined, ['AAAAAAAAAAAAAAAAAAAAAA']);
});
