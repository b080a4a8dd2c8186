import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionInPath } from '../../Public/js/model/sessionPath.js';

const ID = 'AbCd-fGhIjKl_nOpQrStUw';

/** The texts that may be behind the id in a link. */
const AROUND = ['', '/', '.', ',', ')', '%20', '%3E', '?!', '.%20See%20you', '%E2%80%8B', '**', '_', '-)', '%'];
const LINKS = [...AROUND.map((rest) => `${ID}${rest}`), `%3C${ID}%3E`, `%22${ID}%22`, `(${ID})`, `%20${ID}`];
const DAMAGED = [ID.slice(1), ID.slice(0, 21), `${ID}A`, `${ID}${ID}`, 'x', '.', `${ID.slice(0, 9)}.${ID.slice(10)}`];

for (const name of LINKS) {
  test(`the link ${name} leads to the session`, () => assert.equal(sessionInPath(`/s/${name}`), ID));
}

for (const name of DAMAGED) {
  test(`the link ${name} is damaged`, () => assert.equal(sessionInPath(`/s/${name}`), ''));
}

for (const path of ['/', '/index.html', '/s', '/s/', `/${ID}`, `/s/${ID}/more`]) {
  test(`${path} is not a link to a session`, () => assert.equal(sessionInPath(path), null));
}
