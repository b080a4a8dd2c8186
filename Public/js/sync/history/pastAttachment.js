/** The pictures and files of a past moment. */

import { Attachment } from '../journal/attachment.js';

/**
 * Returns an attachment whose content may be complete now, or gone: then it cannot be loaded.
 * @param {URL | string} base address of the gateway @param {string} session its id
 * @param {import('../journal/attachment.js').AttachmentFacts} facts as of the past moment @param {number} sequence of its entry
 */
export function pastAttachment(base, session, facts, sequence) {
  const url = new URL(`api/sessions/${session}/attachments/${facts.id}`, base).href;
  const record = { ...facts, state: /** @type {const} */ ('ready'), sequence, isStalled: false };
  return new Attachment(record, url, (...request) => fetch(...request));
}
