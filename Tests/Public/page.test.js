import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PUBLIC = fileURLToPath(new URL('../../Public/', import.meta.url));
const HTML = readFileSync(join(PUBLIC, 'index.html'), 'utf8');

/** The first scripts of the page: a module, and a script that runs before anything is visible. */
const START = 'js/app/start.js';
const FIRST = 'js/app/early.js';
/** Runs beside the page when it has too many shapes to paint by itself. */
const WORKER = 'js/render/tiles/worker.js';
/** Loaded only for other languages. */
const LANGUAGES = readdirSync(join(PUBLIC, 'js/i18n')).filter((name) => /^(?!en)[a-z]{2}\.js$/.test(name)).map((
  name,
) => join('js/i18n', name));

test('the page preloads exactly its modules', () => {
  const preloaded = [...HTML.matchAll(/<link rel="modulepreload" href="\/([^"]+)">/g)].map(([, path]) => path);
  const scripts = [...HTML.matchAll(/<script[^>]* src="\/([^"]+)">/g)].map(([, path]) => path);
  assert.deepEqual(scripts, [FIRST, START]);
  const needed = [...reached(START, new Set())].filter((path) => !LANGUAGES.includes(path));
  assert.deepEqual(preloaded.toSorted(), needed.toSorted());
  assert.equal(new Set(preloaded).size, preloaded.length);
});

test('each module is used', () => {
  const all = readdirSync(join(PUBLIC, 'js'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js')
  );
  const used = new Set([FIRST, ...reached(START, new Set()), ...reached(WORKER, new Set())]);
  assert.deepEqual(all.map((path) => join('js', path)).toSorted(), [...used].toSorted());
  assert.match(
    readFileSync(join(PUBLIC, 'js/render/tiles/tileWorker.js'), 'utf8'),
    /new Worker\(new URL\('\.\/worker\.js'/,
  );
});

test('the markup fits a strict policy', () => {
  assert.doesNotMatch(HTML, /\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:|https?:\/\//);
});

test('each used icon is in the sprite', () => {
  const modules = [...reached(START, new Set())].map((path) => readFileSync(join(PUBLIC, path), 'utf8')).join(
    '',
  );
  const used = new Set([...`${HTML}${modules}`.matchAll(/(?:#icon-|icon\(')([\w-]+)/g)].map(([, id]) => id));
  const drawn = new Set([...HTML.matchAll(/<symbol id="icon-([\w-]+)"/g)].map(([, id]) => id));
  assert.deepEqual([...used].toSorted(), [...drawn].toSorted());
});

test('the page is installable: its icons exist, and one is maskable', () => {
  const [, path] = HTML.match(/<link rel="manifest" href="\/([^"]+)">/) ?? [];
  const { id, start_url, icons } = JSON.parse(readFileSync(join(PUBLIC, path ?? ''), 'utf8'));
  assert.deepEqual([id, start_url], ['/', '/']);
  assert.deepEqual(icons.map(({ purpose }) => purpose), ['any', 'maskable']);
  for (const { src, type, sizes } of icons) {
    assert.deepEqual([type, sizes], ['image/svg+xml', 'any']);
    assert.match(readFileSync(join(PUBLIC, src), 'utf8'), /^<svg [^>]*viewBox="0 0 32 32">/);
  }
});

/** @param {string} path @param {Set<string>} seen @returns {Set<string>} it and what it imports */
function reached(path, seen) {
  if (seen.has(path)) return seen;
  seen.add(path);
  const source = readFileSync(join(PUBLIC, path), 'utf8');
  const imports = /^(?:(?:import|export) .*?|} )from '(\.[^']+)';$|\bawait import\('(\.[^']+)'\)/gm;
  for (const [, still, dynamic] of source.matchAll(imports)) {
    reached(relative(PUBLIC, join(PUBLIC, dirname(path), still ?? dynamic)), seen);
  }
  return seen;
}
