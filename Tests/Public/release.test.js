import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildRelease, PUBLIC } from './release.js';

const release = buildRelease();
const HTML = release.read('index.html');
/** A name with a hash of the content, as the gateway recognizes it. */
const HASHED = /-[A-Z2-7]{8}\.\w+(?:\.map)?$/;
/** The limits for the scripts that are loaded before the first stroke can be drawn, compressed. */
const MAX_FIRST_BYTES = 60 * 1024;
const MAX_FIRST_REQUESTS = 6;

test('all files except the page itself and its service worker have a hash in their names', () => {
  const plain = release.files.filter((path) => !HASHED.test(path));
  assert.deepEqual(plain.toSorted(), ['index.html', 'release.json', 'service-worker.js', 'service-worker.js.map']);
});

test('release.json lists the files of the release', () => {
  const { version, files } = JSON.parse(release.read('release.json'));
  assert.match(version, /^[A-Z2-7]{8}$/);
  assert.deepEqual(files, release.files.filter((path) => path !== 'release.json').toSorted());
});

test('every path that a file names exists', () => {
  const texts = release.files.filter((path) => /\.(?:html|css|js|webmanifest)$/.test(path)).map(release.read);
  const named = texts.flatMap((text) => [...text.matchAll(/["'(]\/([\w/-]+\.\w+)["')]/g)].map(([, path]) => path));
  assert.ok(named.length > 8, `${named.length} of them`);
  assert.deepEqual(named.filter((path) => !release.files.includes(path)), []);
});

test('each script and style sheet has a source map with the sources', () => {
  for (const path of release.files.filter((path) => /\.(?:js|css)$/.test(path))) {
    assert.match(release.read(path), new RegExp(`sourceMappingURL=${path.split('/').at(-1)}\\.map`));
    assert.ok(JSON.parse(release.read(`${path}.map`)).sourcesContent.length > 0);
  }
});

test('the markup of a release fits a strict policy', () => {
  assert.doesNotMatch(HTML, /\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:|https?:\/\//);
});

test('the page preloads exactly the modules of the first stroke', () => {
  const [, start] = HTML.match(/<script type="module" src="\/([^"]+)">/) ?? [];
  const preloaded = [...HTML.matchAll(/<link rel="modulepreload" href="\/([^"]+)">/g)].map(([, path]) => path);
  assert.deepEqual([start, ...preloaded].toSorted(), [...loadedWith(start)].toSorted());
});

test('the scripts for the first stroke are few and small', () => {
  const scripts = [...HTML.matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="\/([^"]+)"/g)];
  const sizes = scripts.map(([, path]) => gzipSync(release.read(path), { level: 9 }).length);
  const total = sizes.reduce((sum, size) => sum + size);
  assert.ok(scripts.length <= MAX_FIRST_REQUESTS, `${scripts.length} requests`);
  assert.ok(total <= MAX_FIRST_BYTES, `${total} bytes`);
});

test('the script that records the first strokes is at most 2 KB', () => {
  const script = execFileSync('esbuild', ['--minify', join(PUBLIC, 'js/app/strokeRecorder.js')]);
  assert.ok(script.length <= 2048, `${script.length} bytes`);
});

test('the first scripts are one classic script', () => {
  const [path] = Object.entries(release.meta.outputs).find(([, one]) => one.entryPoint === 'js/app/early.js') ?? [''];
  assert.deepEqual(release.meta.outputs[path].imports.filter(({ kind }) => kind !== 'dynamic-import'), []);
  assert.doesNotMatch(release.read(path), /^import\b|\bexport\b/m);
  assert.deepEqual([...HTML.matchAll(/<script src="([^"]+)">/g)].map(([, src]) => src), [`/${path}`]);
});

test('the worker is a separate file, and the page names it', () => {
  const [path, worker] =
    Object.entries(release.meta.outputs).find(([, one]) => one.entryPoint?.endsWith('/worker.js')) ?? [];
  assert.deepEqual(worker?.imports, []);
  const scripts = release.files.filter((one) => one.endsWith('.js') && one !== 'service-worker.js');
  const pages = scripts.filter((one) => release.read(one).includes(`"/${path}"`));
  assert.equal(pages.length, 1);
});

test('equal sources produce equal releases', () => {
  const again = buildRelease();
  assert.deepEqual(again.files.toSorted(), release.files.toSorted());
  for (const path of again.files) assert.equal(again.read(path), release.read(path), path);
});

test('a service worker keeps its name and gets the list of the files', () => {
  const { files, read } = releaseWithWorker('console.log(RELEASE.version, RELEASE.files);\n');
  const script = read('service-worker.js');
  const { version } = JSON.parse(read('release.json'));
  assert.ok(script.includes(JSON.stringify(version)));
  const named = files.filter((path) => HASHED.test(path) && !path.endsWith('.map'));
  assert.ok(named.length > 5);
  for (const path of named) assert.ok(script.includes(`"/${path}"`), path);
  assert.doesNotMatch(script, /index\.html|\.map"/);
});

test('another service worker makes another version, so that its cache is not that of the worker in use', () => {
  const [one, other] = ['1', '2'].map((text) => releaseWithWorker(`console.log(RELEASE.version, ${text});\n`));
  assert.equal(one.read('index.html'), other.read('index.html'));
  assert.notEqual(JSON.parse(one.read('release.json')).version, JSON.parse(other.read('release.json')).version);
});

/** Builds the page with another service worker. @param {string} script */
function releaseWithWorker(script) {
  const source = mkdtempSync(join(tmpdir(), 'drawtogether-source-'));
  after(() => rmSync(source, { recursive: true }));
  cpSync(PUBLIC, source, { recursive: true });
  writeFileSync(join(source, 'js/serviceWorker.js'), script);
  return buildRelease(source);
}

/** @param {string} bundle @param {Set<string>} [found] @returns {Set<string>} the bundle and its static imports */
function loadedWith(bundle, found = new Set()) {
  found.add(bundle);
  for (const { path, kind } of release.meta.outputs[bundle].imports) {
    if (kind === 'import-statement' && !found.has(path)) loadedWith(path, found);
  }
  return found;
}
