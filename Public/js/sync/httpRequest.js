/** HTTP requests with the progress of their bodies. */

import { AttachmentError } from './errors.js';

/**
 * @typedef {object} HTTPRequest
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} [headers]
 * @property {ArrayBuffer | null} [body]
 * @property {(bytes: number) => void} [onProgress] how much of the body has gone out
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
    // Else a browser may take an answer without a type for XML, and complain of it.
    request.responseType = 'text';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // Listening to the upload makes the browser ask first when the gateway is elsewhere: only where it is wanted.
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

/** Nothing came back. */
export function unreachable() {
  return new AttachmentError('unavailable');
}
