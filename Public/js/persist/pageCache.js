/** The files of the page in the browser's cache. With them, the page opens without a server. */

/**
 * @typedef {object} Release as the build describes it
 * @property {string} version
 * @property {string} page the hash of the markup, in the form of a `Content-Security-Policy`
 * @property {string[]} files paths of the files that belong to it; `/` is the page itself
 *
 * @typedef {object} CacheSurroundings the environment in a service worker; tests pass their own
 * @property {CacheStorage} caches
 * @property {(request: RequestInfo, init?: RequestInit) => Promise<Response>} fetch
 * @property {(bytes: ArrayBuffer) => Promise<ArrayBuffer>} sha256
 * @property {() => Promise<readonly unknown[]>} openPages all windows of this origin, whichever version they show
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {string} origin
 * @property {readonly string[]} languages of the browser
 *
 * @typedef {object} CachedPage
 * @property {Cache} cache of its version
 * @property {Response} page
 * @property {boolean} isUnchanged true if the server's latest answer was this page
 */

/** The beginning of the name of each version's cache. */
const PREFIX = 'drawtogether-page-';
const PAGE = '/';
/**
 * The name of a mark in a version's cache. It means that the server's latest answer was the page in this cache. It is removed if
 * the server answers with anything else: unlike storing a mark, this is possible on a full device, too.
 */
const UNCHANGED = '/unchanged';
/** The paths at which the page opens: without a session, and with a link, which may be damaged. */
const PAGE_PATH = /^\/(s\/[^/]+\/?)?$/;
/** A name with a hash of the content. The build gives such a name to each file that another file names. */
const HASHED = /-[A-Z2-7]{8}\.[\w.]+$/;
/** The files that most visits do not need. They are cached when they are used. */
const LATER = /^\/pdf\//;
/** A file with the texts of a language. Most visits need one language. */
export const TEXTS = /^\/js\/([a-z]{2})-[A-Z2-7]{8}\.js$/;
/** The maximum wait for the server's answer. After that, the page is loaded from the cache. */
const NAVIGATION_MS = 2000;
/** The same wait if the server's latest answer was the page in the cache. Over a fast line, the server answers in this time. */
const UNCHANGED_MS = 150;

/**
 * The caches of the page, one for each version. An open page gets the files of its own version, because their names have a hash
 * of the content and all caches are searched. A cache is deleted only while no page is open.
 */
export class PageCache {
  #release;
  #around;
  #name;

  /** @param {Release} release @param {CacheSurroundings} around */
  constructor(release, around) {
    this.#release = release;
    this.#around = around;
    this.#name = PREFIX + release.version;
  }

  /**
   * Fetches all files of this version, with the languages in use; or none if one of them fails.
   * @throws if a file is missing or the browser has no space
   */
  async install() {
    const { caches, fetch } = this.#around;
    const languages = await this.#usedLanguages();
    const isNeeded = (/** @type {string} */ path) => {
      const language = languageOf(path);
      return HASHED.test(path) && (language === null || languages.has(language));
    };
    // After a rollback, an earlier version becomes the newest one again, so its cache is created anew: caches are listed in the
    // order of their creation.
    await caches.delete(this.#name);
    try {
      const cache = await caches.open(this.#name);
      await cache.addAll(this.#release.files.filter(isNeeded));
      const page = await fetch(PAGE, { cache: 'no-cache' });
      if (!page.ok || page.redirected || !await this.#isOwn(await page.clone().arrayBuffer())) {
        throw new Error('The server has another version.');
      }
      await cache.put(UNCHANGED, new Response());
      // The page is stored last: it marks a complete cache.
      await cache.put(PAGE, page);
    } catch (error) {
      await caches.delete(this.#name).catch(() => false);
      throw error;
    }
  }

  /** Deletes the caches of earlier versions, unless a page is open: it may need them. */
  async deleteEarlier() {
    const { caches, openPages } = this.#around;
    if ((await openPages()).length > 0) return;
    const names = await this.#names();
    // A later cache belongs to a version that is installed and waits.
    const own = names.indexOf(this.#name);
    await Promise.all(names.slice(0, Math.max(0, own)).map((name) => caches.delete(name)));
  }

  /**
   * Returns the way to answer a request; null if this cache does not handle the request. `waitUntil` keeps the worker running for
   * work after the answer.
   * @param {Request} request
   * @returns {((waitUntil: (work: Promise<unknown>) => void) => Promise<Response>) | null}
   */
  route(request) {
    const { origin, pathname } = new URL(request.url);
    if (request.method !== 'GET' || origin !== this.#around.origin || /^\/api(\/|$)/.test(pathname)) return null;
    if (request.mode === 'navigate') {
      return PAGE_PATH.test(pathname) ? (waitUntil) => this.#navigate(request, waitUntil) : null;
    }
    if (LATER.test(pathname) || TEXTS.test(pathname)) return (waitUntil) => this.#laterFile(request, waitUntil);
    return HASHED.test(pathname) ? () => this.#file(request) : null;
  }

  /**
   * Loads the page from the server, or from the cache if the server does not answer in time. Over a slow line, the first visit
   * after an upgrade shows the page in the cache. The next visit waits longer, and shows the new version.
   * @param {Request} request @param {(work: Promise<unknown>) => void} waitUntil
   */
  async #navigate(request, waitUntil) {
    const { fetch, setTimeout } = this.#around;
    // The browser's HTTP cache may have the markup of a version whose files are no longer in any cache.
    const loading = fetch(request, { cache: 'no-cache' });
    // The copy must be made before the browser reads the answer. If there is none, the cached page is shown.
    const copying = loading.then((answer) => answer.clone()).catch(() => null);
    const finding = this.#newestPage();
    waitUntil(Promise.all([copying, finding]).then(([answer, newest]) => compare(answer, newest)).catch(() => {}));
    // People reload a page that does not work, such as one behind a proxy whose login has expired. In Safari, a reload looks like
    // any other visit.
    const isReload = request.cache === 'no-cache' || request.cache === 'reload';
    const late = finding.then((newest) => {
      const wait = newest?.isUnchanged && !isReload ? UNCHANGED_MS : NAVIGATION_MS;
      return new Promise((resolve) => setTimeout(() => resolve(null), wait));
    });
    const answer = await Promise.race([loading, late]).catch(() => null);
    // A proxy answers with 5xx if the gateway is not running.
    if (answer && answer.status < 500) return answer;
    return (await finding)?.page.clone() ?? answer ?? await loading;
  }

  /** @param {Request} request */
  async #file(request) {
    return await this.#cached(request) ?? await this.#around.fetch(request);
  }

  /** Answers like `#file`, and stores the server's answer. @param {Request} request @param {(work: Promise<unknown>) => void} waitUntil */
  async #laterFile(request, waitUntil) {
    const cached = await this.#cached(request);
    if (cached) return cached;
    const { caches, fetch } = this.#around;
    const answer = await fetch(request);
    const copy = answer.status === 200 ? answer.clone() : null;
    // The file is not stored if the device is full.
    if (copy) waitUntil(caches.open(this.#name).then((cache) => cache.put(request.url, copy)).catch(() => {}));
    return answer;
  }

  /** @param {Request} request */
  #cached({ url }) {
    return this.#around.caches.match(url, { ignoreVary: true }).catch(() => undefined);
  }

  /** @returns {Promise<CachedPage | null>} the page of the newest version that is complete */
  async #newestPage() {
    const { caches } = this.#around;
    try {
      for (const name of (await this.#names()).reverse()) {
        const cache = await caches.open(name);
        const page = await cache.match(PAGE, { ignoreVary: true });
        if (page) return { cache, page, isUnchanged: await cache.match(UNCHANGED) !== undefined };
      }
    } catch {
      // The browser refuses its storage, so only the network is left.
    }
    return null;
  }

  /** Returns the languages of the browser, and those whose texts are in a cache because a person chose them. */
  async #usedLanguages() {
    const { caches, languages } = this.#around;
    const used = new Set(languages.map((tag) => tag.split('-')[0].toLowerCase()));
    for (const name of await this.#names()) {
      const stored = await (await caches.open(name)).keys();
      const found = stored.map(({ url }) => languageOf(new URL(url).pathname));
      for (const language of found) if (language !== null) used.add(language);
    }
    return used;
  }

  /** @returns {Promise<string[]>} the names of the caches of all versions, oldest first */
  async #names() {
    return (await this.#around.caches.keys()).filter((name) => name.startsWith(PREFIX));
  }

  /** @param {ArrayBuffer} markup @returns {Promise<boolean>} true if it is exactly the markup of this version */
  async #isOwn(markup) {
    const digest = new Uint8Array(await this.#around.sha256(markup));
    return `sha256-${btoa(String.fromCharCode(...digest))}` === this.#release.page;
  }
}

/** @param {string} path @returns {string | null} the language of the texts in this file; null: it has none */
function languageOf(path) {
  return TEXTS.exec(path)?.[1] ?? null;
}

/**
 * Marks the cached page if the server answered with this page, or removes the mark. Stores the page again if its policy has
 * changed: after a change of the gateway or a proxy, the stored policy may forbid the inline parts.
 * @param {Response | null} answer null if the server did not answer @param {CachedPage | null} newest
 */
async function compare(answer, newest) {
  if (!newest || !answer || answer.status >= 500) return;
  const { cache, page, isUnchanged } = newest;
  const markup = answer.ok ? await answer.text() : null;
  if (markup !== await page.clone().text()) return void await cache.delete(UNCHANGED);
  if (policyOf(answer) !== policyOf(page)) await cache.put(PAGE, new Response(markup, { headers: answer.headers }));
  if (!isUnchanged) await cache.put(UNCHANGED, new Response());
}

/** @param {Response} page */
function policyOf(page) {
  return page.headers.get('Content-Security-Policy');
}

/** Deletes the files of all versions. @param {CacheStorage} caches */
export async function deletePageCaches(caches) {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX)).map((name) => caches.delete(name)));
}
