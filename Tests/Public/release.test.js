import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LANGUAGES } from '../../Public/js/i18n/languages.js';
import { TEXTS } from '../../Public/js/persist/pageCache.js';
import { buildRelease, PUBLIC } from './release.js';

const release = buildRelease();
const HTML = release.read('index.html');
/** A name with a hash of the content, as the gateway recognizes it. */
const HASHED = /-[A-Z2-7]{8}\.\w+(?:\.map)?$/;
/** The scripts and style sheets inside the markup. */
const INLINE = [...HTML.matchAll(/<(script|style)>(.*?)<\/\1>/gs)].map(([, tag, text]) => ({ tag, text }));
const [SCRIPT] = INLINE.filter(({ tag }) => tag === 'script').map(({ text }) => text);
/** The limits for the scripts that are loaded before the first stroke can be drawn, compressed. */
const MAX_FIRST_BYTES = 60 * 1024;
const MAX_FIRST_REQUESTS = 6;
/** The limit for the scripts that a page needs after that to enter a session, compressed. */
const MAX_SESSION_BYTES = 24 * 1024;
/** The limit for the compressed markup: the bytes that a new connection sends without waiting, ten packets (RFC 6928). */
const MAX_MARKUP_BYTES = 10 * 1460;

test('all files except the page itself, its service worker and a license have a hash in their names', () => {
  const plain = release.files.filter((path) => !HASHED.test(path));
  const expected = ['fonts/OFL.txt', 'index.html', 'release.json', 'service-worker.js', 'service-worker.js.map'];
  assert.deepEqual(plain.toSorted(), expected);
});

test('release.json lists the files of the release', () => {
  const { version, files } = JSON.parse(release.read('release.json'));
  assert.match(version, /^[A-Z2-7]{8}$/);
  assert.deepEqual(files, release.files.filter((path) => path !== 'release.json').toSorted());
});

test('release.json lists the hashes of the parts inside the markup', () => {
  const { inline } = JSON.parse(release.read('release.json'));
  const hashes = (/** @type {string} */ kind) =>
    INLINE.filter(({ tag }) => tag === kind).map(({ text }) => integrityOf(text));
  assert.deepEqual(inline, { script: hashes('script'), style: hashes('style') });
  assert.deepEqual(INLINE.map(({ tag }) => tag), ['script', 'style']);
});

test('every path that a file names exists', () => {
  const texts = release.files.filter((path) => /\.(?:html|css|js|webmanifest)$/.test(path)).map(release.read);
  assert.doesNotMatch(HTML, /import\(["'](?!\/)|url\(["']?(?!\/)/, 'a path in the markup is absolute');
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
  // The policy lists the hashes of the inline parts.
  const rest = INLINE.reduce((html, { tag, text }) => html.replace(`<${tag}>${text}</${tag}>`, ''), HTML);
  assert.doesNotMatch(rest, /\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:/);
  assert.doesNotMatch(HTML, /https?:\/\//);
});

test('the page preloads exactly the modules of the first stroke', () => {
  const [, start] = HTML.match(/<script type="module" src="\/([^"]+)">/) ?? [];
  const preloaded = [...HTML.matchAll(/<link rel="modulepreload" href="\/([^"]+)">/g)].map(([, path]) => path);
  assert.deepEqual([start, ...preloaded].toSorted(), [...loadedWith(start)].toSorted());
});

test('the scripts for the first stroke are few and small', () => {
  const scripts = [...HTML.matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="\/([^"]+)"/g)];
  const texts = [SCRIPT, ...scripts.map(([, path]) => release.read(path))];
  const total = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  // The first request is that of the markup, which has the first script in it.
  assert.ok(1 + scripts.length <= MAX_FIRST_REQUESTS, `${1 + scripts.length} requests`);
  assert.ok(total <= MAX_FIRST_BYTES, `${total} bytes`);
});

test('each language except English has two files of texts, under names that the service worker knows', () => {
  const texts = Object.entries(release.meta.outputs).filter(([, { entryPoint }]) => entryPoint?.includes('/i18n/'));
  const expected = LANGUAGES.filter(({ code }) => code !== 'en').flatMap(({ code }) => [code, code]);
  assert.deepEqual(texts.map(([path]) => TEXTS.exec(`/${path}`)?.[1]).toSorted(), expected.toSorted());
  assert.deepEqual(release.files.filter((path) => TEXTS.test(`/${path}`)), texts.map(([path]) => path).toSorted());
});

test('a session needs one more script, which is small, and the rest of the page another one', () => {
  const first = loadedWith(bundleOf('js/app/app.js'));
  for (const name of ['session', 'deferred']) {
    const path = bundleOf(`js/app/${name}.js`);
    // Chromium does not fetch the imports of a bundle again after a failure.
    assert.deepEqual([...loadedWith(path)].filter((one) => !first.has(one)), [path]);
    assert.ok(release.read('service-worker.js').includes(`"/${path}"`), `${path} works offline`);
  }
  const session = bundleOf('js/app/session.js');
  assert.ok(SCRIPT.includes(`import("/${session}")`), 'it is loaded at once');
  assert.ok(!SCRIPT.includes(bundleOf('js/app/deferred.js')), 'and before the rest');
  const { length } = gzipSync(release.read(session), { level: 9 });
  assert.ok(length <= MAX_SESSION_BYTES, `${length} bytes`);
});

test('the script that records the first strokes is at most 2 KB', () => {
  const script = execFileSync('esbuild', ['--minify', join(PUBLIC, 'js/app/strokeRecorder.js')]);
  assert.ok(script.length <= 2048, `${script.length} bytes`);
});

test('the first scripts are one classic script inside the markup, ahead of the canvas and behind the modules', () => {
  assert.doesNotMatch(SCRIPT, /\bimport\b(?!\()|\bexport\b/);
  assert.match(SCRIPT, /themechange.*strokeRecorder/s);
  assert.doesNotMatch(HTML, /<script src=/);
  assert.ok(HTML.indexOf('type="module"') < HTML.indexOf('<script>'));
  assert.ok(HTML.indexOf('<style>') < HTML.indexOf('</head>'));
});

test('the first paint waits for no other file, and the markup is sent at once', () => {
  const size = gzipSync(HTML, { level: 9 }).length;
  assert.ok(size <= MAX_MARKUP_BYTES, `${size} bytes`);
  const head = HTML.slice(0, HTML.indexOf('</head>'));
  assert.doesNotMatch(head, /rel="stylesheet"/);
  // The minifier makes the style sheet smaller, and loses no rule.
  const [style] = INLINE.filter(({ tag }) => tag === 'style').map(({ text }) => text);
  const sheet = readFileSync(join(PUBLIC, 'css/page.css'), 'utf8');
  assert.ok(style.length < sheet.length && style.length > sheet.length / 2, `${style.length} of ${sheet.length} bytes`);
  assert.deepEqual(release.files.filter((path) => /\.css$|early/.test(path)).map((path) => path.split('-')[0]), [
    'css/over',
  ]);
});

test('the worker is a separate file, and the page names it', () => {
  const [path, worker] =
    Object.entries(release.meta.outputs).find(([, one]) => one.entryPoint?.endsWith('/worker.js')) ?? [];
  assert.deepEqual(worker?.imports, []);
  const scripts = release.files.filter((one) => one.endsWith('.js') && one !== 'service-worker.js');
  const pages = scripts.filter((one) => release.read(one).includes(`"/${path}"`));
  assert.equal(pages.length, 1);
});

test('a release without the library for PDF files does not request it', () => {
  const scripts = release.files.filter((path) => path.endsWith('.js')).map(release.read);
  assert.deepEqual(scripts.filter((text) => text.includes('/pdf/build/')), []);
});

test('a release has the library for PDF files with its license, and browsers load it on demand only', () => {
  const { files, read } = releaseWithLibrary({
    'build/pdf.js': '/** License A */\n(function (root) { root.pdfjsLib = {}; })(this);',
    'build/pdf.worker.js': '/** License B */\n(function (root) { root.worker = {}; })(this);',
    'build/pdf.sandbox.js': 'not needed',
    'web/cmaps/H.bcmap': 'map',
    'web/standard_fonts/Sans.pfb': 'font',
  });
  const library = files.filter((path) => path.startsWith('pdf/'));
  assert.deepEqual(library.map((path) => path.replace(/-[A-Z2-7]{8}/, '-HASH')).toSorted(), [
    'pdf/build/pdf-HASH.js',
    'pdf/build/pdf.worker-HASH.js',
    'pdf/web/cmaps/H.bcmap',
    'pdf/web/standard_fonts/Sans.pfb',
  ]);
  const scripts = library.filter((path) => path.endsWith('.js')).toSorted();
  assert.equal(read(scripts[0]), '/** License A */\n(function(i){i.pdfjsLib={}})(this);\n');
  assert.match(read(scripts[1]), /^\/\*\* License B \*\/\n/);
  const page = files.filter((path) => /^js\/.*\.js$/.test(path)).map(read);
  for (const path of scripts) assert.equal(page.filter((text) => text.includes(`"/${path}"`)).length, 1, path);
  assert.doesNotMatch(read('service-worker.js'), /Sans\.pfb|pdf\.worker-/);
  assert.doesNotMatch(read('index.html'), /\/pdf\//);
  assert.ok(library.every((path) => JSON.parse(read('release.json')).files.includes(path)));
});

test('equal sources produce equal releases', () => {
  const again = buildRelease();
  assert.deepEqual(again.files.toSorted(), release.files.toSorted());
  for (const path of again.files) assert.equal(again.read(path), release.read(path), path);
});

test('a service worker keeps its name and gets the hash of the markup and the list of the files', () => {
  const { files, read } = releaseWithWorker('console.log(RELEASE.version, RELEASE.page, RELEASE.files);\n');
  const script = read('service-worker.js');
  assert.ok(script.includes(JSON.stringify(integrityOf(read('index.html')))));
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

/** @param {string} text @returns {string} its hash in the form of a `Content-Security-Policy` */
function integrityOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Builds the page with another service worker. @param {string} script */
function releaseWithWorker(script) {
  const source = mkdtempSync(join(tmpdir(), 'drawtogether-source-'));
  after(() => rmSync(source, { recursive: true }));
  cpSync(PUBLIC, source, { recursive: true });
  writeFileSync(join(source, 'js/serviceWorker.js'), script);
  return buildRelease(source);
}

/** Builds the page with a library for PDF files. @param {Record<string, string>} library its files */
function releaseWithLibrary(library) {
  const folder = mkdtempSync(join(tmpdir(), 'drawtogether-library-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(library)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return buildRelease(PUBLIC, folder);
}

/** @param {string} module @returns {string} its bundle */
function bundleOf(module) {
  const [path = ''] = Object.entries(release.meta.outputs).find(([, { entryPoint }]) => entryPoint === module) ?? [];
  assert.notEqual(path, '', module);
  return path;
}

/** @param {string} bundle @param {Set<string>} [found] @returns {Set<string>} the bundle and its static imports */
function loadedWith(bundle, found = new Set()) {
  found.add(bundle);
  for (const { path, kind } of release.meta.outputs[bundle].imports) {
    if (kind === 'import-statement' && !found.has(path)) loadedWith(path, found);
  }
  return found;
}
