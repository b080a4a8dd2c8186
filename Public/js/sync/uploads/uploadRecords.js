/** The records with which a later page continues the uploads of an earlier one. */

import { newKey } from '../key.js';

/**
 * @typedef {object} UploadRecord
 * @property {string} id
 * @property {string} session
 * @property {string} claim the lease of the page that runs the upload
 * @property {string} name
 * @property {string} contentType
 * @property {unknown} metadata
 * @property {number} createdAt milliseconds of the wall clock
 * @property {boolean} isCreated true if the gateway is known to have it
 * @property {string} epoch the gateway's epoch at that time
 * @property {boolean} isPaused
 * @property {boolean} isCancelled true if it is to be removed from the gateway
 *
 * A store of uploads that survive a reload of the page.
 * @typedef {object} UploadRecords
 * @property {() => Promise<UploadRecord[]>} list of all sessions
 * @property {(record: UploadRecord, blob: Blob) => Promise<unknown>} put
 * @property {(record: UploadRecord) => Promise<unknown>} update changes a stored record; adds none
 * @property {(id: string) => Promise<Blob | null>} blob
 * @property {(id: string) => Promise<unknown>} forget
 *
 * Leases, which keep two open pages of one browser from running the same upload.
 * @typedef {object} UploadLeases
 * @property {string} own the lease of this page's uploads
 * @property {(lease: string) => Promise<boolean>} acquire false: an open page holds it
 */

/** Stores nothing: uploads end with the page. @type {UploadRecords} */
export const pageUploads = {
  list: () => Promise.resolve([]),
  put: () => Promise.resolve(),
  update: () => Promise.resolve(),
  blob: () => Promise.resolve(null),
  forget: () => Promise.resolve(),
};

/** The leases of a page that shares no uploads with others. @type {UploadLeases} */
export const pageLeases = { own: newKey(), acquire: () => Promise.resolve(false) };
