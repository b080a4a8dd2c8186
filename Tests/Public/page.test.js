import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildRelease, PUBLIC } from './release.js';

const HTML = readFileSync(join(PUBLIC, 'index.html'), 'utf8');
/** The modules of the page and of its workers, as the bundler finds them. */
const MODULES = Object.keys(buildRelease().meta.inputs).filter((path) => path.endsWith('.js'));
/** The scripts that run before anything is visible. They have no static imports. */
const CLASSIC = [...HTML.matchAll(/<script src="\/([^"]+)">/g)].map(([, path]) => path);

test('each module is used', () => {
  const all = readdirSync(join(PUBLIC, 'js'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js')
  );
  const used = new Set([...MODULES, ...CLASSIC]);
  assert.deepEqual(all.map((path) => join('js', path)).toSorted(), [...used].toSorted());
});

test('the markup fits a strict policy', () => {
  assert.doesNotMatch(HTML, /\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:|https?:\/\//);
});

test('each used icon is in the sprite', () => {
  const modules = MODULES.map((path) => readFileSync(join(PUBLIC, path), 'utf8')).join('');
  const used = new Set([...`${HTML}${modules}`.matchAll(/(?:#icon-|icon\(')([\w-]+)/g)].map(([, id]) => id));
  const drawn = new Set([...HTML.matchAll(/<symbol id="icon-([\w-]+)"/g)].map(([, id]) => id));
  assert.deepEqual([...used].toSorted(), [...drawn].toSorted());
});

test('the page is installable: its icons exist in the sizes that operating systems need', () => {
  const [, path] = HTML.match(/<link rel="manifest" href="\/([^"]+)">/) ?? [];
  const { id, start_url, icons } = JSON.parse(readFileSync(join(PUBLIC, path ?? ''), 'utf8'));
  assert.deepEqual([id, start_url], ['/', '/']);
  for (const { src, type, sizes } of icons) {
    if (type === 'image/svg+xml') {
      assert.equal(sizes, 'any');
      assert.match(readFileSync(join(PUBLIC, src), 'utf8'), /^<svg [^>]*viewBox="0 0 32 32">/);
    } else assert.deepEqual([type, sizes], ['image/png', pngSize(src)]);
  }
  const offered = icons.map((/** @type {any} */ { sizes, purpose }) => `${purpose} ${sizes}`);
  for (const icon of ['any 192x192', 'any 512x512', 'maskable 512x512']) assert.ok(offered.includes(icon), icon);
  const [, touch] = HTML.match(/<link rel="apple-touch-icon" href="\/([^"]+)">/) ?? [];
  assert.equal(pngSize(touch), '180x180');
});

/** @param {string} path @returns {string} the size that the file's header names, such as `192x192` */
function pngSize(path) {
  const bytes = readFileSync(join(PUBLIC, path));
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}
