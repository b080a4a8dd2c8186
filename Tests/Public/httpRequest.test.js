import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sendRequest } from '../../Public/js/sync/httpRequest.js';

/** The part of `XMLHttpRequest` that the page uses. */
class FakeRequest {
  /** @type {FakeRequest} */
  static last;
  /** @type {any} */
  upload = {};
  /** @type {Record<string, string>} */
  headers = {};
  /** @type {unknown} */
  body = undefined;
  status = 0;
  responseText = '';
  responseType = '';
  /** @type {any} */
  onload = null;
  /** @type {any} */
  onerror = null;
  /** @type {any} */
  onabort = null;
  /** @type {any} */
  onloadend = null;
  aborts = 0;

  constructor() {
    FakeRequest.last = this;
  }

  /** @param {string} method @param {string} url */
  open(method, url) {
    this.opened = `${method} ${url}`;
  }

  /** @param {string} name @param {string} value */
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }

  /** @param {unknown} body */
  send(body) {
    this.body = body;
  }

  /** @param {string} name */
  getResponseHeader(name) {
    return name === 'Upload-Offset' ? '7' : null;
  }

  abort() {
    this.aborts += 1;
    this.onabort();
    this.onloadend();
  }
}

const { XMLHttpRequest: before } = globalThis;
beforeEach(() => Object.assign(globalThis, { XMLHttpRequest: FakeRequest }));
afterEach(() => Object.assign(globalThis, { XMLHttpRequest: before }));

test('sends the body, reports the progress, and returns the response', async () => {
  /** @type {number[]} */
  const progress = [];
  const body = new ArrayBuffer(7);
  const headers = { 'Tus-Resumable': '1.0.0' };
  const sending = sendRequest({ method: 'PATCH', url: '/u', headers, body, onProgress: (sent) => progress.push(sent) });
  const { last } = FakeRequest;
  assert.deepEqual([last.opened, last.headers, last.body === body, last.responseType], [
    'PATCH /u',
    headers,
    true,
    'text',
  ]);
  last.upload.onprogress({ loaded: 3 });
  Object.assign(last, { status: 204, responseText: 'x' });
  last.onload();
  last.onloadend();
  const { status, text, header } = await sending;
  assert.deepEqual([status, text, header('Upload-Offset'), progress], [204, 'x', '7', [3]]);
});

test('a missing response is an error with a code', async () => {
  const sending = sendRequest({ method: 'HEAD', url: '/u' });
  assert.deepEqual([FakeRequest.last.body, FakeRequest.last.upload], [null, {}]);
  FakeRequest.last.onerror();
  await assert.rejects(sending, { code: 'unavailable' });
});

test('an abort rejects with the signal’s reason, and has no effect after the end', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const sending = sendRequest({ method: 'HEAD', url: '/u', signal });
  const other = sendRequest({ method: 'HEAD', url: '/u', signal });
  const { last } = FakeRequest;
  last.onload();
  last.onloadend();
  await other;
  controller.abort();
  await assert.rejects(sending, (error) => error === signal.reason);
  assert.equal(last.aborts, 0);
  await assert.rejects(sendRequest({ method: 'HEAD', url: '/u', signal }), (error) => error === signal.reason);
});
