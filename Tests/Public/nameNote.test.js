import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { offerName } from '../../Public/js/ui/nameNote.js';

mock.timers.enable({ apis: ['setTimeout'] });

test('a person who has opened a link is told their name once the page is connected, and never again', () => {
  const { connect, notes, open, storage } = page();
  open('abc');
  assert.deepEqual(notes(), []);
  connect();
  assert.deepEqual(notes(), ['You are Rosy Badger']);
  connect();
  assert.equal(notes().length, 1);
  const later = page(storage);
  later.open('abc');
  later.connect();
  assert.deepEqual(later.notes(), []);
});

test('a person who shares their own page gets no note', () => {
  const { connect, notes, open } = page();
  open();
  connect();
  assert.deepEqual(notes(), []);
});

test('the note disappears when the name is changed, when the note is closed, and by itself unless it is used', () => {
  const first = page();
  first.open('abc');
  first.connect();
  let renamed = 0;
  first.people.addEventListener('rename', () => (renamed += 1));
  first.press('Change my name');
  assert.deepEqual([renamed, first.notes()], [1, []]);

  const second = page();
  second.open('abc');
  second.connect();
  second.press('Close');
  assert.deepEqual(second.notes(), []);

  const third = page();
  third.open('abc');
  third.connect();
  third.use(true);
  mock.timers.tick(30_000);
  assert.equal(third.notes().length, 1);
  third.use(false);
  mock.timers.tick(30_000);
  assert.deepEqual(third.notes(), []);
});

test('a person who has pressed their own chip before needs no note', () => {
  const { connect, notes, open, people } = page();
  open('abc');
  people.dispatchEvent(new Event('rename'));
  connect();
  assert.deepEqual(notes(), []);
});

test('a storage that is full does not stop the note', () => {
  const { connect, notes, open } = page({
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
    removeItem: () => {},
  });
  open('abc');
  connect();
  assert.equal(notes().length, 1);
});

/** A page that is not connected yet. @param {import('../../Public/js/ui/settings.js').KeyValueStorage} [storage] */
function page(storage = memory()) {
  /** @type {Set<any>} */
  const shown = new Set();
  let isUsed = false;
  const make = () => ({
    attributes: /** @type {Record<string, string>} */ ({}),
    parts: /** @type {any[]} */ ([]),
    listeners: /** @type {(() => void)[]} */ ([]),
    style: { setProperty: () => {} },
    setAttribute(/** @type {string} */ name, /** @type {string} */ value) {
      this.attributes[name] = value;
    },
    append(/** @type {any[]} */ ...parts) {
      this.parts.push(...parts);
    },
    addEventListener(/** @type {string} */ _type, /** @type {() => void} */ call) {
      this.listeners.push(call);
    },
    contains: () => false,
    matches: () => isUsed,
    remove() {
      shown.delete(this);
    },
    textContent: '',
    after: (/** @type {any} */ note) => shown.add(note),
  });
  Object.assign(globalThis, {
    document: { getElementById: make, createElement: make, createElementNS: make, activeElement: null },
  });
  const session = Object.assign(new EventTarget(), { isConnected: false, localParticipant: { color: '#0a5ad2' } });
  const sharing = Object.assign(new EventTarget(), { session: /** @type {any} */ (null) });
  const people = new EventTarget();
  const settings = { name: 'Rosy Badger', color: '#123456' };
  return {
    people,
    storage,
    /** @param {string} [id] of the session in the address */
    open: (id) => offerName(/** @type {any} */ ({ sharing, settings, storage, people, session: id })),
    connect: () => {
      sharing.session = session;
      sharing.dispatchEvent(new Event('session'));
      session.isConnected = true;
      session.dispatchEvent(new Event('connectionchange'));
    },
    notes: () => [...shown].map(({ parts }) => parts[1].parts[0]),
    /** @param {string} label of a button */
    press: (label) => {
      const [{ parts }] = shown;
      const button = parts.find((/** @type {any} */ part) => part.attributes['aria-label'] === label);
      for (const call of button.listeners) call();
    },
    use: (/** @type {boolean} */ value) => (isUsed = value),
  };
}

function memory() {
  /** @type {Map<string, string>} */
  const values = new Map();
  return {
    getItem: (/** @type {string} */ key) => values.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void values.set(key, value),
    removeItem: (/** @type {string} */ key) => void values.delete(key),
  };
}
