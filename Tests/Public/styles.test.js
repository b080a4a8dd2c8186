import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './release.js';

const CSS = readFileSync(join(ROOT, 'Public/css/page.css'), 'utf8').replace(/\/\*.*?\*\//gs, '');
/** The selectors of the rules, in groups. */
const GROUPS = [...CSS.matchAll(/(?:^|[{};])\s*([^@{};]+)\{/g)].map(([, group]) => listed(group));

test('a selector that a supported browser may not know is in no group, which would have no effect there', () => {
  assert.ok(GROUPS.length > 100, `${GROUPS.length} groups`);
  assert.deepEqual(GROUPS.filter((group) => group.length > 1 && group.some((one) => one.includes(':has('))), []);
});

test('an open popover is also found by its class, for browsers without popovers', () => {
  const found = GROUPS.flat().filter((one) => one.includes('popover-open') && !one.startsWith('[popover]'));
  assert.ok(found.length > 5);
  assert.deepEqual(found.filter((one) => !one.includes(':is(:popover-open, .popover-open)')), []);
});

/** @param {string} group @returns {string[]} its selectors. Commas inside parentheses do not separate selectors */
function listed(group) {
  return group.split(/,(?![^(]*\))/).map((one) => one.trim());
}
