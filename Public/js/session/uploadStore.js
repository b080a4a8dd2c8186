/** What a later page needs to go on with an upload, the file too. Where the browser keeps nothing, uploads end with the page. */

import { browserDatabase } from '../storage/database.js';

/**
 * @typedef {import('../storage/database.js').Database} Database
 *
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

/** @implements {KeptUploads} */
export class UploadStore {
  #database;

  /** @param {Database} [database] */
  constructor(database = browserDatabase) {
    this.#database = database;
  }

  /** @returns {Promise<UploadRecord[]>} of all sessions */
  async list() {
    const [records] = await this.#database.read(['uploads'], ({ uploads }) => [uploads.getAll()]) ?? [[]];
    return records;
  }

  /** Records change; the files beside them are written once. @param {UploadRecord} record @param {Blob} blob */
  async put(record, blob) {
    await this.#database.write(['uploads', 'blobs'], ({ uploads, blobs }) => {
      blobs.put(blob, record.id);
      uploads.put(record, record.id);
    });
  }

  /** Changes what is kept; brings nothing back. @param {UploadRecord} record */
  async update(record) {
    await this.#database.read(['uploads'], ({ uploads }) => {
      const held = uploads.getKey(record.id);
      held.onsuccess = () => held.result !== undefined && uploads.put(record, record.id);
      return [];
    }, 'readwrite');
  }

  /** @param {string} id @returns {Promise<Blob | null>} */
  async blob(id) {
    const [blob] = await this.#database.read(['blobs'], ({ blobs }) => [blobs.get(id)]) ?? [];
    return blob ?? null;
  }

  /** @param {string} id */
  async forget(id) {
    await this.#database.write(['uploads', 'blobs'], ({ uploads, blobs }) => {
      blobs.delete(id);
      uploads.delete(id);
    });
  }
}
