/**
 * The preview of a picture: a tiny copy in the metadata of its attachment, in base64. The other participants see it, blurred,
 * until they have the picture itself.
 */

/** The maximum length, in characters. */
export const MAX_PREVIEW_LENGTH = 1024;

/** @param {unknown} metadata of an attachment @returns {string} the preview; '' if there is none, or one in the wrong form */
export function readPreview(metadata) {
  const preview = /** @type {any} */ (metadata)?.preview;
  if (typeof preview !== 'string' || preview.length > MAX_PREVIEW_LENGTH || preview.length % 4 !== 0) return '';
  return /^[A-Za-z0-9+/]+={0,2}$/.test(preview) ? preview : '';
}
