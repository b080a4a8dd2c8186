/** The service worker and its registration, with a fake cache storage. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keepOffline } from '../../Public/js/app/offline.js';
import { PageCache } from '../../Public/js/persist/pageCache.js';
import { FakeClock, quiet } from './support.js';

const ORIGIN = 'https://draw.example';
const SESSION = '/s/AAAAAAAAAAAAAAAAAAAAAA';

test('without a server, each address of the page opens it, with its files', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.isOnline = false;
  for (const path of ['/', '/?a=b', SESSION, `${SESSION}/`, `${SESSION}.`, '/s/short']) {
    assert.equal(await browser.opens(path), 'page ONE22222', path);
  }
  assert.equal(await browser.loads('/js/app-ONE22222.js'), 'script ONE22222');
  for (const path of ['/s', '/s/', `${SESSION}/more`]) assert.equal(await browser.opens(path), null, path);
});

test('the page is loaded from the server, and its files from the cache', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.requests.length = 0;
  assert.equal(await browser.opens(SESSION), 'page ONE22222');
  assert.equal(await browser.loads('/js/app-ONE22222.js'), 'script ONE22222');
  assert.deepEqual(browser.requests, [SESSION]);
});

test('the library for PDF files is cached when it is used', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  const path = '/pdf/build/pdf-ONE22222.js';
  assert.equal(await browser.loads('/pdf/missing.js'), '404');
  browser.files.set(path, 'library');
  browser.requests.length = 0;
  assert.equal(await browser.loads(path), 'library');
  await browser.rests();
  browser.isOnline = false;
  assert.equal(await browser.loads(path), 'library');
  assert.deepEqual(browser.requests, [path]);
});

test('the texts of the browser’s languages and of chosen ones are cached, also those of the next version', async () => {
  const browser = new Browser();
  browser.languages = ['de-AT', 'en'];
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  assert.deepEqual(browser.requests, ['/js/app-ONE22222.js', '/js/late-ONE22222.js', '/js/de-ONE22222.js', '/']);
  browser.languages = ['en'];
  assert.equal(await browser.loads('/js/fr-ONE22222.js'), 'script ONE22222');
  await browser.rests();
  browser.isOnline = false;
  for (const language of ['de', 'fr']) {
    assert.equal(await browser.loads(`/js/${language}-ONE22222.js`), 'script ONE22222');
  }
  browser.isOnline = true;
  browser.serves('TWO22222');
  await browser.install('TWO22222');
  assert.deepEqual(browser.requests.slice(-4, -1), ['late', 'de', 'fr'].map((name) => `/js/${name}-TWO22222.js`));
});

for (
  const { what, path, options } of [
    { what: 'the interface', path: '/api/sessions' },
    { what: 'an attachment that is opened', path: '/api/sessions/x/attachments/y', options: { mode: 'navigate' } },
    { what: 'another address', path: '/metrics', options: { mode: 'navigate' } },
    { what: 'another origin', path: 'https://other.example/js/app-ONE22222.js' },
    { what: 'another method', path: '/', options: { mode: 'navigate', method: 'POST' } },
    { what: 'a file without a hash', path: '/service-worker.js' },
  ]
) {
  test(`the worker does not handle ${what}`, async () => {
    const browser = new Browser();
    browser.serves('ONE22222');
    await browser.install('ONE22222');
    assert.equal(browser.route(path, options), null);
  });
}

test('a server that does not answer in time, or whose proxy answers with an error, counts as unreachable', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.delay = new Promise(() => {});
  await browser.opensAfter(2000, 'page ONE22222', SESSION, { cache: 'no-cache' });
  browser.delay = null;
  browser.status = 502;
  assert.equal(await browser.opens('/'), 'page ONE22222');
  browser.status = 404;
  assert.equal(await browser.opens('/'), '404');
});

test('the cached page is shown soon while it is that of the server, and the server is asked in any case', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  for (let visit = 0; visit < 2; visit += 1) {
    const answer = browser.holdAnswers();
    browser.requests.length = 0;
    await browser.opensAfter(150, 'page ONE22222', SESSION);
    assert.deepEqual(browser.requests, [SESSION]);
    answer();
    await browser.rests();
  }
  // A reload waits for the server.
  for (const cache of ['no-cache', 'reload']) {
    browser.holdAnswers();
    await browser.opensAfter(2000, 'page ONE22222', SESSION, { cache });
  }
});

for (
  const { what, change } of [
    { what: 'another page', change: (/** @type {Browser} */ browser) => browser.files.set('/', 'another application') },
    { what: 'a redirect to a login', change: (/** @type {Browser} */ browser) => (browser.status = 302) },
    { what: 'a refusal', change: (/** @type {Browser} */ browser) => (browser.status = 403) },
  ]
) {
  test(`if the server answers late with ${what}, the next visit waits for it, until it has the page again`, async () => {
    const browser = new Browser();
    browser.serves('ONE22222');
    await browser.install('ONE22222');
    change(browser);
    await browser.opensBeforeAnswer(150, 'page ONE22222');
    assert.notEqual(await browser.opensWithLateAnswer(), 'page ONE22222');
    await browser.rests();
    browser.status = 200;
    browser.serves('ONE22222');
    await browser.opensBeforeAnswer(2000, 'page ONE22222');
    browser.holdAnswers();
    await browser.opensAfter(150, 'page ONE22222');
  });
}

test('on a full device, a later visit waits for the server, too, if it has another version', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.serves('TWO22222');
  browser.caches.isFull = true;
  await browser.opensBeforeAnswer(150, 'page ONE22222');
  assert.equal(await browser.opensWithLateAnswer(), 'page TWO22222');
});

test('the cached page gets the policy that the server now sends with it', async () => {
  const browser = new Browser();
  browser.policy = "script-src 'self'";
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.policy = "script-src 'self' 'sha256-A'";
  await browser.opens(SESSION);
  await browser.rests();
  browser.isOnline = false;
  const answer = await browser.route('/', { mode: 'navigate' })?.(() => {});
  assert.equal(answer?.headers.get('Content-Security-Policy'), browser.policy);
  assert.equal(await answer?.text(), pageOf('ONE22222'));
  // The mark stays.
  browser.isOnline = true;
  browser.holdAnswers();
  await browser.opensAfter(150, 'page ONE22222');
});

test('a server that is not reachable, or whose proxy answers with an error, changes nothing', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.isOnline = false;
  assert.equal(await browser.opens('/'), 'page ONE22222');
  browser.isOnline = true;
  browser.status = 502;
  assert.equal(await browser.opens('/'), 'page ONE22222');
  await browser.rests();
  browser.holdAnswers();
  await browser.opensAfter(150, 'page ONE22222');
});

test('over a slow line, a new version is used as soon as its files are complete', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.serves('TWO22222');
  await browser.opensBeforeAnswer(150, 'page ONE22222');
  await browser.install('TWO22222');
  browser.holdAnswers();
  await browser.opensAfter(150, 'page TWO22222');
  assert.equal(await browser.loads('/js/app-TWO22222.js'), 'script TWO22222');
});

test('the HTTP cache of the browser, which may have an earlier page, is not used for the page', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  await browser.opens('/');
  await browser.opens(SESSION, { cache: 'force-cache' });
  assert.deepEqual(browser.modes, ['no-cache', 'no-cache', 'no-cache']);
});

test('a page gets the files of its own version, before and after the next one is fetched', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  browser.pages = 1;
  browser.serves('TWO22222');
  await browser.install('TWO22222');
  // The old page loads a file that the server no longer has.
  assert.equal(await browser.loads('/js/late-ONE22222.js'), 'script ONE22222');
  // The next visit opens the new version.
  assert.equal(await browser.opens('/'), 'page TWO22222');
  assert.equal(await browser.loads('/js/app-TWO22222.js'), 'script TWO22222');
  browser.isOnline = false;
  assert.equal(await browser.opens('/'), 'page TWO22222');
  assert.equal(await browser.loads('/js/late-TWO22222.js'), 'script TWO22222');
});

test('an earlier version is deleted when no page is open', async () => {
  const browser = new Browser();
  for (const version of ['ONE22222', 'TWO22222']) {
    browser.serves(version);
    await browser.install(version);
  }
  browser.pages = 1;
  await browser.cache('TWO22222').deleteEarlier();
  assert.deepEqual(browser.versions, ['ONE22222', 'TWO22222']);
  browser.pages = 0;
  // The worker of the earlier version does not delete the later one.
  await browser.cache('ONE22222').deleteEarlier();
  assert.deepEqual(browser.versions, ['ONE22222', 'TWO22222']);
  await browser.cache('TWO22222').deleteEarlier();
  assert.deepEqual(browser.versions, ['TWO22222']);
  assert.ok(browser.caches.all.has('somebody-elses'));
});

test('a version that returns after a rollback is the newest', async () => {
  const browser = new Browser();
  for (const version of ['ONE22222', 'TWO22222', 'ONE22222']) {
    browser.serves(version);
    await browser.install(version);
  }
  browser.isOnline = false;
  assert.equal(await browser.opens('/'), 'page ONE22222');
  await browser.cache('ONE22222').deleteEarlier();
  assert.deepEqual(browser.versions, ['ONE22222']);
});

for (
  const { what, spoil } of [
    {
      what: 'a file is missing',
      spoil: (/** @type {Browser} */ browser) => browser.files.delete('/js/late-TWO22222.js'),
    },
    {
      what: 'the server changes to another version meanwhile',
      spoil: (/** @type {Browser} */ browser) => browser.files.set('/', pageOf('SIX22222')),
    },
    {
      what: 'a cache on the way has an earlier page, which names the same files',
      spoil: (/** @type {Browser} */ browser) => browser.files.set('/', `${pageOf('TWO22222')}\n`),
    },
    {
      what: 'a proxy answers with a page of its own',
      spoil: (/** @type {Browser} */ browser) => browser.files.set('/', 'log in\n<form method="post">'),
    },
    {
      what: 'a proxy redirects to another page',
      spoil: (/** @type {Browser} */ browser) => (browser.isRedirected = true),
    },
    { what: 'the device is full', spoil: (/** @type {Browser} */ browser) => (browser.caches.isFull = true) },
  ]
) {
  test(`a version is stored completely or not at all: ${what}`, async () => {
    const browser = new Browser();
    browser.serves('ONE22222');
    await browser.install('ONE22222');
    browser.serves('TWO22222');
    spoil(browser);
    await assert.rejects(browser.install('TWO22222'));
    assert.deepEqual(browser.versions, ['ONE22222']);
    browser.isOnline = false;
    assert.equal(await browser.opens('/'), 'page ONE22222');
  });
}

test('if the browser refuses its storage, the page is loaded from the server', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  browser.caches.isRefused = true;
  assert.equal(await browser.opens('/'), 'page ONE22222');
  assert.equal(await browser.loads('/js/app-ONE22222.js'), 'script ONE22222');
  browser.isOnline = false;
  await assert.rejects(browser.opens('/'), TypeError);
});

test('a release registers its worker', async () => {
  const workers = new FakeWorkers();
  await keepOffline(() => around({ workers, module: `${ORIGIN}/js/start-ABCD2345.js` }));
  assert.deepEqual(workers.registered, ['/service-worker.js']);
});

test('a page from the sources registers none, and removes that of an earlier release with its files', async () => {
  const browser = new Browser();
  browser.serves('ONE22222');
  await browser.install('ONE22222');
  const workers = new FakeWorkers([`${ORIGIN}/service-worker.js`, `${ORIGIN}/other/worker.js`]);
  const caches = /** @type {any} */ (browser.caches);
  await keepOffline(() => around({ workers, caches, module: `${ORIGIN}/js/app/offline.js` }));
  assert.deepEqual(workers.registered, [`${ORIGIN}/other/worker.js`]);
  assert.deepEqual([...browser.caches.all.keys()], ['somebody-elses']);
});

for (
  const [what, surroundings] of /** @type {[string, () => any][]} */ ([
    ['has no workers', () => around({})],
    ['refuses to tell', () => {
      throw new DOMException('No.', 'SecurityError');
    }],
    [
      'refuses the worker',
      () => around({ workers: new FakeWorkers([], true), module: `${ORIGIN}/js/start-ABCD2345.js` }),
    ],
  ])
) {
  test(`the page works in a browser that ${what}`, async () => {
    assert.equal(await keepOffline(surroundings), undefined);
  });
}

/** A browser and the server, with their files. */
class Browser {
  caches = new FakeCaches((url) => this.fetch(url));
  clock = new FakeClock();
  /** @type {Map<string, string>} the server's files */
  files = new Map();
  languages = ['en-US', 'en'];
  isOnline = true;
  status = 200;
  /** The policy that the server sends with its answers. */
  policy = "default-src 'none'";
  /** True if the server redirects requests to another address. */
  isRedirected = false;
  /** @type {Promise<unknown> | null} */
  delay = null;
  /** The number of open pages. */
  pages = 0;
  /** @type {string[]} paths of the requests to the server */
  requests = [];
  /** @type {(string | undefined)[]} the modes of the browser's HTTP cache in the requests for the page */
  modes = [];
  /** @type {Promise<unknown>[]} the work of the worker after its answers */
  works = [];

  constructor() {
    this.caches.all.set('somebody-elses', new Map());
  }

  get versions() {
    return [...this.caches.all.keys()].filter((name) => name.startsWith('drawtogether-page-')).map((name) =>
      name.slice(18)
    );
  }

  /** Sets the only version that the server has. @param {string} version */
  serves(version) {
    this.files = new Map(filesOf(version).map((path) => [path, path === '/' ? pageOf(version) : `script ${version}`]));
  }

  /** @param {any} request @param {RequestInit} [init] */
  fetch = async (request, init) => {
    const { pathname } = new URL(request.url ?? request, ORIGIN);
    if (!pathname.startsWith('/js/')) this.modes.push(init?.cache);
    if (!this.isOnline) throw new TypeError('Failed to fetch.');
    this.requests.push(pathname);
    await this.delay;
    if (this.status !== 200) return new Response(String(this.status), { status: this.status });
    const text = this.files.get(pathname.startsWith('/s/') ? '/' : pathname);
    const { isRedirected, policy } = this;
    const headers = { 'Content-Security-Policy': policy };
    const response = new Response(text ?? '404', { status: text === undefined ? 404 : 200, headers });
    return isRedirected ? Object.defineProperty(response, 'redirected', { get: () => true }) : response;
  };

  /** Returns the cache as the worker of a version sees it. @param {string} version */
  cache(version) {
    const page = `sha256-${createHash('sha256').update(pageOf(version)).digest('base64')}`;
    return new PageCache({ version, page, files: filesOf(version) }, {
      caches: /** @type {any} */ (this.caches),
      fetch: this.fetch,
      sha256: (bytes) => crypto.subtle.digest('SHA-256', bytes),
      openPages: async () => Array.from({ length: this.pages }),
      setTimeout: this.clock.setTimeout,
      origin: ORIGIN,
      languages: this.languages,
    });
  }

  /** @param {string} version */
  async install(version) {
    await this.cache(version).install();
  }

  /**
   * Returns the way in which the worker of the first version answers a request. @param {string} path @param {any} [options]
   */
  route(path, { method = 'GET', mode = 'no-cors', cache = 'default' } = {}) {
    const request = /** @type {any} */ ({ url: new URL(path, ORIGIN).href, method, mode, cache });
    return this.cache('ONE22222').route(request);
  }

  /**
   * @param {string} path @param {object} [options]
   * @returns {Promise<string | null>} the shown page; null: the worker does not handle the request
   */
  async opens(path, options) {
    const answer = await this.route(path, { mode: 'navigate', ...options })?.((work) => this.works.push(work));
    return answer ? (await answer.text()).split('\n')[0] : null;
  }

  /**
   * Checks that a page is shown after a wait, while the server does not answer.
   * @param {number} ms @param {string} page @param {string} [path] @param {object} [options]
   */
  async opensAfter(ms, page, path = '/', options) {
    let isOpen = false;
    const opening = this.opens(path, options);
    opening.then(() => (isOpen = true));
    await quiet();
    this.clock.pass(ms - 1);
    await quiet();
    assert.equal(isOpen, false);
    this.clock.pass(1);
    assert.equal(await opening, page);
  }

  /** Checks that a page is shown after a wait. The server answers afterwards. @param {number} ms @param {string} page */
  async opensBeforeAnswer(ms, page) {
    const answer = this.holdAnswers();
    await this.opensAfter(ms, page);
    answer();
    await this.rests();
  }

  /** Returns the page that is shown if the server answers 1 ms before the end of the longer wait. */
  async opensWithLateAnswer() {
    const answer = this.holdAnswers();
    const opening = this.opens('/');
    await quiet();
    this.clock.pass(1999);
    await quiet();
    answer();
    return await opening;
  }

  /** Lets the server answer no request until the returned function is called. */
  holdAnswers() {
    let answer = () => {};
    this.delay = new Promise((resolve) => (answer = () => resolve(null)));
    return answer;
  }

  /** Waits until the worker has no more work. */
  async rests() {
    await Promise.all(this.works.splice(0));
  }

  /** @param {string} path */
  async loads(path) {
    const answer = await this.route(path)?.((work) => this.works.push(work));
    return answer ? await answer.text() : null;
  }
}

class FakeCaches {
  /** @type {Map<string, Map<string, Response>>} in the order of their creation */
  all = new Map();
  isFull = false;
  isRefused = false;
  #fetch;

  /** @param {(url: string) => Promise<Response>} fetch */
  constructor(fetch) {
    this.#fetch = fetch;
  }

  /** @param {string} name */
  async open(name) {
    this.#check();
    const held = this.all.get(name) ?? new Map();
    this.all.set(name, held);
    const put = async (/** @type {string} */ path, /** @type {Response} */ response) => {
      if (this.isFull) throw new DOMException('Full.', 'QuotaExceededError');
      held.set(new URL(path, ORIGIN).href, response);
    };
    return {
      put,
      delete: async (/** @type {string} */ path) => held.delete(new URL(path, ORIGIN).href),
      match: async (/** @type {string} */ path) => held.get(new URL(path, ORIGIN).href)?.clone(),
      keys: async () => [...held.keys()].map((url) => ({ url })),
      addAll: async (/** @type {string[]} */ paths) => {
        const answers = await Promise.all(paths.map((path) => this.#fetch(path)));
        if (!answers.every(({ ok }) => ok)) throw new TypeError('A file is missing.');
        for (const [at, answer] of answers.entries()) await put(paths[at], answer);
      },
    };
  }

  async keys() {
    this.#check();
    return [...this.all.keys()];
  }

  /** @param {string} url */
  async match(url) {
    this.#check();
    for (const held of this.all.values()) if (held.has(url)) return held.get(url)?.clone();
  }

  /** @param {string} name */
  async delete(name) {
    this.#check();
    return this.all.delete(name);
  }

  #check() {
    if (this.isRefused) throw new DOMException('No.', 'SecurityError');
  }
}

class FakeWorkers {
  /** @param {string[]} [registered] their scripts @param {boolean} [isRefused] */
  constructor(registered = [], isRefused = false) {
    this.registered = registered;
    this.isRefused = isRefused;
  }

  /** @param {string} script */
  async register(script) {
    if (this.isRefused) throw new DOMException('No.', 'SecurityError');
    this.registered.push(script);
  }

  async getRegistrations() {
    return this.registered.map((scriptURL) => ({
      active: { scriptURL },
      waiting: null,
      installing: null,
      unregister: async () => (this.registered = this.registered.filter((one) => one !== scriptURL)),
    }));
  }
}

/** @param {object} more @returns {any} */
function around(more) {
  return { workers: undefined, caches: undefined, module: '', ...more };
}

/** @param {string} version */
function filesOf(version) {
  const texts = ['de', 'fr'].map((language) => `/js/${language}-${version}.js`);
  return ['/', `/js/app-${version}.js`, `/js/late-${version}.js`, ...texts, '/robots.txt'];
}

/** @param {string} version */
function pageOf(version) {
  return `page ${version}\n<link rel="modulepreload" href="/js/app-${version}.js">\n<a href="#top">`;
}
