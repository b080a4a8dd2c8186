/** The tables of all languages, and the choice between them. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { byteCount } from '../../Public/js/i18n/format.js';
import { speak, strings } from '../../Public/js/i18n/i18n.js';
import { LANGUAGES } from '../../Public/js/i18n/languages.js';
import { laterStrings, speakLater } from '../../Public/js/i18n/later.js';
import { chooseLanguage } from '../../Public/js/ui/languageDialog.js';
import { FakeDocument } from './fakeDocument.js';
import { markup } from './markup.js';
import { PUBLIC } from './release.js';
import { until } from './support.js';

const FOLDER = join(PUBLIC, 'js/i18n');
const FILES = readdirSync(FOLDER).filter((name) => /^[a-z]{2}\.js$/.test(name));
const CODES = FILES.map((name) => name.slice(0, 2)).toSorted();

/** @param {string} path of a module in the folder @param {string} code @returns {Promise<Record<string, any>>} its table */
const tableIn = async (path, code) => (await import(join(FOLDER, path)))[code];

/** All texts of each language: those that are loaded first, and those of parts that are loaded later. */
const TABLES = Object.fromEntries(
  await Promise.all(CODES.map(async (code) => {
    const [first, later] = await Promise.all([tableIn(`${code}.js`, code), tableIn(`later/${code}.js`, code)]);
    return [code, { first, later, all: { ...first, ...later } }];
  })),
);
const ENGLISH = { ...markup, ...TABLES.en.all };
/** The English texts of the first tables. The markup has some of them. */
const FIRST = { ...markup, ...TABLES.en.first };

/** Counts with all plural forms of the languages. */
const COUNTS = [0, 1, 2, 3, 5, 11, 21, 100, 101, 1_000_000];

/** Texts that may be the same in any language: units, and texts that consist of parameters. */
const ALIKE = ['momentBy', 'times', 'names', 'number', 'percent', 'sheetOf', 'units.*'];
/** The names of keys as they are printed on most keyboards. */
const KEYS = ['ctrl', 'delete', 'shift'];
/** Texts that are the same in English and in one other language. A `*` stands for all texts of a list. */
const SAME_AS_ENGLISH = /** @type {Record<string, string[]>} */ ({
  ar: KEYS,
  de: [
    'colors.1',
    'colors.4',
    'colors.7',
    'ellipse',
    'ellipseTitle',
    'secondNames.9',
    'text',
    'textTitle',
  ],
  es: ['bytes', 'color', 'ctrl', 'zoom'],
  fr: [
    'colors.1',
    'colors.6',
    'colors.7',
    'ctrl',
    'ellipse',
    'ellipseTitle',
    'messages',
    'noteColors.1',
    'pageDown',
    'pageUp',
    'pdf.page',
    'pdf.pages',
    'pdf.picture',
    'pixels',
    'reactions.5',
    'rectangle',
    'rectangleTitle',
    'zoom',
  ],
  it: ['ctrl', 'file', 'pdf.password', 'zoom'],
  ja: KEYS,
  pl: KEYS,
  pt: [...KEYS, 'bytes', 'pixels', 'zoom'],
  uk: KEYS,
});

afterEach(async () => {
  await speak('en');
  await speakLater('en');
});

for (const [code, { first, later, all }] of Object.entries(TABLES)) {
  test(`${code} has the same texts as English, with the same parameters, and cannot be changed`, () => {
    assert.deepEqual(shape(code === 'en' ? FIRST : first), shape(FIRST));
    assert.deepEqual(shape(later), shape(TABLES.en.later));
    assert.ok(Object.isFrozen(first) && Object.isFrozen(later));
  });

  test(`no text in ${code} is incomplete`, () => {
    for (const count of COUNTS) {
      for (const [key, text] of textsOf(all, count)) {
        assert.match(text, /^\S(.*\S)?$/, key);
        assert.doesNotMatch(text, /\b(?:undefined|null|NaN)\b|\[object| {2}/, key);
        // Quotation marks and apostrophes are those of print.
        assert.doesNotMatch(text, /["']|\.\.\./, key);
      }
    }
  });

  test(`the texts in ${code} contain the same values as in English`, () => {
    const english = new Map(textsOf(ENGLISH, 31));
    for (const [key, text] of textsOf(all, 31)) assert.deepEqual(valuesIn(text), valuesIn(english.get(key) ?? ''), key);
  });

  test(`the texts in ${code} are not much longer than in English`, () => {
    const english = new Map(textsOf(ENGLISH, 31));
    const long = textsOf(all, 31).filter(([key, { length }]) => {
      const expected = english.get(key)?.length ?? 0;
      return length > Math.max(2 * expected, expected + 22);
    });
    assert.deepEqual(long, []);
  });

  test(`${code} is offered, and says whether it was translated by machine`, () => {
    const offered = LANGUAGES.find((one) => one.code === code);
    assert.ok(offered);
    const isByMachine = (/** @type {string} */ path) =>
      /^\/\*\*[^/]*Translated by machine/.test(readFileSync(join(FOLDER, path), 'utf8'));
    const marks = [`${code}.js`, `later/${code}.js`].map(isByMachine);
    assert.deepEqual(marks, Array(2).fill(offered?.note !== undefined));
  });

  test(`a browser in ${code} gets its texts and the direction of its writing`, async () => {
    const { lang, dir, loads } = chosenLanguage([`${code}-XX`]);
    const isLeftward = new Intl.Locale(code).maximize().script === 'Arab';
    assert.deepEqual([lang, dir], [code, isLeftward ? 'rtl' : '']);
    assert.deepEqual(loads, code === 'en' ? [] : [`../i18n/${code}.js`]);
    assert.equal(await speak(code), code !== 'en');
    assert.equal(strings, first);
    await speakLater(code);
    assert.equal(laterStrings, later);
  });

  if (code === 'en') continue;
  test(`no text in ${code} is left in English`, () => {
    const allowed = new Set([...ALIKE, ...SAME_AS_ENGLISH[code] ?? []]);
    const english = new Map(textsOf(ENGLISH, 2));
    const same = textsOf(all, 2).filter(([key, text]) => english.get(key) === text).map(([key]) => key);
    const isAllowed = (/** @type {string} */ key) => allowed.has(key) || allowed.has(key.replace(/\d+$/, '*'));
    assert.deepEqual(same.filter((key) => !isAllowed(key)), []);
    // A list that is longer than needed hides a text that is left in English later.
    const needless = (SAME_AS_ENGLISH[code] ?? []).filter((key) => !key.endsWith('*') && !same.includes(key));
    assert.deepEqual(needless, []);
  });
}

/** Texts with counts. @type {[string, string, Record<number, string>][]} */
const COUNTED = [
  ['es', 'willBeSent', { 1: 'Se enviará 1 trazo.', 2: 'Se enviarán 2 trazos.' }],
  ['es', 'endFor', { 1: 'Terminar para 1 persona…', 12_000: 'Terminar para las 12.000 personas…' }],
  ['fr', 'strokesDrawn', { 0: '0 trait dessiné.', 1: '1 trait dessiné.', 2: '2 traits dessinés.' }],
  ['fr', 'newPageForAll', { 3: 'Commencer une nouvelle page pour les 3 personnes\u00a0?' }],
  ['it', 'isUnlocked', { 1: '1 oggetto sbloccato.', 2: '2 oggetti sbloccati.' }],
  ['it', 'hands', { 1: '1 mano alzata', 2: '2 mani alzate' }],
  ['pt', 'removeThings', { 1: 'Remover 1 elemento para todos?', 2: 'Remover 2 elementos para todos?' }],
  ['pt', 'followers', { 1: '1 pessoa segue você', 2: '2 pessoas seguem você' }],
];

for (const [code, key, texts] of COUNTED) {
  test(`plural forms in ${code}: ${key}`, () => {
    for (const [count, text] of Object.entries(texts)) assert.equal(TABLES[code].all[key](Number(count)), text);
  });
}

test('sizes have the units of the language', () => {
  assert.equal(byteCount(1.5 * 2 ** 20, TABLES.fr.first), '1,5 Mo');
  assert.equal(byteCount(1.5 * 2 ** 20, TABLES.it.first), '1,5 MB');
});

test('no key is in both tables', () => {
  assert.deepEqual(Object.keys(TABLES.en.later).filter((key) => Object.hasOwn(TABLES.en.first, key)), []);
});

test('exactly the languages with a table are offered', () => {
  assert.deepEqual(LANGUAGES.map(({ code }) => code).toSorted(), CODES);
});

/**
 * The languages of the browser, the stored language, and the language of the page.
 * @type {[string[], string | null, string][]}
 */
const CHOICES = [
  [['de-DE', 'de', 'en'], null, 'de'],
  [['de-AT'], null, 'de'],
  [['en-GB', 'de'], null, 'en'],
  [['nl-NL', 'de', 'en'], null, 'de'],
  [['nl', 'sv'], null, 'en'],
  [[], null, 'en'],
  [['DE'], null, 'de'],
  [['en'], 'de', 'de'],
  [['de'], 'en', 'en'],
  [['de'], '', 'de'],
  [['de'], 'xx', 'de'],
  [['de'], 'constructor', 'de'],
  [['den'], null, 'en'],
];

for (const [languages, kept, speaks] of CHOICES) {
  test(`with languages ${languages.join(', ') || 'none'} and stored ${kept} the page uses ${speaks}`, () => {
    const { lang, isWordless, loads } = chosenLanguage(languages, () => kept);
    assert.deepEqual([lang, isWordless, loads], [
      speaks,
      speaks !== 'en',
      speaks === 'en' ? [] : [`../i18n/${speaks}.js`],
    ]);
  });
}

test('the page works without storage', () => {
  const refuse = () => {
    throw new Error('It is switched off.');
  };
  assert.equal(chosenLanguage(['de'], refuse).lang, 'de');
});

test('the dialog offers each language in its own words, marks the chosen one, and stores another one', async () => {
  const page = new FakeDocument('language-dialog', 'languages', 'toasts', 'live');
  const find = (/** @type {string} */ id) =>
    /** @type {import('./fakeDocument.js').FakeElement} */ (page.getElementById(id));
  const ofBrowser = page.createElement('button');
  ofBrowser.setAttribute('value', 'system');
  find('languages').append(ofBrowser);
  const settings = {
    language: 'de',
    setLanguage: (/** @type {string} */ code) => {
      settings.language = code;
    },
  };
  let reloads = 0;
  Object.assign(globalThis, { location: { reload: () => (reloads += 1) } });
  const choose = async (/** @type {string} */ value, canReload = true) => {
    const choosing = chooseLanguage(/** @type {any} */ (settings), () => canReload);
    await until(() => find('language-dialog').open);
    const buttons = find('languages').children;
    const told = buttons.map((one) => [one.getAttribute('lang'), one.getAttribute('aria-pressed'), one.textContent]);
    find('language-dialog').close(value);
    await choosing;
    return told;
  };
  const offered = (/** @type {string} */ pressed) =>
    LANGUAGES.map(({ code, name, note = '' }) => [code, String(code === pressed), name + note]);
  assert.deepEqual(await choose('en'), [[null, 'false', ''], ...offered('de')]);
  assert.deepEqual([settings.language, reloads], ['en', 1]);
  assert.deepEqual(await choose('system', false), [[null, 'false', ''], ...offered('en')]);
  assert.deepEqual([settings.language, reloads], ['', 1]);
  assert.equal(find('live').textContent, strings.languageLater);
  assert.deepEqual(await choose(''), [[null, 'true', ''], ...offered('')]);
  assert.deepEqual([settings.language, reloads], ['', 1]);
});

/**
 * Returns the keys, each with the kind of its value: a text, the number of texts, or the number of parameters.
 * @param {Record<string, any>} table @returns {object}
 */
function shape(table) {
  const kind = (/** @type {any} */ value) =>
    typeof value === 'function'
      ? `(${value.length})`
      : Array.isArray(value)
      ? value.length
      : typeof value === 'object'
      ? shape(value)
      : typeof value;
  return Object.fromEntries(Object.keys(table).toSorted().map((key) => [key, kind(table[key])]));
}

/**
 * @param {Record<string, any>} table @param {number} count @param {string} [under]
 * @returns {[string, string][]} its texts by key; functions are called with the count and the numbers after it
 */
function textsOf(table, count, under = '') {
  const values = [count, count + 1, count + 2];
  return Object.entries(table).flatMap(([key, value]) => {
    const path = `${under}${key}`;
    if (typeof value === 'string') return [[path, value]];
    if (typeof value === 'boolean') return [];
    if (typeof value === 'object') return textsOf(value, count, `${path}.`);
    if (key === 'names') return [[path, value(values.map(String))]];
    if (key === 'moment') return [];
    return [[path, key === 'sheetWith' ? value(count, [String(count + 1)]) : value(...values)]];
  });
}

/** @param {string} text @returns {string[]} the numbers in it, sorted, in Western digits */
function valuesIn(text) {
  const western = text.replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
  return (western.match(/\d+/g) ?? []).toSorted();
}

/** @param {string[]} languages @param {() => string | null} [getItem] */
function chosenLanguage(languages, getItem = () => null) {
  const documentElement = {
    lang: 'en',
    dir: '',
    dataset: {},
    isWordless: false,
    toggleAttribute(/** @type {string} */ name, /** @type {boolean} */ isOn) {
      assert.equal(name, 'data-wordless');
      this.isWordless = isOn;
    },
  };
  /** @type {string[]} */
  const loads = [];
  const source = readFileSync(join(PUBLIC, 'js/app/early.js'), 'utf8').replaceAll('import(', 'load(');
  const load = (/** @type {string} */ path) => (loads.push(path), Promise.resolve());
  const document = Object.assign(new EventTarget(), { documentElement, querySelector: () => null });
  const matchMedia = () => Object.assign(new EventTarget(), { matches: false });
  const location = { pathname: '/' };
  const around = {
    location,
    localStorage: { getItem },
    navigator: { languages },
    matchMedia,
    addEventListener: () => {},
    Event,
  };
  runInNewContext(source, { ...around, document, load });
  const { lang, dir, isWordless } = documentElement;
  return { lang, dir, isWordless, loads };
}
