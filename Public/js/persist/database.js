/** The browser's database. */

/** @typedef {{ name: string, version: number, stores: string[] }} Schema */

/** @type {Schema} */
const PAGE = {
  name: 'drawtogether',
  version: 2,
  /** Uploads and their files; local boards and their contents; outboxes and their entries. */
  stores: ['uploads', 'blobs', 'pages', 'marks', 'items', 'files', 'outboxes', 'entries'],
};
/** A separate database: with more stores, the other one would need a version that earlier pages cannot open. @type {Schema} */
export const SNAPSHOTS = { name: 'drawtogether-snapshots', version: 1, stores: ['sessions', 'parts'] };
/** The maximum time for opening a database. */
const MAX_OPENING_MS = 4000;

/**
 * The browser's database, for everything that must survive the page. If the browser refuses it, reads and writes have no effect.
 */
export class Database {
  #factory;
  #schema;
  /** @type {IDBDatabase | null} */
  #open = null;
  /** @type {Promise<IDBDatabase> | null} */
  #opening = null;

  /** @param {() => IDBFactory} [factory] may throw: the browser may refuse it @param {Schema} [schema] */
  constructor(factory = () => indexedDB, schema = PAGE) {
    this.#factory = factory;
    this.#schema = schema;
  }

  /** Opens the database, so that later writes are passed to the browser at once. @returns {Promise<boolean>} false: refused */
  async open() {
    return await this.#get().then(() => true, () => false);
  }

  /**
   * @template {string} Name @param {Name[]} names @param {(stores: Record<Name, IDBObjectStore>) => IDBRequest[]} ask
   * @param {IDBTransactionMode} [mode]
   * @returns {Promise<any[] | null>} the answers; null: refused
   */
  async read(names, ask, mode = 'readonly') {
    try {
      const transaction = (this.#open ?? await this.#get()).transaction(names, mode);
      const requests = ask(storesOf(transaction, names));
      await isDone(transaction);
      return requests.map(({ result }) => result);
    } catch {
      return null;
    }
  }

  /**
   * Writes to stores. If the database is open, the browser has everything when this returns, and stores it even if the page is
   * killed.
   * @template {string} Name @param {Name[]} names @param {(stores: Record<Name, IDBObjectStore>) => void} put
   * @returns {Promise<boolean>} true if it is written
   */
  async write(names, put) {
    try {
      const transaction = (this.#open ?? await this.#get()).transaction(names, 'readwrite');
      put(storesOf(transaction, names));
      transaction.commit();
      await isDone(transaction);
      return true;
    } catch {
      return false;
    }
  }

  /** @returns {Promise<IDBDatabase>} */
  #get() {
    this.#opening ??= new Promise((resolve, reject) => {
      const { name, version, stores } = this.#schema;
      const request = this.#factory().open(name, version);
      const timer = setTimeout(() => reject(new DOMException('No answer.', 'TimeoutError')), MAX_OPENING_MS);
      request.onupgradeneeded = () => {
        const { result } = request;
        for (const name of stores) if (!result.objectStoreNames.contains(name)) result.createObjectStore(name);
      };
      request.onsuccess = () => {
        clearTimeout(timer);
        this.#open = request.result;
        // A later version of the page in another tab must not wait for this one.
        this.#open.onversionchange = () => request.result.close();
        this.#open.onclose = () => (this.#open = this.#opening = null);
        resolve(this.#open);
      };
      request.onerror = () => {
        clearTimeout(timer);
        reject(request.error);
      };
    });
    return this.#opening;
  }
}

/** The database of the page. */
export const browserDatabase = new Database();
export const browserSnapshots = new Database(() => indexedDB, SNAPSHOTS);

/** The range of all keys below a name. @param {string} name */
export function within(name) {
  return IDBKeyRange.bound(`${name}/`, `${name}/\uffff`);
}

/** @template {string} Name @param {IDBTransaction} transaction @param {Name[]} names */
function storesOf(transaction, names) {
  const stores = names.map((name) => [name, transaction.objectStore(name)]);
  return /** @type {Record<Name, IDBObjectStore>} */ (Object.fromEntries(stores));
}

/** @param {IDBTransaction} transaction */
function isDone(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}
