/** The browser's database. */

const NAME = 'drawtogether';
const VERSION = 2;
/** Uploads and their files; pages that are drawn on alone, and what is on them; what waits to be sent, and for whom. */
const STORES = ['uploads', 'blobs', 'pages', 'marks', 'items', 'files', 'outboxes', 'entries'];
/** A browser that takes longer is not waited for. */
const PATIENCE_MS = 4000;

/** The browser's database: what must outlive the page. A browser may refuse one; then nothing is there, and nothing is kept. */
export class Database {
  #factory;
  /** @type {IDBDatabase | null} */
  #open = null;
  /** @type {Promise<IDBDatabase> | null} */
  #opening = null;

  /** @param {() => IDBFactory} [factory] may throw: a browser may refuse */
  constructor(factory = () => indexedDB) {
    this.#factory = factory;
  }

  /** Asks for it: what is written from then on is on its way at once. @returns {Promise<boolean>} whether there is one */
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
   * Where it is open, this hands over all that is to be written before it returns: it is kept even if the page dies then.
   * @template {string} Name @param {Name[]} names @param {(stores: Record<Name, IDBObjectStore>) => void} put
   * @returns {Promise<boolean>} whether it is written
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
      const request = this.#factory().open(NAME, VERSION);
      const timer = setTimeout(() => reject(new DOMException('No answer.', 'TimeoutError')), PATIENCE_MS);
      request.onupgradeneeded = () => {
        const { result } = request;
        for (const name of STORES) if (!result.objectStoreNames.contains(name)) result.createObjectStore(name);
      };
      request.onsuccess = () => {
        clearTimeout(timer);
        this.#open = request.result;
        // A later version of the page, in another tab, shall not wait for us.
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

/** The page's own. */
export const browserDatabase = new Database();

/** All whose name begins so. @param {string} name */
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
