/** The store of uploads that survive a reload of the page. */

import { browserDatabase } from './database.js';

/**
 * @typedef {import('./database.js').Database} Database
 * @typedef {import('../sync/uploads/uploadRecords.js').UploadRecord} UploadRecord
 * @typedef {import('../sync/uploads/uploadRecords.js').UploadRecords} UploadRecords
 */

/**
 * The uploads in the browser's database: their records and their files. If the browser stores nothing, uploads end with the page.
 * @implements {UploadRecords}
 */
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

  /** Stores a record and its file. Records change; files do not. @param {UploadRecord} record @param {Blob} blob */
  async put(record, blob) {
    await this.#database.write(['uploads', 'blobs'], ({ uploads, blobs }) => {
      blobs.put(blob, record.id);
      uploads.put(record, record.id);
    });
  }

  /** Changes a stored record; adds none. @param {UploadRecord} record */
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
