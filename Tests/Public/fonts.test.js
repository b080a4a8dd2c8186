/** The fonts of texts: the shipped files, the measured sizes of texts, and the files of an export. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { familiesOf, FONTS } from '../../Public/js/model/fonts.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { baselineOfLine, fontsLoaded, LINE, Text } from '../../Public/js/model/text.js';
import { svgOf } from '../../Public/js/render/export/svg.js';
import { TextTool } from '../../Public/js/tools/textTool.js';
import { Settings } from '../../Public/js/ui/settings.js';
import { charactersOf, tablesOf } from './woff2.js';

const LOOK = { rgb: '#e5484d', color: 0, size: 20, z: 1 };
const FILES = Object.fromEntries(FONTS.map((font) => [font, fontFile(font)]));
/** The letters of the languages for which the fonts are made. */
const LETTERS = {
  German: 'ÄÖÜäöüß',
  French: 'ÀÂÇÉÈÊËÎÏÔŒÙÛÜŸàâçéèêëîïôœùûüÿ',
  Spanish: 'ÁÉÍÑÓÚÜáéíñóúü¿¡',
  Italian: 'ÀÈÉÌÍÒÓÙÚàèéìíòóùú',
  Portuguese: 'ÀÁÂÃÇÉÊÍÓÔÕÚàáâãçéêíóôõú',
  Polish: 'ĄĆĘŁŃÓŚŹŻąćęłńóśźż',
  Ukrainian: 'АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯабвгґдеєжзиіїйклмнопрстуфхцчшщьюяʼ',
  punctuation: '–—‘’“”„‚«»‹›…•·€£°×÷±½',
};
const { signal } = new AbortController();

/** The width of a letter in the fake canvas, in font sizes: of the device's font until the shipped fonts are loaded. */
let letter = 0.6;
/** @type {any} */ (globalThis).OffscreenCanvas = class {
  getContext() {
    const context = {
      font: '',
      measureText: (/** @type {string} */ text) => ({
        width: text.length * (context.font.includes('Hand') ? letter : 0.6) * parseFloat(context.font),
      }),
    };
    return context;
  }
};

afterEach(() => {
  letter = 0.6;
  fontsLoaded();
});

/** @param {string} font */
function fontFile(font) {
  return readFileSync(new URL(`../../Public/fonts/${font}.woff2`, import.meta.url));
}

/** @param {Partial<Text>} [properties] */
function text(properties) {
  return new Text({ ...LOOK, id: 'T', text: 'milk', x: 10, y: 20, font: 'hand', ...properties });
}

for (const font of FONTS) {
  const tables = tablesOf(FILES[font]);

  for (const [name, letters] of Object.entries(LETTERS)) {
    test(`the font ${font} has all characters: ${name}`, () => {
      const characters = charactersOf(tables.cmap);
      assert.deepEqual([...letters].filter((one) => !characters.has(one.codePointAt(0) ?? 0)), []);
    });
  }

  test(`the baseline of the font ${font} on the canvas is that of CSS, in every browser`, () => {
    const unit = tables.head.readUInt16BE(18);
    const [ascent, descent] = [tables.hhea.readInt16BE(4) / unit, -tables.hhea.readInt16BE(6) / unit];
    assert.equal(baselineOfLine(font), Number(((LINE + ascent - descent) / 2).toFixed(4)));
    // Programs for Windows read these.
    assert.deepEqual([tables['OS/2'].readUInt16BE(74) / unit, tables['OS/2'].readUInt16BE(76) / unit], [
      ascent,
      descent,
    ]);
    // A browser rounds both to pixels, which changes nothing at the size at which texts are measured.
    for (const distance of [ascent, descent]) {
      assert.equal(Math.round(distance * 100), Number((distance * 100).toFixed(6)));
    }
  });

  test(`the font ${font} names its authors and its license`, () => {
    const names = tables.name.swap16().toString('utf16le');
    assert.match(names, /Copyright \d+ The \w+ Project Authors.*SIL Open Font License/s);
  });
}

test('both fonts are small, and signs that one lacks are in the other', () => {
  assert.ok(FILES.hand.length + FILES.sans.length <= 43 * 1024);
  const characters = charactersOf(tablesOf(FILES.sans).cmap);
  for (const sign of '←↑→↓✓≤≥≈≠') assert.ok(characters.has(sign.charCodeAt(0)), sign);
  assert.match(familiesOf('hand'), /^"DrawTogether Hand", "DrawTogether Sans", system-ui/);
});

test('a text without a font keeps the device’s font', () => {
  assert.equal(
    familiesOf(text({ font: '' }).font),
    'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  );
  letter = 0.3;
  const before = text({ font: '' });
  const { box } = before;
  fontsLoaded();
  assert.equal(before.box, box);
});

test('a text is measured again once its font is loaded, and everything that depends on its size is updated', () => {
  const shapes = new Shapes();
  const index = new ShapeIndex();
  const drawing = new Drawing(shapes);
  shapes.observe(index);
  drawing.add([text(), text({ id: 'S', font: '', y: 60 })]);
  assert.deepEqual([shapes.find('T')?.bounds.right, index.within({ left: 60, top: 0, right: 70, bottom: 40 }).length], [
    67,
    1,
  ]);
  /** @type {string[]} */
  const changed = [];
  shapes.observe({ shown: () => {}, hidden: () => {}, changed: ({ id }) => changed.push(id) });
  const { version } = /** @type {Text} */ (shapes.find('T'));
  letter = 0.3;
  fontsLoaded();
  for (const shape of shapes.all) if ('font' in shape && shape.font !== '') shapes.remeasured(shape);
  assert.deepEqual(changed, ['T']);
  assert.ok((shapes.find('T')?.version ?? 0) > version, 'what was painted for the earlier version is wrong');
  assert.equal(/** @type {Text} */ (shapes.find('T')).box.right, 34);
  assert.equal(index.within({ left: 60, top: 0, right: 70, bottom: 40 }).length, 0);
  assert.equal(shapes.bounds?.right, 61);
});

test('a color chosen during editing keeps the font of the text, and a font changes it', () => {
  const shapes = new Shapes();
  const index = new ShapeIndex();
  const drawing = new Drawing(shapes);
  shapes.observe(index);
  drawing.add([text({ font: '' })]);
  const style = { ...LOOK, rgb: '#4f5fe8', font: /** @type {const} */ ('sans') };
  const tool = new TextTool(drawing, index, () => ({ ...style }), () => 1, () => 'N');
  tool.editAt(15, 30);
  tool.restyle('color');
  const now = () => /** @type {Text} */ (shapes.find('T'));
  assert.deepEqual([now().rgb, now().font], ['#4f5fe8', '']);
  tool.restyle('font');
  assert.deepEqual([now().rgb, now().font], ['#4f5fe8', 'sans']);
  tool.finish();
  drawing.undo();
  assert.deepEqual([now().rgb, now().font], ['#e5484d', '']);
  drawing.redo();
  assert.equal(now().font, 'sans');
  tool.editAt(200, 200);
  tool.setText('new');
  tool.finish();
  assert.equal(/** @type {Text} */ (shapes.find('N')).font, 'sans');
});

test('new texts are handwritten unless another font was chosen, which is stored', () => {
  const stored = new Map();
  const storage = {
    getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void stored.set(key, value),
    removeItem: (/** @type {string} */ key) => void stored.delete(key),
  };
  assert.equal(new Settings(storage).font, 'hand');
  new Settings(storage).setFont('sans');
  assert.equal(new Settings(storage).font, 'sans');
  stored.set('drawtogether:font', 'Comic Sans');
  assert.equal(new Settings(storage).font, 'hand');
});

test('an SVG contains the fonts of its texts, and no others', async () => {
  /** @param {Text[]} drawables */
  const svg = async (...drawables) => {
    const fonts = (/** @type {readonly any[]} */ all) =>
      Promise.resolve(
        all.some(({ font }) => font)
          ? /** @type {any} */ ({ hand: Uint8Array.of(1, 255), sans: Uint8Array.of(2) })
          : null,
      );
    const { blob } = await svgOf(
      { drawables, paper: '', signal },
      /** @type {any} */ ({}),
      () => Promise.reject(),
      fonts,
    );
    return await blob.text();
  };
  const sans = '@font-face{font-family:"DrawTogether Sans";src:url(data:font/woff2;base64,Ag==)}';
  const hand = '@font-face{font-family:"DrawTogether Hand";src:url(data:font/woff2;base64,Af8=)}';
  assert.ok((await svg(text(), text({ font: 'sans' }))).includes(`<style>${hand}${sans}</style>`));
  assert.ok((await svg(text({ font: 'sans' }))).includes(`<style>${sans}</style>`));
  assert.match(
    await svg(text()),
    /<text fill="#e5484d" font-family="&#34;DrawTogether Hand&#34;, [^"]+" font-size="20" text-rendering="geometricPrecision" /,
  );
  const old = await svg(text({ font: '' }));
  assert.doesNotMatch(old, /<style|null|text-rendering/);
});
