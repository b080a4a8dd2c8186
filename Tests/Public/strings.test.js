import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { byteCount } from '../../Public/js/i18n/format.js';
import { AttachmentError, GroupSessionError } from '../../Public/js/sync/errors.js';
import { tooLargeMessages } from '../../Public/js/ui/filePlacer.js';
import { toolName } from '../../Public/js/ui/objectNames.js';
import { itemLabel, timeLeft } from '../../Public/js/ui/transferProgress.js';
import { de as firstGerman } from '../../Public/js/i18n/de.js';
import { en as firstEnglish } from '../../Public/js/i18n/en.js';
import { errorText, noticeText, speak, strings, translate } from '../../Public/js/i18n/i18n.js';
import { joinParts, laterStrings, speakLater } from '../../Public/js/i18n/later.js';
import { de as laterGerman } from '../../Public/js/i18n/later/de.js';
import { en as laterEnglish } from '../../Public/js/i18n/later/en.js';
import { MARKED, markup } from './markup.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PUBLIC = join(ROOT, 'Public');
const HTML = readFileSync(join(PUBLIC, 'index.html'), 'utf8');
/** All texts: those of the markup, those that are loaded first, and those of parts that are loaded later. */
const en = Object.freeze({ ...markup, ...firstEnglish, ...laterEnglish });
const de = Object.freeze({ ...firstGerman, ...laterGerman });

afterEach(async () => {
  await speak('en');
  await speakLater('en');
});

/** @type {[keyof typeof en, Record<number, string>, Record<number, string>][]} */
const COUNTED = [
  ['lockedThings', { 1: 'Locked', 2: '2 objects locked' }, { 1: 'Gesperrt', 3: '3 Elemente gesperrt' }],
  ['isUnlocked', { 1: '1 object unlocked.' }, { 1: '1 Element entsperrt.' }],
  [
    'strokesDrawn',
    {
      0: '0 strokes are drawn.',
      1: '1 stroke is drawn.',
      2: '2 strokes are drawn.',
      1000: '1,000 strokes are drawn.',
    },
    {
      0: '0 Striche sind gezeichnet.',
      1: '1 Strich ist gezeichnet.',
      2: '2 Striche sind gezeichnet.',
      1000: '1.000 Striche sind gezeichnet.',
    },
  ],
  ['willBeSent', {
    0: '0 strokes will be sent.',
    1: '1 stroke will be sent.',
    2: '2 strokes will be sent.',
    1000: '1,000 strokes will be sent.',
  }, {
    0: '0 Striche werden noch gesendet.',
    1: '1 Strich wird noch gesendet.',
    2: '2 Striche werden noch gesendet.',
    1000: '1.000 Striche werden noch gesendet.',
  }],
  ['files', { 0: '0 files', 1: '1 file', 2: '2 files', 1000: '1,000 files' }, {
    0: '0 Dateien',
    1: '1 Datei',
    2: '2 Dateien',
    1000: '1.000 Dateien',
  }],
  ['people', { 0: '0 people', 1: '1 person', 2: '2 people', 1000: '1,000 people' }, {
    0: '0 Personen',
    1: '1 Person',
    2: '2 Personen',
    1000: '1.000 Personen',
  }],
  ['bytes', { 0: '0 bytes', 1: '1 byte', 2: '2 bytes', 1000: '1,000 bytes' }, {
    0: '0 Byte',
    1: '1 Byte',
    2: '2 Byte',
    1000: '1.000 Byte',
  }],
  ['strokes', { 1: '1 stroke', 12: '12 strokes' }, { 1: '1 Strich', 12: '12 Striche' }],
  ['objectsListed', { 1: '1 entry', 1200: '1,200 entries' }, { 1: '1 Eintrag', 1200: '1.200 Einträge' }],
  ['askedToCome', { 1: 'You asked 1 person to come here.', 3: 'You asked 3 people to come here.' }, {
    1: '1 Person hierher gebeten.',
    3: '3 Personen hierher gebeten.',
  }],
  ['followers', { 1: '1 person follows you', 2: '2 people follow you' }, {
    1: '1 Person folgt dir',
    2: '2 Personen folgen dir',
  }],
  ['filesUnreadable', { 2: '2 files cannot be read.', 1000: '1,000 files cannot be read.' }, {
    2: '2 Dateien lassen sich nicht lesen.',
    1000: '1.000 Dateien lassen sich nicht lesen.',
  }],
];

for (const [key, inEnglish, inGerman] of COUNTED) {
  test(`plural forms: ${key}`, () => {
    const say = (/** @type {any} */ table, /** @type {string} */ count) => table[key](Number(count));
    for (const [count, text] of Object.entries(inEnglish)) assert.equal(say(en, count), text);
    for (const [count, text] of Object.entries(inGerman)) assert.equal(say(de, count), text);
  });
}

test('pictures and files are counted separately', () => {
  assert.equal(en.itemsOnPage(1, 0), '1 picture is on the page.');
  assert.equal(en.itemsOnPage(1, 2), '1 picture and 2 files are on the page.');
  assert.equal(de.itemsOnPage(0, 1), '1 Datei liegt auf der Seite.');
  assert.equal(de.itemsOnPage(1000, 1), '1.000 Bilder und 1 Datei liegen auf der Seite.');
});

test('pending items are counted separately', () => {
  assert.equal(en.areSafe(1, 0, 0), '1 stroke is safe on this device.');
  assert.equal(en.areSafe(14, 2, 1), '14 strokes, 2 pictures, and 1 file are safe on this device.');
  assert.equal(de.areSafe(0, 1, 0), '1 Bild ist auf diesem Gerät sicher.');
  assert.equal(de.areSafe(14, 1, 0), '14 Striche und 1 Bild sind auf diesem Gerät sicher.');
});

test('each text of the markup has one English wording', () => {
  /** @type {Record<string, unknown>} */
  const table = en;
  for (const { key, text } of MARKED) assert.equal(text, table[key], key);
  assert.ok(MARKED.length > 80, `${MARKED.length} of them`);
});

test('each tool of the markup has a name that can be announced', () => {
  const tools = [...HTML.matchAll(/\sdata-tool="(\w+)"/g)].map(([, tool]) => tool);
  assert.ok(tools.length > 10, `${tools.length} of them`);
  assert.deepEqual(tools.filter((tool) => toolName(tool) === ''), []);
});

test('each title key in the markup has a text', () => {
  const keys = [...HTML.matchAll(/\sdata-title=([^\s>]+)/g)].map(([, key]) => /^"(\w+)"$/.exec(key)?.[1] ?? key);
  assert.ok(keys.length > 15, `${keys.length} of them`);
  /** @type {Record<string, unknown>} */
  const table = firstEnglish;
  for (const key of keys) assert.equal(typeof table[key], 'string', key);
  const given = /** @type {unknown[]} */ ([]);
  /** @type {any} */
  const page = {
    querySelectorAll: (/** @type {string} */ selector) =>
      [...HTML.matchAll(new RegExp(`\\s${selector.slice(1, -1)}="(\\w+)"`, 'g'))].map(([, key]) => ({
        getAttribute: () => key,
        setAttribute: (/** @type {string} */ name, /** @type {string} */ text) => name === 'title' && given.push(text),
      })),
  };
  translate(page);
  assert.deepEqual(given, keys.map((key) => table[key]));
});

test('every text in the markup is in the table', () => {
  // The product name, keys, sizes, and the text shown without scripts.
  const allowed = ['Draw Together', '?', '1×', '2×', '3×', 'Draw Together needs JavaScript.'];
  const body = HTML.slice(HTML.indexOf('<head>'));
  const bare = [...body.matchAll(/<([a-z][^>]*)>([^<]*[^<\s][^<]*)</g)].filter(([, tag]) =>
    !tag.includes(' data-text=')
  );
  assert.deepEqual(bare.map(([, , text]) => text.trim()).filter((text) => !allowed.includes(text)), []);
  for (const [tag] of body.matchAll(/<[a-z][^>]* aria-label=[^>]*>/g)) assert.match(tag, / data-label="/);
  assert.doesNotMatch(body, /\s(?:title|alt|placeholder|aria-description|aria-valuetext)=/);
});

test('no module has texts of its own', () => {
  // The product name, units, names of keys, selectors, a path, fonts and their specimen, and a programming error for the console.
  const allowed = [
    'Draw Together',
    'KB',
    'MB',
    'Space',
    'Alt',
    'Enter',
    'Delete',
    'Home',
    'End',
    'input:not([type=radio]), textarea, [contenteditable]',
    'M${},${}h${}v1h-${}z',
    'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
    'DrawTogether Hand',
    'DrawTogether Sans',
    'Aa',
    'The page has no element ${}.',
  ];
  const folders = ['ui', 'tools', 'edit', 'model', 'protocol', 'render'];
  const paths = folders.flatMap((folder) =>
    readdirSync(join(PUBLIC, 'js', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js')).map((name) => join('js', folder, name))
  );
  const found = [...paths, 'js/persist/drawingFile.js', 'js/app/app.js', 'js/app/language.js'].flatMap((path) => {
    const literals = literalsOf(readFileSync(join(PUBLIC, path), 'utf8'));
    return literals.filter((text) => isSaid(text) && !allowed.includes(text)).map((text) => `${path}: ${text}`);
  });
  assert.deepEqual(found, []);
});

test('the scan detects texts in modules', () => {
  const source =
    "// 'Not this one'\nx.title = 'Download'; toast(`${a} joined`); f('aria-label', \"in words\"); /* `Nor This` */";
  assert.deepEqual(literalsOf(source).filter(isSaid), ['Download', '${} joined', 'in words']);
  const nested = '`${isMany ? `${count} files` : name} here`';
  assert.deepEqual(literalsOf(nested).filter(isSaid).toSorted(), ['${} files', '${} here']);
});

test('every error code and every end has a text', () => {
  const source = readFileSync(join(ROOT, 'Sources/Codecs/Wire/Errors/ErrorCode.swift'), 'utf8');
  const codes = [...source.matchAll(/^ {2}case (\w+)(?: = "([^"]+)")?$/gm)].map(([, name, raw]) => raw ?? name);
  assert.ok(codes.length > 15);
  // After a close with one of these codes, the page reconnects by itself and shows no text.
  const unseen = new Set(['no-answer', 'resumed-elsewhere', 'too-slow']);
  assert.deepEqual(codes.filter((code) => !Object.hasOwn(en.codes, code) && !unseen.has(code)), []);
});

test('German is used once it is loaded, and missing texts are English', async () => {
  assert.equal(await speak('de'), true);
  assert.equal(strings, firstGerman);
  assert.equal(await speak('tlh'), false);
  assert.equal(strings, firstEnglish);
  await speakLater('de');
  assert.equal(laterStrings, laterGerman);
  await speakLater('tlh');
  assert.equal(laterStrings, laterEnglish);
});

test('sizes, times and labels are localized', async () => {
  await speak('de');
  await speakLater('de');
  const MB = 2 ** 20;
  assert.equal(byteCount(1.5 * MB, strings), '1,5 MB');
  assert.equal(timeLeft(42), 'noch 40 s');
  assert.equal(timeLeft(3900), 'noch 1 h 5 min');
  const messages = tooLargeMessages([{ name: 'a', size: 104_857_601 }], 104_857_600);
  assert.deepEqual(messages, [{
    title: 'a',
    text: 'Diese Datei ist 100,000001 MB groß. Erlaubt sind hier höchstens 100 MB.',
  }]);
  const item =
    /** @type {any} */ ({ isPicture: false, name: 'a.pdf', size: 2.5 * MB, by: 'Ada', state: 'ready', offset: 0 });
  assert.equal(itemLabel(item), 'Datei a.pdf, 2,5 MB, hinzugefügt von Ada');
});

test('the parts of a description are separated as is usual in the language', async () => {
  for (const [language, separator] of [['ar', '، '], ['ja', '、'], ['fr', ', '], ['en', ', ']]) {
    await speakLater(language);
    assert.equal(joinParts(['a', '', 'b', 'c']), ['a', 'b', 'c'].join(separator));
  }
});

/** @type {{ rule: string, error: unknown, en: string, de: string }[]} */
const ERRORS = [
  {
    rule: 'the gateway’s text, if the language is the gateway’s',
    error: new GroupSessionError('session-quota', 'The session holds 5 of 5 MB.'),
    en: 'The session holds 5 of 5 MB.',
    de: 'In diese Sitzung passt nichts mehr hinein. Entferne zuerst etwas.',
  },
  {
    rule: 'the text of the code, if there is only a code',
    error: new GroupSessionError('too-many', 'too-many'),
    en: 'There are too many requests at the moment. Try again later.',
    de: 'Im Moment gibt es zu viele Anfragen. Versuche es später noch einmal.',
  },
  {
    rule: 'a disk without space',
    error: new GroupSessionError('storage-full', 'The disk has 5 bytes.', { limit: 10 }),
    en: 'The server has no space at the moment. Try again later.',
    de: 'Der Server hat im Moment keinen Platz. Versuche es später noch einmal.',
  },
  {
    rule: 'a disk that may fail, or not answer',
    error: new GroupSessionError('storage-full', 'The gateway’s disk does not answer.'),
    en: 'The server cannot save anything now.',
    de: 'Der Server kann gerade nichts speichern.',
  },
  {
    rule: 'the gateway’s text for an unknown code',
    error: new GroupSessionError('constructor', 'Come back on Monday.'),
    en: 'Come back on Monday.',
    de: 'Come back on Monday.',
  },
  {
    rule: 'sizes',
    error: new AttachmentError('attachment-too-large', 'x', { limit: 100, actual: 101 }),
    en: 'This file is 101 bytes. The limit here is 100 bytes.',
    de: 'Diese Datei ist 101 Byte groß. Erlaubt sind hier höchstens 100 Byte.',
  },
  {
    rule: 'the name of a file that can no longer be read',
    error: new AttachmentError('unreadable', '', { file: 'a.png' }),
    en: '“a.png” was changed or can no longer be read.',
    de: '„a.png“ wurde verändert oder lässt sich nicht mehr lesen.',
  },
  {
    rule: 'the name of a file that could not be loaded',
    error: new AttachmentError('unavailable', '', { file: 'a.png' }),
    en: '“a.png” could not be loaded.',
    de: '„a.png“ konnte nicht geladen werden.',
  },
  {
    rule: 'the name of a file that is not complete',
    error: new AttachmentError('not-ready', '', { file: 'a.png' }),
    en: '“a.png” is still being uploaded.',
    de: '„a.png“ wird noch hochgeladen.',
  },
  { rule: 'an error without a code', error: new Error('So.'), en: 'So.', de: 'So.' },
  { rule: 'a number for a code', error: new DOMException('So.', 'AbortError'), en: 'So.', de: 'So.' },
  { rule: 'a value that is not an error', error: 'So.', en: 'So.', de: 'So.' },
];

for (const { rule, error, ...says } of ERRORS) {
  test(`the text of an error: ${rule}`, async () => {
    assert.equal(errorText(error), says.en);
    await speak('de');
    assert.equal(errorText(error), says.de);
  });
}

test('texts about sheets', () => {
  const all = [laterEnglish, laterGerman].map((table) => [
    table.sheetShown(table.sheet(2), 2, 1000),
    table.sheetWith('Plans', ['Ada', 'Ben']),
    table.sheetsInArchive(2),
  ]);
  assert.deepEqual(all, [
    ['Sheet 2, 2 of 1,000', 'Plans, with Ada and Ben', '2 sheets, as pictures in a ZIP file'],
    ['Blatt 2, 2 von 1.000', 'Plans, mit Ada und Ben', '2 Blätter, als Bilder in einer ZIP-Datei'],
  ]);
});

test('notices of the gateway are localized', async () => {
  assert.equal(noticeText('saved', 'All is saved.'), 'All is saved.');
  await speak('de');
  assert.equal(noticeText('saved', 'All is saved.'), 'Alles ist wieder gespeichert.');
  assert.match(noticeText('damaged', 'Some is lost.'), /verloren/);
  assert.equal(noticeText('news', 'We move.'), 'We move.');
  assert.equal(noticeText('news', 7), '');
});

/** @param {string} text @returns {boolean} true if it looks like a text for users: several words, or a word with a capital */
function isSaid(text) {
  const bare = text.replaceAll('${}', '').trim();
  if (!/\p{L}{2}/u.test(bare)) return false;
  // Selectors, paths of SVG, styles, and names of keys and types.
  if (/^[#.[(-]|^M\d|^[a-z-]+\(|\bpx\b|\dpx|^image\//.test(bare)) return false;
  if (/^(?:Arrow\w+|Escape|Tab|Files|(?:[A-Z][a-z]+){2,})$/.test(bare)) return false;
  return /\s/.test(text) || /^\p{Lu}/u.test(bare);
}

/** @param {string} source of a module @returns {string[]} its strings, with `${}` for values; without comments and imports */
function literalsOf(source) {
  const found = /** @type {string[]} */ ([]);
  let at = 0;
  const code = (/** @type {string} */ end) => {
    let depth = 0;
    while (at < source.length) {
      const two = source.slice(at, at + 2);
      const one = source[at];
      if (two === '//') at = (source.indexOf('\n', at) + source.length) % source.length || source.length;
      else if (two === '/*') at = source.indexOf('*/', at) + 2;
      else if (one === "'" || one === '"') quoted(one);
      else if (one === '`') template();
      else if (one === '/' && /[(,=:[!&|?;{}]\s*$/.test(source.slice(Math.max(0, at - 9), at))) expression();
      else {
        if (one === end && depth === 0) return;
        if (one === '{') depth += 1;
        if (one === '}') depth -= 1;
        at += 1;
      }
    }
  };
  const quoted = (/** @type {string} */ shape) => {
    const from = at += 1;
    while (source[at] !== shape) at += source[at] === '\\' ? 2 : 1;
    const isImport = /(?:from|import)\s*\(?$/.test(source.slice(Math.max(0, from - 12), from - 1).trimEnd());
    if (!isImport) found.push(source.slice(from, at));
    at += 1;
  };
  const template = () => {
    let text = '';
    at += 1;
    while (source[at] !== '`') {
      if (source.startsWith('${', at)) {
        at += 2;
        code('}');
        at += 1;
        text += '${}';
      } else {
        text += source[at];
        at += 1;
      }
    }
    at += 1;
    found.push(text);
  };
  const expression = () => {
    let isClass = false;
    for (at += 1; source[at] !== '/' || isClass; at += 1) {
      if (source[at] === '\\') at += 1;
      else if (source[at] === '[') isClass = true;
      else if (source[at] === ']') isClass = false;
    }
    at += 1;
  };
  code('');
  return found;
}
