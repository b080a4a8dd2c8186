/** HTTP requests with the progress of their bodies. */

import { AttachmentError } from './errors.js';

/**
 * @typedef {object} HTTPRequest
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} [headers]
 * @property {ArrayBuffer | null} [body]
 * @property {(bytes: number) => void} [onProgress] called with the number of sent bytes of the body
 * @property {AbortSignal} [signal]
 *
 * @typedef {object} HTTPAnswer
 * @property {number} status
 * @property {(name: string) => string | null} header
 * @property {string} text
 */

/** @param {HTTPRequest} request @returns {Promise<HTTPAnswer>} @throws {AttachmentError} `unavailable`; or the signal's reason */
export function sendRequest({ method, url, headers = {}, body = null, onProgress, signal }) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const lifetime = new AbortController();
    request.open(method, url);
    // Otherwise a browser may parse an answer without a type as XML, and report an error.
    request.responseType = 'text';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // A listener for the upload causes a preflight request if the gateway has another origin.
    if (onProgress) request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () =>
      resolve({
        status: request.status,
        header: (name) => request.getResponseHeader(name),
        text: request.responseText,
      });
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal?.reason ?? unreachable());
    request.onloadend = () => lifetime.abort();
    signal?.addEventListener('abort', () => request.abort(), { signal: lifetime.signal });
    request.send(body);
  });
}

/** No answer came back. */
export function unreachable() {
  return new AttachmentError('unavailable');
}
