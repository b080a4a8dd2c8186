/** The files of the page in the browser's cache. With them, the page opens without a server. */

/**
 * @typedef {object} Release as the build describes it
 * @property {string} version
 * @property {string[]} files paths of the files that belong to it; `/` is the page itself
 *
 * @typedef {object} CacheSurroundings the environment in a service worker; tests pass their own
 * @property {CacheStorage} caches
 * @property {(request: RequestInfo, init?: RequestInit) => Promise<Response>} fetch
 * @property {() => Promise<readonly unknown[]>} openPages all windows of this origin, whichever version they show
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {string} origin
 */

/** The beginning of the name of each version's cache. */
const PREFIX = 'drawtogether-page-';
const PAGE = '/';
/** The paths at which the page opens, without a session and with one. */
const PAGE_PATH = /^\/(s\/[\w-]{22}\/?)?$/;
/** A name with a hash of the content. The build gives such a name to each file that another file names. */
const HASHED = /-[A-Z2-7]{8}\.[\w.]+$/;
/** The maximum wait for the server's answer. After that, the page is loaded from the cache. */
const NAVIGATION_MS = 2000;

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

  /** Fetches this version, completely or not at all. @throws if a file is missing or the browser has no space */
  async install() {
    const { caches, fetch } = this.#around;
    // After a rollback, an earlier version becomes the newest again. Caches are listed in the order of their creation.
    await caches.delete(this.#name);
    try {
      const cache = await caches.open(this.#name);
      await cache.addAll(this.#release.files.filter((path) => path !== PAGE && HASHED.test(path)));
      const page = await fetch(PAGE, { cache: 'no-cache' });
      if (!page.ok || page.redirected || !this.#isOwn(await page.clone().text())) {
        throw new Error('The server has another version.');
      }
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
   * Returns the way to answer a request; null if this cache does not handle the request.
   * @param {Request} request @returns {(() => Promise<Response>) | null}
   */
  route(request) {
    const { origin, pathname } = new URL(request.url);
    if (request.method !== 'GET' || origin !== this.#around.origin || /^\/api(\/|$)/.test(pathname)) return null;
    if (request.mode === 'navigate') {
      return PAGE_PATH.test(pathname) ? () => this.#navigate(request) : null;
    }
    return HASHED.test(pathname) ? () => this.#file(request) : null;
  }

  /** Loads the page from the server, or from the cache if the server does not answer in time. @param {Request} request */
  async #navigate(request) {
    const { fetch, setTimeout } = this.#around;
    const loading = fetch(request);
    // If the request fails after the wait, the cached page is already shown.
    loading.catch(() => {});
    const late = new Promise((resolve) => setTimeout(() => resolve(null), NAVIGATION_MS));
    const answer = await Promise.race([loading, late]).catch(() => null);
    // A proxy answers with 5xx if the gateway is not running.
    if (answer && answer.status < 500) return answer;
    return await this.#page() ?? answer ?? await loading;
  }

  /** @param {Request} request */
  async #file(request) {
    const { caches, fetch } = this.#around;
    const cached = await caches.match(request.url, { ignoreVary: true }).catch(() => undefined);
    return cached ?? await fetch(request);
  }

  /** @returns {Promise<Response | null>} the page of the newest version that is complete */
  async #page() {
    const { caches } = this.#around;
    try {
      for (const name of (await this.#names()).reverse()) {
        const page = await (await caches.open(name)).match(PAGE, { ignoreVary: true });
        if (page) return page;
      }
    } catch {
      // The browser refuses its storage, so only the network is left.
    }
    return null;
  }

  /** @returns {Promise<string[]>} the names of the caches of all versions, oldest first */
  async #names() {
    return (await this.#around.caches.keys()).filter((name) => name.startsWith(PREFIX));
  }

  /**
   * @param {string} markup
   * @returns {boolean} true if all files that it names belong to this version. The login page of a proxy may name none
   */
  #isOwn(markup) {
    const named = [...markup.matchAll(/\s(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    return named.length > 0 && named.every((path) => this.#release.files.includes(path));
  }
}

/** Deletes the files of all versions. @param {CacheStorage} caches */
export async function deletePageCaches(caches) {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX)).map((name) => caches.delete(name)));
}
