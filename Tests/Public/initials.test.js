import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initials } from '../../Public/js/model/initials.js';

/** @type {[string, string][]} */
const NAMES = [
  ['Rosy Badger', 'RB'],
  ['ana', 'A'],
  ['Ana Maria von Lopez', 'AL'],
  ['Mallory <b>', 'MB'],
  ['M <', 'M'],
  ['<script>alert(1)</script>', 'SS'],
  ['(Ben)', 'B'],
  ['"Ben" — guest!', 'BG'],
  ['O’Neil', 'O'],
  ['J.R.', 'J'],
  ['Room 204', 'R2'],
  ['🦊 Fox', 'F'],
  ['🦊', '🦊'],
  ['👩🏽‍💻', '👩🏽‍💻'],
  ['🇩🇪 🇫🇷', '🇩🇪'],
  ['***', '*'],
  ['e\u0301lise', 'E\u0301'],
  ['ßtraße', 'ß'],
  ['山田太郎', '山'],
  ['Zoë Ångström', 'ZÅ'],
  [`a${'\u0301'.repeat(60)}`, 'A\u0301\u0301'],
  ['', ''],
];

for (const [name, expected] of NAMES) {
  test(`the initials of “${name}” are ${expected || 'empty'}`, () => assert.equal(initials(name), expected));
}
