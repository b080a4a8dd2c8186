/** The texts of the parts that are loaded later, in each language. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { de } from '../../Public/js/i18n/later/de.js';
import { en } from '../../Public/js/i18n/later/en.js';
import { laterStrings, speakLater } from '../../Public/js/i18n/later.js';
import { PUBLIC } from './release.js';

/** @type {Record<string, object>} */
const LANGUAGES = { en, de };

for (const [name, table] of Object.entries(LANGUAGES)) {
  test(`${name} has the same keys as English, with texts of the same kind`, () => {
    const shape = (/** @type {object} */ one) =>
      Object.entries(one).map(([key, value]) => [key, typeof value]).toSorted();
    assert.deepEqual(shape(table), shape(en));
    assert.ok(Object.isFrozen(table));
    for (const [key, value] of Object.entries(table)) {
      if (typeof value === 'string') assert.match(value, /^\S(.*\S)?$/, key);
    }
  });
}

test('texts about sheets', () => {
  const all = [en, de].map((table) => [
    table.sheetShown(table.sheet(2), 2, 1000),
    table.sheetWith('Plans', ['Ada', 'Ben']),
    table.sheetsInArchive(2),
  ]);
  assert.deepEqual(all, [
    ['Sheet 2, 2 of 1,000', 'Plans, with Ada and Ben', '2 sheets, as pictures in a ZIP file'],
    ['Blatt 2, 2 von 1.000', 'Plans, mit Ada und Ben', '2 Blätter, als Bilder in einer ZIP-Datei'],
  ]);
});

test('each language can be chosen, and an unknown one is English', async () => {
  const files = readdirSync(join(PUBLIC, 'js/i18n/later')).map((name) => name.replace('.js', ''));
  assert.deepEqual(files.toSorted(), Object.keys(LANGUAGES).toSorted());
  for (const language of files) {
    await speakLater(language);
    assert.equal(laterStrings, LANGUAGES[language]);
  }
  await speakLater('xx');
  assert.equal(laterStrings, en);
});
