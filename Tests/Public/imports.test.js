/** Imports between the folders of the page's modules go one way. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../../Public/js/', import.meta.url));

/** The folders that the modules of a folder may import. @type {Record<string, string[]>} */
const ALLOWED = {
  // The service worker is outside of the folders, because it runs separately from the page.
  'serviceWorker.js': ['persist'],
  app: ['ui', 'tools', 'edit', 'protocol', 'model', 'render', 'persist', 'sync', 'i18n'],
  ui: ['tools', 'edit', 'protocol', 'model', 'render', 'persist', 'sync', 'i18n'],
  tools: ['edit', 'protocol', 'model', 'sync', 'i18n'],
  edit: ['protocol', 'model', 'sync', 'i18n'],
  protocol: ['model', 'sync', 'i18n'],
  persist: ['protocol', 'model', 'sync', 'i18n'],
  render: ['model', 'i18n'],
  model: [],
  sync: [],
  i18n: [],
};

/** The remaining imports against this order. The list may only become shorter: remove an entry together with its import. */
const REMAINING = new Set([
  // The model makes the labels of items and the error texts of image files.
  'model/imageFile.js → i18n/i18n.js',
  'model/item.js → i18n/format.js',
  'model/item.js → i18n/i18n.js',
  // The check of points is a function of the messages.
  'model/placement.js → protocol/shapeMessages.js',
  // Items and their painter are in one module.
  'model/item.js → render/shapePainter.js',
  // The file of a drawing uses functions of the export.
  'persist/drawingFile.js → render/export/raster.js',
]);

const PATHS = readdirSync(MODULES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'));
const STATEMENTS =
  /^(?:(?:import|export) .*?|} )from '(\.[^']+)';$|^import '(\.[^']+)';$|\bawait import\('(\.[^']+)'\)/gm;
const TYPES = /@import .*? from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g;

test('each module except the service worker is in one of the folders', () => {
  const folders = new Set(PATHS.map(folderOf));
  assert.deepEqual([...folders].toSorted(), Object.keys(ALLOWED).toSorted());
});

test('`sync` imports nothing outside itself, not even types', () => {
  const outside = PATHS.filter((path) => folderOf(path) === 'sync').flatMap((path) =>
    [...importsOf(path, STATEMENTS), ...importsOf(path, TYPES)]
      .filter((imported) => folderOf(imported) !== 'sync')
      .map((imported) => `${path} → ${imported}`)
  );
  assert.deepEqual(outside, []);
});

test('imports go one way, and each listed exception is needed', () => {
  const against = PATHS.flatMap((path) =>
    importsOf(path, STATEMENTS)
      .filter((imported) => folderOf(imported) !== folderOf(path))
      .filter((imported) => !ALLOWED[folderOf(path)]?.includes(folderOf(imported)))
      .map((imported) => `${path} → ${imported}`)
  );
  assert.deepEqual([...new Set(against)].toSorted(), [...REMAINING].toSorted());
});

/** @param {string} path @returns {string} */
function folderOf(path) {
  return path.split('/')[0];
}

/** @param {string} path @param {RegExp} pattern @returns {string[]} the paths of the imported modules */
function importsOf(path, pattern) {
  const source = readFileSync(join(MODULES, path), 'utf8');
  return [...source.matchAll(pattern)].map((match) => {
    const imported = match.slice(1).find((group) => group !== undefined) ?? '';
    return relative(MODULES, join(MODULES, dirname(path), imported));
  });
}
