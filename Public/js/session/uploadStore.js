/** What a later page needs to go on with an upload, the file too. Where the browser keeps nothing, uploads end with the page. */

/**
 * @typedef {object} UploadRecord
 * @property {string} id
 * @property {string} session
 * @property {string} claim of the page that runs it
 * @property {string} name
 * @property {string} contentType
 * @property {unknown} metadata
 * @property {number} createdAt milliseconds of the wall clock
 * @property {boolean} isCreated the gateway is known to have it
 * @property {string} epoch of the gateway then
 * @property {boolean} isPaused
 * @property {boolean} isCancelled it is to be removed
 *
 * @typedef {object} KeptUploads
 * @property {() => Promise<UploadRecord[]>} list
 * @property {(record: UploadRecord, blob: Blob) => Promise<unknown>} put
 * @property {(record: UploadRecord) => Promise<unknown>} update
 * @property {(id: string) => Promise<Blob | null>} blob
 * @property {(id: string) => Promise<unknown>} forget
 */

const NAME = 'drawtogether';
const VERSION = 1;
/** Records change; the files beside them are written once. */
const RECORDS = 'uploads';
const BLOBS = 'blobs';

/** @implements {KeptUploads} */
export class UploadStore {
  #factory;
  /** @type {Promise<IDBDatabase> | null} */
  #database = null;

  /** @param {() => IDBFactory} [factory] may throw: a browser may refuse */
  constructor(factory = () => indexedDB) {
    this.#factory = factory;
  }

  /** @returns {Promise<UploadRecord[]>} of all sessions */
  async list() {
    return await this.#do('readonly', (records) => records.getAll()) ?? [];
  }

  /** @param {UploadRecord} record @param {Blob} blob */
  async put(record, blob) {
    await this.#do('readwrite', (records, blobs) => (blobs.put(blob, record.id), records.put(record, record.id)));
  }

  /** Changes what is kept; brings nothing back. @param {UploadRecord} record */
  async update(record) {
    await this.#do('readwrite', (records) => {
      const held = records.getKey(record.id);
      held.onsuccess = () => held.result !== undefined && records.put(record, record.id);
      return held;
    });
  }

  /** @param {string} id @returns {Promise<Blob | null>} */
  async blob(id) {
    return await this.#do('readonly', (_, blobs) => blobs.get(id)) ?? null;
  }

  /** @param {string} id */
  async forget(id) {
    await this.#do('readwrite', (records, blobs) => (blobs.delete(id), records.delete(id)));
  }

  /**
   * @param {IDBTransactionMode} mode @param {(records: IDBObjectStore, blobs: IDBObjectStore) => IDBRequest} run
   * @returns {Promise<any>} null when the browser refuses
   */
  async #do(mode, run) {
    try {
      this.#database ??= this.#open();
      const transaction = (await this.#database).transaction([RECORDS, BLOBS], mode);
      const request = run(transaction.objectStore(RECORDS), transaction.objectStore(BLOBS));
      return await new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
      });
    } catch {
      return null;
    }
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    return new Promise((resolve, reject) => {
      const request = this.#factory().open(NAME, VERSION);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(RECORDS);
        request.result.createObjectStore(BLOBS);
      };
      request.onsuccess = () => {
        // A later version of the page, in another tab, shall not wait for us.
        request.result.onversionchange = () => request.result.close();
        resolve(request.result);
      };
      request.onerror = () => reject(request.error);
    });
  }
}
