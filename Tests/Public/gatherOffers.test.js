/** The requests of other participants to see their part of the page. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { GatherOffers } from '../../Public/js/ui/gatherOffers.js';

const SECOND = 1000;
const VIEW = { left: 100, top: 200, right: 300, bottom: 400 };
const HERE = { left: 0, top: 0, right: 10, bottom: 10 };

/** Ends the timers of a test. */
let end = () => {};
afterEach(() => end());

test('a person who was just active gets an offer, and goes there by a click', () => {
  const { offers, clock, input, gather, gone, press } = page();
  clock.now = 60 * SECOND;
  input();
  gather(2);
  assert.deepEqual([offers(), gone], [['P2 wants to show you something: Go there'], []]);
  press('Go there');
  assert.deepEqual([offers(), gone], [[], [VIEW]]);
});

test('a person who only watches is brought there, and can go back', () => {
  const { offers, clock, gather, gone, press } = page();
  clock.now = 60 * SECOND;
  gather(2);
  assert.deepEqual([offers(), gone], [['P2 brought you here: Back'], [VIEW]]);
  press('Back');
  assert.deepEqual(gone, [VIEW, HERE]);
  // From now on, the requests of that participant are only offers.
  clock.now += 60 * SECOND;
  gather(2);
  gather(3);
  assert.deepEqual(offers(), ['P2 wants to show you something: Go there', 'P3 brought you here: Back']);
});

test('after two requests, going back leads to the view before the first one', () => {
  const { clock, gather, gone, press, seen } = page();
  clock.now = 60 * SECOND;
  gather(2);
  seen.view = VIEW;
  gather(2, [500, 0, 600, 100]);
  press('Back');
  assert.deepEqual(gone, [VIEW, { left: 500, top: 0, right: 600, bottom: 100 }, HERE]);
});

test('an offer disappears once its sender is followed', () => {
  const { offers, clock, gather, withdraw } = page();
  clock.now = 60 * SECOND;
  gather(2);
  gather(3);
  withdraw([3, 7]);
  assert.deepEqual(offers(), ['P2 brought you here: Back']);
});

test('a person who draws gets an offer, however long the stroke takes', () => {
  const { offers, clock, gather, busy } = page();
  clock.now = 60 * SECOND;
  busy.is = true;
  gather(2);
  assert.deepEqual(offers(), ['P2 wants to show you something: Go there']);
});

test('a flood from one participant is one offer, and a few offers are shown at once', () => {
  const { offers, clock, gather, gone, keepOnly } = page();
  clock.now = 60 * SECOND;
  for (let at = 0; at < 1000; at += 1) gather(2);
  assert.equal(gone.length, 2);
  assert.equal(offers().length, 1);
  for (let number = 3; number < 100; number += 1) gather(number);
  assert.equal(offers().length, 3);
  keepOnly((number) => number === 99);
  assert.deepEqual(offers(), ['P99 brought you here: Back']);
});

for (const view of [null, [], [0, 0, 0, 0], 'here', [0, 0, 1e9, 1]]) {
  test(`ignored: ${JSON.stringify(view)}`, () => {
    const { offers, gather } = page();
    gather(2, view);
    assert.deepEqual(offers(), []);
  });
}

/** A page with the parts of a document that the offers use. */
function page() {
  const window = new EventTarget();
  const clock = { now: 0 };
  const busy = { is: false };
  const seen = { view: HERE };
  /** @type {object[]} */
  const gone = [];
  const document = {
    createElement: (/** @type {string} */ tag) => new Part(tag),
    createElementNS: () => new Part('svg'),
  };
  const toasts = new Part('section');
  Object.assign(globalThis, {
    addEventListener: window.addEventListener.bind(window),
    document: { ...document, getElementById: () => toasts, activeElement: null },
  });
  const offers = new GatherOffers({
    author: (number) => ({ name: `P${number}`, color: '#e5484d' }),
    view: () => seen.view,
    isBusy: () => busy.is,
    go: (bounds) => gone.push(bounds),
  }, () => clock.now);
  end = () => offers.keepOnly(() => false);
  const buttonsOf = (/** @type {Part} */ shown) => shown.children.filter(({ tag }) => tag === 'button');
  return {
    clock,
    busy,
    seen,
    gone,
    input: () => window.dispatchEvent(new Event('keydown')),
    gather: (/** @type {number} */ number, /** @type {unknown} */ view = [100, 200, 300, 400]) =>
      offers.receive(number, { view }),
    keepOnly: (/** @type {(number: number) => boolean} */ isHere) => offers.keepOnly(isHere),
    withdraw: (/** @type {number[]} */ numbers) => offers.withdraw(numbers),
    offers: () => toasts.children.map((shown) => `${shown.children[1].text}: ${buttonsOf(shown)[0].text}`),
    press: (/** @type {string} */ text) => {
      const button = toasts.children.flatMap(buttonsOf).find((one) => one.text === text);
      button?.dispatchEvent(new Event('click'));
    },
  };
}

/** A fake element. */
class Part extends EventTarget {
  /** @type {Part[]} */
  children = [];
  /** @type {Part | null} */
  parent = null;
  text = '';
  textContent = '';
  style = { setProperty: () => {} };

  /** @param {string} tag */
  constructor(tag) {
    super();
    this.tag = tag;
  }

  setAttribute() {}

  contains() {
    return false;
  }

  /** @param {...(Part | string)} parts */
  append(...parts) {
    for (const one of parts) {
      if (typeof one === 'string') this.text += one;
      else {
        one.parent = this;
        this.children.push(one);
      }
    }
  }

  remove() {
    const siblings = this.parent?.children ?? [];
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
  }
}
