import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForThisDeviceOnly, networkLinks } from '../../Public/js/ui/networkLinks.js';

const PATH = '/s/AAAAAAAAAAAAAAAAAAAAAA';

/** @param {unknown} answer @returns {any} a server that gives it */
const answering = (answer) => async () => ({ json: async () => answer });

test('the gateway is asked for the links of the session', async () => {
  /** @type {string[]} */
  const asked = [];
  const links = [`https://192.0.2.7:8443${PATH}`, `http://[2001:db8::7]:8080${PATH}`];
  const load = (/** @type {URL} */ address) => {
    asked.push(address.href);
    return answering({ networkLinks: links })();
  };
  assert.deepEqual(await networkLinks(`http://localhost:8080${PATH}`, /** @type {any} */ (load)), links);
  assert.deepEqual(asked, ['http://localhost:8080/api/sessions/AAAAAAAAAAAAAAAAAAAAAA']);
});

/** @type {[string, unknown][]} */
const USELESS = [
  ['an earlier gateway', { id: 'A' }],
  ['another value', { networkLinks: 'https://192.0.2.7/' }],
  ['no object', null],
  ['other types', { networkLinks: [7, null, {}, ['https://192.0.2.7']] }],
  ['a script', { networkLinks: [`javascript:alert(1)//${PATH}`] }],
  ['no address', { networkLinks: ['https://', 'https://[', `//192.0.2.7${PATH}`] }],
  ['another page', { networkLinks: ['https://192.0.2.7/s/BBBBBBBBBBBBBBBBBBBBBA', 'https://192.0.2.7/'] }],
  ['this device', { networkLinks: [`https://127.0.0.1${PATH}`] }],
];

for (const [name, answer] of USELESS) {
  test(`no link is offered from ${name}`, async () => {
    assert.deepEqual(await networkLinks(`http://localhost${PATH}`, answering(answer)), []);
  });
}

test('a server that does not answer has no links', async () => {
  const load = /** @type {any} */ (() => Promise.reject(new TypeError('It is gone.')));
  assert.deepEqual(await networkLinks(`http://localhost${PATH}`, load), []);
});

test('a list without end is cut off', async () => {
  const links = Array.from({ length: 1000 }, (_, at) => `http://192.0.2.7:${1000 + at}${PATH}`);
  assert.equal((await networkLinks(`http://localhost${PATH}`, answering({ networkLinks: links }))).length, 16);
});

test('addresses of this device are recognized', () => {
  for (const host of ['localhost:8080', '127.0.0.1', '127.1.2.3:80', '[::1]:8443', 'draw.localhost']) {
    assert.ok(isForThisDeviceOnly(`https://${host}${PATH}`), host);
  }
  for (const host of ['localhost.example', '192.168.1.2', '[2001:db8::1]', 'notlocalhost', '127.example']) {
    assert.ok(!isForThisDeviceOnly(`https://${host}${PATH}`), host);
  }
});
