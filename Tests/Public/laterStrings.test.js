/** The texts of parts that are loaded later. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { laterStrings, speakLater } from '../../Public/js/i18n/later.js';
import { de } from '../../Public/js/i18n/later/de.js';
import { en } from '../../Public/js/i18n/later/en.js';

const I18N = fileURLToPath(new URL('../../Public/js/i18n/', import.meta.url));
const LANGUAGES = { en, de };

test('each language of the page has these texts too', () => {
  const of = (/** @type {string} */ folder) =>
    readdirSync(folder).filter((name) => /^[a-z]{2}\.js$/.test(name)).toSorted();
  assert.deepEqual(of(`${I18N}later`), of(I18N));
  assert.deepEqual(Object.keys(LANGUAGES).map((name) => `${name}.js`).toSorted(), of(I18N));
});

for (const [name, table] of Object.entries(LANGUAGES)) {
  test(`${name} has every text, of the same kind`, () => {
    assert.deepEqual(kindsOf(table), kindsOf(en));
    assert.ok(Object.isFrozen(table));
    for (const [key, text] of textsOf(table)) {
      assert.match(text, /^\S(.*\S)?$/, key);
      assert.doesNotMatch(text, /undefined|null|NaN|\[object/, key);
    }
  });
}

test('no text is the same in two languages', () => {
  const german = new Map(textsOf(de));
  assert.deepEqual(textsOf(en).filter(([key, text]) => german.get(key) === text), []);
});

test('plural forms', () => {
  assert.equal(en.lockedThings(1), 'Locked');
  assert.equal(en.lockedThings(2), '2 objects locked');
  assert.equal(de.lockedThings(3), '3 Elemente gesperrt');
  assert.equal(de.isUnlocked(1), '1 Element entsperrt.');
});

test('the language is set once it is loaded, and an unknown one is English', async () => {
  await speakLater('de');
  assert.equal(laterStrings, de);
  await speakLater('tlh');
  assert.equal(laterStrings, en);
});

/** @param {Record<string, any>} table @returns {string[]} the keys, each with the kind of its value */
function kindsOf(table) {
  const kinds = Object.entries(table).map(([key, value]) =>
    typeof value === 'string' ? key : `${key} ${typeof value} ${value.length}`
  );
  return kinds.toSorted();
}

/** @param {Record<string, any>} table @returns {[string, string][]} */
function textsOf(table) {
  return Object.entries(table).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.map((text, at) => /** @type {[string, string]} */ ([`${key}.${at}`, text]));
    return [[key, typeof value === 'function' ? String(value(/count|place/.test(String(value)) ? 3 : 'Ana')) : value]];
  });
}
