/** The plural forms in languages that have more or fewer of them than English. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ar } from '../../Public/js/i18n/ar.js';
import { ja } from '../../Public/js/i18n/ja.js';
import { ar as laterAr } from '../../Public/js/i18n/later/ar.js';
import { ja as laterJa } from '../../Public/js/i18n/later/ja.js';
import { pl as laterPl } from '../../Public/js/i18n/later/pl.js';
import { uk as laterUk } from '../../Public/js/i18n/later/uk.js';
import { pl } from '../../Public/js/i18n/pl.js';
import { uk } from '../../Public/js/i18n/uk.js';

/** @type {Record<string, [(count: number) => string, Record<number, string>]>} */
const COUNTED = {
  'files in Polish': [pl.files, {
    0: '0 plików',
    1: '1 plik',
    2: '2 pliki',
    5: '5 plików',
    12: '12 plików',
    22: '22 pliki',
  }],
  'people in Polish': [pl.people, { 1: '1 osoba', 4: '4 osoby', 11: '11 osób', 21: '21 osób', 23: '23 osoby' }],
  'strokes in Polish': [pl.strokesDrawn, {
    1: 'Na stronie jest 1 kreska.',
    3: 'Na stronie są 3 kreski.',
    5: 'Na stronie jest 5 kresek.',
  }],
  'followers in Polish': [laterPl.followers, {
    1: '1 osoba podąża za tobą',
    2: '2 osoby podążają za tobą',
    5: '5 osób podąża za tobą',
  }],
  'locked objects in Polish': [laterPl.lockedThings, {
    1: 'Zablokowano',
    3: '3 obiekty są zablokowane',
    21: '21 obiektów jest zablokowanych',
  }],
  'pages to remove in Polish': [laterPl.removePages, {
    1: 'Usunąć 1 stronę?',
    2: 'Usunąć 2 strony?',
    5: 'Usunąć 5 stron?',
  }],
  'files in Ukrainian': [uk.files, {
    0: '0 файлів',
    1: '1 файл',
    2: '2 файли',
    5: '5 файлів',
    11: '11 файлів',
    21: '21 файл',
  }],
  'people in Ukrainian': [uk.people, { 1: '1 людина', 3: '3 людини', 12: '12 людей', 22: '22 людини' }],
  'followers in Ukrainian': [laterUk.followers, {
    1: '1 людина стежить за вами',
    2: '2 людини стежать за вами',
    21: '21 людина стежить за вами',
  }],
  'locked objects in Ukrainian': [laterUk.lockedThings, {
    1: 'Заблоковано',
    2: 'Заблоковано 2 об’єкти',
    21: 'Заблоковано 21 об’єкт',
  }],
  'pages found in Ukrainian': [laterUk.pagesFound, {
    1: 'Знайдено 1 сторінку.',
    4: 'Знайдено 4 сторінки.',
    5: 'Знайдено 5 сторінок.',
  }],
  'files in Arabic': [ar.files, {
    0: '0 ملف',
    1: 'ملف واحد',
    2: 'ملفان',
    3: '3 ملفات',
    11: '11 ملفًا',
    100: '100 ملف',
    103: '103 ملفات',
    1000: '1,000 ملف',
  }],
  'tabs in Arabic': [laterAr.tabs, { 2: 'تبويبان', 10: '10 تبويبات', 12: '12 تبويبًا' }],
  'locked objects in Arabic': [laterAr.lockedThings, { 1: 'مقفل', 2: 'المقفل: عنصران', 3: 'المقفل: 3 عناصر' }],
  'files in Japanese': [ja.files, { 1: 'ファイル1個', 2: 'ファイル2個', 1000: 'ファイル1,000個' }],
  'pages found in Japanese': [laterJa.pagesFound, { 1: '1ページ見つかりました。', 2: '2ページ見つかりました。' }],
};

for (const [what, [text, expected]] of Object.entries(COUNTED)) {
  test(`plural forms: ${what}`, () => {
    for (const [count, shown] of Object.entries(expected)) assert.equal(text(Number(count)), shown);
  });
}

test('verbs agree with the number of people', () => {
  assert.equal(pl.joined('Ada', 1), 'Ada dołącza');
  assert.equal(pl.joined(pl.names(['Ada', 'Ben']), 2), 'Ada i Ben dołączają');
  assert.equal(uk.left('Ada', 1), 'Ada виходить');
  assert.equal(uk.left(uk.names(['Ada', 'Ben']), 2), 'Ada і Ben виходять');
});

test('names from right to left keep their order in a list in another language', () => {
  assert.equal(pl.names(['محمد', 'ليلى', 'Ada']), '\u2068محمد\u2069, \u2068ليلى\u2069 i Ada');
});

test('in Arabic, names in sentences are isolated, so that they keep their own direction', () => {
  assert.equal(ar.joined(ar.names(['Ada (2)', 'ليلى']), 2), 'انضم \u2068Ada (2)\u2069 و\u2068ليلى\u2069');
  const names = [
    ar.tookAway,
    ar.youAre,
    ar.startedNewPage,
    ar.downloadOf,
    laterAr.following,
    laterAr.changedBy,
    laterAr.onSheet,
  ];
  for (const text of names) assert.match(text('Ada'), /\u2068Ada\u2069/);
  const all = Object.entries({ ...ar, ...laterAr });
  for (const [key, text] of all) if (typeof text === 'string') assert.doesNotMatch(text, /[\u2066-\u2069]/, key);
});
