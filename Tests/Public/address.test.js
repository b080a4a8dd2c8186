/** The address of the page, and the entries of the browser's history. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Address, addressOf } from '../../Public/js/app/address.js';
import { boardIn, sessionIn } from '../../Public/js/app/startPage.js';
import { keyOf } from './support.js';

const [A, B] = ['A'.repeat(22), 'B'.repeat(22)];
const [X, Y, Z] = [1, 2, 3].map(keyOf);

test('the board of an address or of an entry is opened, and then named by the entry only', () => {
  for (const none of ['', '?page=', '?page=X', `?page=${X}/1`]) assert.equal(boardIn(none, { board: 7 }), null, none);
  assert.deepEqual([boardIn(`?page=${X}`, { board: Y }), boardIn('', { board: Y })], [X, Y]);
  const { sharing, entries } = tab(`/?page=${X}#here`);
  sharing.shows(X);
  assert.deepEqual(entries, [['/#here', { board: X }]]);
});

test('the address of a session stays as it is, with its fragment', () => {
  const { sharing, entries } = tab(`/s/${A}#at=7`);
  sharing.shows(A, { isShared: true });
  assert.deepEqual(entries, [[`/s/${A}#at=7`, null]]);
  const slash = tab(`/s/${A}/`);
  slash.sharing.shows(A, { isShared: true });
  assert.deepEqual(slash.entries, [[`/s/${A}`, null]]);
});

test('a page that replaces another one gets an entry; a picture that moves between board and session keeps its entry', () => {
  const { sharing, entries, paths } = tab('/');
  sharing.shows(X);
  sharing.shows(A, { isShared: true });
  assert.deepEqual(paths(), [`/s/${A}`]);
  sharing.shows(B, { isShared: true });
  assert.deepEqual(paths(), [`/s/${A}`, `/s/${B}`]);
  sharing.shows(Y);
  sharing.shows(Z);
  assert.deepEqual(entries, [[`/s/${A}`, null], ['/', { board: Y }], ['/', { board: Z }]]);
});

test('after a session has ended, its page keeps its entry', () => {
  const { sharing, paths } = tab(`/s/${A}`);
  sharing.shows(A, { isShared: true });
  sharing.shows(A, { isShared: true, over: A });
  sharing.shows(X);
  assert.deepEqual(paths(), [`/s/${A}`, '/']);
  const again = tab(`/s/${A}`);
  again.sharing.shows(A, { isShared: true, over: A });
  again.sharing.shows(B, { isShared: true });
  assert.deepEqual(again.paths(), [`/s/${A}`, `/s/${B}`]);
});

test('Back and Forward load the page of their entry', () => {
  const { sharing, go, loads } = tab('/');
  sharing.shows(X);
  sharing.shows(Y);
  go(-1);
  assert.deepEqual(loads, [`/ ${X}`]);
});

test('an entry of the shown page does not load the page again', () => {
  const { sharing, browser, go, loads } = tab(`/s/${A}`);
  sharing.shows(A, { isShared: true });
  browser.history.pushState(null, '', `/s/${A}#tools`);
  go(-1);
  go(1);
  assert.deepEqual(loads, []);
  const board = tab('/');
  board.sharing.shows(X);
  board.browser.history.pushState(null, '', '/#tools');
  board.go(-1);
  board.go(1);
  assert.deepEqual(board.loads, []);
});

test('an entry of a link within the page leads back to its board after another page', () => {
  const { sharing, browser, go, entries, loads } = tab('/');
  sharing.shows(X);
  browser.history.pushState(null, '', '/#page=2');
  go(0);
  assert.deepEqual(entries, [['/', { board: X }], ['/#page=2', { board: X }]]);
  sharing.shows(Y);
  go(-1);
  assert.deepEqual(loads, [`/ ${X}`]);
});

test('after Back was pressed, a change of the session does not change the entry', () => {
  const { sharing, go, paths } = tab(`/s/${A}`);
  sharing.shows(A, { isShared: true });
  sharing.shows(B, { isShared: true });
  go(-1);
  sharing.shows('C'.repeat(22), { isShared: true });
  assert.deepEqual(paths(), [`/s/${A}`, `/s/${B}`]);
});

test('a page that is open already gets its entry when this part is loaded', () => {
  const { sharing, browser, entries } = tab('/', false);
  Object.assign(sharing, { pageId: X });
  new Address(sharing, browser);
  assert.deepEqual(entries, [['/', { board: X }]]);
});

test('the addresses in the list of pages open their pages', () => {
  for (const [id, isShared] of /** @type {[string, boolean][]} */ ([[A, true], [X, false]])) {
    const { pathname, search } = new URL(addressOf({ id, isShared }), 'https://draw.example/');
    assert.equal(sessionIn(pathname) ?? boardIn(search, null), id);
  }
  assert.deepEqual([sessionIn('/'), sessionIn('/s/short'), sessionIn(`/s/${A}/`)], [null, null, A]);
});

/** A tab's history, and the page that is shown in it. @param {string} path @param {boolean} [isLoaded] */
function tab(path, isLoaded = true) {
  /** @type {[string, any][]} */
  const entries = [[path, null]];
  let at = 0;
  /** @type {string[]} */
  const loads = [];
  const events = new EventTarget();
  const url = () => new URL(entries[at][0], 'https://draw.example/');
  const location = {
    get pathname() {
      return url().pathname;
    },
    get search() {
      return url().search;
    },
    get hash() {
      return url().hash;
    },
    reload: () => loads.push(`${url().pathname} ${entries[at][1]?.board}`),
  };
  const history = {
    get state() {
      return entries[at][1];
    },
    pushState: (/** @type {any} */ state, /** @type {string} */ _, /** @type {string} */ to) => {
      at += 1;
      entries.splice(at, Infinity, [to, state]);
    },
    replaceState: (/** @type {any} */ state, /** @type {string} */ _, /** @type {string} */ to) => {
      entries[at] = [to, state];
    },
  };
  const browser = /** @type {any} */ ({ location, history, addEventListener: events.addEventListener.bind(events) });
  const sharing = Object.assign(new EventTarget(), {
    pageId: /** @type {string | null} */ (null),
    isShared: false,
    over: /** @type {string | null} */ (null),
    shows: (/** @type {string} */ pageId, { isShared = false, over = /** @type {string | null} */ (null) } = {}) => {
      Object.assign(sharing, { pageId, isShared, over });
      sharing.dispatchEvent(new Event(isShared ? 'session' : 'opened'));
    },
  });
  if (isLoaded) new Address(sharing, browser);
  const go = (/** @type {number} */ steps) => {
    at += steps;
    events.dispatchEvent(new Event('popstate'));
  };
  return { sharing, browser, entries, loads, go, paths: () => entries.map(([one]) => one) };
}
