/** Following, among several pages with their own cameras and windows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../../Public/js/model/camera.js';
import { Followers, FORGET_MS, MAX_FOLLOWERS } from '../../Public/js/protocol/followers.js';
import { Following, WAIT_MS } from '../../Public/js/protocol/following.js';
import { TransientType } from '../../Public/js/protocol/transientMessages.js';
import { viewOn } from '../../Public/js/model/sheetBorders.js';
import { originOf, sheetOf } from '../../Public/js/model/sheets.js';
import { FollowController } from '../../Public/js/ui/followController.js';

const SECOND = 1000;
/** The sizes of the windows: a desk, a phone, and a wide screen. */
const SIZES = [{ width: 1000, height: 700 }, { width: 390, height: 844 }, { width: 1600, height: 600 }];

test('a follower sees the whole view of the leader, as large as it fits, and moves with it', () => {
  const { pages: [ana, ben], run } = meeting(2);
  ana.camera.zoom(2, 300, 200);
  ben.follow(ana);
  run(2 * SECOND);
  showsWhole(ben, ana);
  ana.camera.pan(-900, 400);
  run(2 * SECOND);
  showsWhole(ben, ana);
  assert.deepEqual(ana.followers, [ben.number]);
  assert.equal(ben.followed, 'Person 1');
});

test('with reduced motion, the follower jumps', () => {
  const { pages: [ana, ben], frame } = meeting(2, { glides: false });
  ana.camera.pan(-5000, 0);
  ben.follow(ana);
  frame();
  frame();
  showsWhole(ben, ana);
});

test('no view is sent while nobody follows', () => {
  const { pages: [ana, ben], run, sent } = meeting(2);
  ana.camera.pan(50, 50);
  run(5 * SECOND);
  assert.equal(sent.length, 0);
  ben.follow(ana);
  run(3 * SECOND);
  ben.controller.stop();
  run(SECOND);
  sent.length = 0;
  ana.camera.pan(50, 50);
  run(5 * SECOND);
  assert.deepEqual(sent, []);
});

test('views are sent at most 20 times a second, and rarely if nothing moves', () => {
  const { pages: [ana, ben], frame, run, sent } = meeting(2);
  ben.follow(ana);
  run(SECOND);
  sent.length = 0;
  for (let at = 0; at < 180; at += 1) {
    ana.camera.pan(3, 0);
    frame();
  }
  const views = () => sent.filter(({ type }) => type === TransientType.view).length;
  assert.ok(views() <= 61 && views() > 40, `${views()} in 3 seconds`);
  run(SECOND);
  sent.length = 0;
  run(10 * SECOND);
  assert.ok(views() <= 6, `${views()} in 10 seconds`);
});

for (const act of ['pan', 'zoom', 'stop']) {
  test(`the follower ends the following: ${act}`, () => {
    const { pages: [ana, ben], run } = meeting(2);
    ben.follow(ana);
    run(SECOND);
    if (act === 'pan') ben.camera.pan(10, 0);
    else if (act === 'zoom') ben.camera.zoom(1.2, 5, 5);
    else ben.controller.stop();
    run(SECOND);
    const { x, y } = ben.camera;
    ana.camera.pan(-700, 0);
    run(SECOND);
    assert.deepEqual([ben.followed, ana.followers, ben.camera.x, ben.camera.y], [null, [], x, y]);
  });
}

test('the follower sees another sheet as soon as the leader does, and still follows', () => {
  const { pages: [ana, ben], run } = meeting(2, { hasSheets: true });
  ben.follow(ana);
  run(SECOND);
  ana.reach({ left: 100_000, top: 0, right: 100_100, bottom: 100 });
  ana.camera.pan(-3000, 40);
  run(2 * SECOND);
  assert.equal(ben.followed, 'Person 1');
  assert.deepEqual([ana.sheet, ben.sheet], [2, 2]);
  showsWhole(ben, ana);
  ben.controller.goTo({ left: 0, top: 0, right: 500, bottom: 500 });
  run(2 * SECOND);
  assert.deepEqual([ben.sheet, ben.followed], [1, null]);
});

test('a view that is limited again without a change does not end the following', () => {
  const { pages: [ana, ben], run } = meeting(2);
  ben.follow(ana);
  run(SECOND);
  // This happens when the page gets its second sheet, or when the window is resized.
  ben.camera.pan(0, 0);
  run(SECOND);
  assert.equal(ben.followed, 'Person 1');
});

test('a follower whose sheet is removed still follows, and waits for the next view', () => {
  const { pages: [ana, ben], run, net } = meeting(2, { hasSheets: true });
  ben.follow(ana);
  ana.reach({ left: 100_000, top: 0, right: 100_100, bottom: 100 });
  run(SECOND);
  assert.equal(ben.sheet, 2);
  // Ben's page learns of the removal first.
  net.away.add(ana);
  ben.reach({ left: 0, top: 0, right: 100, bottom: 100 });
  ben.controller.sheetRemoved();
  run(100);
  assert.deepEqual([ben.followed, ben.sheet, ben.camera.isHome], ['Person 1', 1, true]);
  net.away.delete(ana);
  ana.reach({ left: 100_000, top: 100_000, right: 100_100, bottom: 100_100 });
  run(SECOND);
  assert.deepEqual([ben.followed, ben.sheet], ['Person 1', 3]);
});

test('a movement of the follower ends the following even before the first view', () => {
  const { pages: [ana, ben], run, net } = meeting(2);
  net.loss = () => true;
  ben.follow(ana);
  run(SECOND);
  ben.camera.pan(10, 0);
  run(100);
  assert.equal(ben.followed, null);
});

test('lost messages are compensated by repeated ones', () => {
  const { pages: [ana, ben], run, net } = meeting(2);
  net.loss = () => true;
  ben.follow(ana);
  run(SECOND);
  assert.deepEqual(ana.followers, []);
  net.loss = () => false;
  run(7 * SECOND);
  showsWhole(ben, ana);
  // The last of several views is lost.
  net.loss = ({ type }) => type === TransientType.view;
  ana.camera.pan(-2000, 0);
  run(SECOND);
  net.loss = () => false;
  run(4 * SECOND);
  showsWhole(ben, ana);
  // The end of the following is lost.
  net.loss = ({ type }) => type === TransientType.follow;
  ben.controller.stop();
  run(FORGET_MS + 2 * SECOND);
  assert.deepEqual(ana.followers, []);
});

test('a follower that vanishes is forgotten', () => {
  const { pages: [ana, ben], run } = meeting(2);
  ben.follow(ana);
  run(SECOND);
  ben.isFrozen = true;
  run(FORGET_MS + 2 * SECOND);
  assert.deepEqual(ana.followers, []);
  ben.isFrozen = false;
  run(6 * SECOND);
  assert.deepEqual(ana.followers, [ben.number]);
});

test('in a chain of followers, all show the view of the first person, and the view does not grow', () => {
  const { pages: [ana, ben, cem], run } = meeting(3);
  ben.follow(ana);
  cem.follow(ben);
  ana.camera.zoom(1.5, 0, 0);
  ana.camera.pan(-3000, 700);
  run(3 * SECOND);
  showsWhole(ben, ana);
  showsWhole(cem, ana);
  ben.controller.stop();
  ben.camera.pan(100, 100);
  run(3 * SECOND);
  showsWhole(cem, ben);
});

for (const length of [2, 3]) {
  test(`in a circle of ${length} followers, nothing moves by itself, and the person who moves leads`, () => {
    const { pages, run } = meeting(length);
    pages.forEach((page, at) => {
      page.camera.pan(400 * at, 0);
      page.follow(pages[(at + 1) % length]);
      run(SECOND);
    });
    run(5 * SECOND);
    const before = pages.map(({ camera }) => [camera.version, camera.scale]);
    run(20 * SECOND);
    assert.deepEqual(pages.map(({ camera }) => [camera.version, camera.scale]), before);
    // A page in the circle that moves stops following, which opens the circle.
    const [first] = pages;
    first.camera.pan(-1234, 0);
    run(5 * SECOND);
    assert.equal(first.followed, null);
    for (const page of pages.slice(1)) showsWhole(page, first);
  });
}

test('pages that follow each other at the same moment come to rest', () => {
  const { pages: [ana, ben], run } = meeting(2);
  ana.camera.pan(500, 0);
  ana.follow(ben);
  ben.follow(ana);
  run(10 * SECOND);
  const before = [ana.camera.version, ben.camera.version];
  run(10 * SECOND);
  assert.deepEqual([ana.camera.version, ben.camera.version], before);
});

test('of a person with two tabs, the tab that moved last is shown', () => {
  const { pages: [one, two, ben], run } = meeting(3, { persons: [0, 0, 1] });
  ben.follow(one);
  run(2 * SECOND);
  one.camera.pan(-800, 0);
  run(3 * SECOND);
  showsWhole(ben, one);
  two.camera.pan(0, -900);
  run(3 * SECOND);
  showsWhole(ben, two);
  // A view that the other tab repeats unchanged is no movement.
  run(10 * SECOND);
  showsWhole(ben, two);
  assert.deepEqual([one.followers, two.followers], [[ben.number], [ben.number]]);
});

test('a leader who comes back is followed again, and one who stays away is given up', () => {
  const { pages: [ana, ben], run, net } = meeting(2);
  ben.follow(ana);
  run(SECOND);
  net.away.add(ana);
  net.announce();
  run(3 * SECOND);
  assert.equal(ben.followed, 'Person 1');
  // After a reload that lost the tab's storage, the leader has another number.
  ana.number = 17;
  net.away.delete(ana);
  net.announce();
  ana.camera.pan(-900, 0);
  run(3 * SECOND);
  showsWhole(ben, ana);
  net.away.add(ana);
  net.announce();
  run(WAIT_MS + 2 * SECOND);
  assert.deepEqual([ben.followed, ben.events.at(-1)], [null, { name: 'Person 1', isGone: true }]);
});

test('after a new page for all, the leader is still followed, under another number', () => {
  const { pages: [ana, ben], run, net } = meeting(2);
  ben.follow(ana);
  run(SECOND);
  for (const page of [ana, ben]) page.controller.sessionChanged(false);
  [ana.number, ben.number] = [2, 1];
  net.announce();
  // Each page shows the new picture first.
  ben.camera.home();
  ana.camera.pan(-900, 0);
  run(3 * SECOND);
  showsWhole(ben, ana);
  for (const page of [ana, ben]) page.controller.sessionChanged(true);
  assert.equal(ben.followed, null);
});

const INVALID = [
  {},
  { view: null },
  { view: [0, 0, 10] },
  { view: [0, 0, 10, 10, 10] },
  { view: [0, 0, 10, '10'] },
  { view: [0, 0, 10, null] },
  { view: [10, 0, 0, 10] },
  { view: [0, 0, 0.5, 10] },
  { view: [0, 0, 1e7, 10] },
  { view: { left: 0 } },
  { view: [0, 0, 10, 10], of: 'you' },
  { view: [0, 0, 10, 10], of: 1 },
];

for (const message of INVALID) {
  test(`ignored: ${JSON.stringify(message)}`, () => {
    const following = new Following(() => {});
    following.start({ name: 'Ben', color: '#000000', numbers: [2] }, 0);
    assert.equal(following.receive(2, message, 1), false);
    assert.equal(following.view, null);
  });
}

test('views of participants who are not followed are ignored', () => {
  const following = new Following(() => {});
  assert.equal(following.receive(2, { view: [0, 0, 10, 10] }, 1), false);
  following.start({ name: 'Ben', color: '#000000', numbers: [2] }, 0);
  assert.equal(following.receive(3, { view: [0, 0, 10, 10] }, 1), false);
  assert.equal(following.receive(2, { view: [0, 0, 10, 10] }, 1), true);
});

test('the number of followers is bounded', () => {
  const followers = new Followers(() => {});
  for (let number = 1; number <= MAX_FOLLOWERS + 500; number += 1) followers.receive(number, {}, 0);
  assert.equal(followers.numbers.length, MAX_FOLLOWERS);
});

/**
 * Pages in one session, with a network and a clock.
 * @param {number} count @param {{ glides?: boolean, persons?: number[], hasSheets?: boolean }} [options] `persons`: the person of
 *   each page
 */
function meeting(count, { glides = true, persons = [0, 1, 2], hasSheets = false } = {}) {
  const clock = { time: 0 };
  /** @type {{ type: string, from: Page, message: any, to: number[] }[]} */
  const sent = [];
  const net = {
    /** @type {(message: { type: string }) => boolean} */
    loss: () => false,
    /** The pages that have left the session. @type {Set<Page>} */
    away: new Set(),
    /** Reports the participants to all pages. */
    announce: () => {
      const here = pages.filter((page) => !net.away.has(page));
      for (const page of here) {
        page.controller.keepOnly((number) => here.some((one) => one.number === number));
        page.controller.peopleChanged(peopleFor(page));
      }
    },
  };
  const peopleFor = (/** @type {Page} */ page) => {
    const others = pages.filter((one) => !net.away.has(one) && one.person !== page.person);
    return [...new Set(others.map(({ person }) => person))].map((person) => ({
      name: `Person ${person + 1}`,
      color: '#e5484d',
      numbers: others.filter((one) => one.person === person).map(({ number }) => number),
    }));
  };

  class Page {
    camera = new Camera();
    sheet = 1;
    isFrozen = false;
    /** @type {object[]} */
    events = [];
    /** @type {Map<string, (sender: number, message: any) => void>} */
    receivers = new Map();

    /** @param {number} at */
    constructor(at) {
      this.number = at + 1;
      this.person = persons[at];
      this.size = SIZES[at % SIZES.length];
      const { width, height } = this.size;
      if (hasSheets) this.camera.limit = (view) => viewOn(view, this.sheet, width, height);
      this.controller = new FollowController({
        messages: /** @type {any} */ ({
          on: (/** @type {string} */ type, /** @type {any} */ receive) => this.receivers.set(type, receive),
          send: (/** @type {string} */ type, /** @type {object} */ message, /** @type {number[]} */ to) =>
            sent.push({ type, from: this, message: JSON.parse(JSON.stringify(message)), to }),
        }),
        camera: this.camera,
        view: this.size,
        glides: () => glides,
        reach: (bounds) => this.reach(bounds),
        me: () => this.number,
        show: () => {},
        requestFrame: () => {},
        now: () => clock.time,
      });
      this.controller.addEventListener('follow', (event) => {
        this.events.push(/** @type {CustomEvent} */ (event).detail);
      });
    }

    /** Shows the sheet of a part of the plane. @param {import('../../Public/js/model/stroke.js').Bounds} bounds */
    reach(bounds) {
      if (!hasSheets || this.sheet === sheetOf(bounds)) return false;
      this.sheet = sheetOf(bounds);
      [this.camera.homeX, this.camera.homeY] = originOf(this.sheet);
      this.camera.home();
      return true;
    }

    get followed() {
      return this.controller.person?.name ?? null;
    }

    get followers() {
      return this.controller.followers;
    }

    /** @param {Page} leader */
    follow(leader) {
      const person = peopleFor(this).find(({ numbers }) => numbers.includes(leader.number));
      if (person) this.controller.toggle(person);
    }
  }

  const pages = Array.from({ length: count }, (_, at) => new Page(at));
  let read = 0;
  const deliver = () => {
    if (read > sent.length) read = 0;
    const fresh = sent.slice(read);
    read = sent.length;
    for (const { type, from, message, to } of fresh) {
      if (net.away.has(from) || net.loss({ type })) continue;
      for (const page of pages) {
        if (page.isFrozen || net.away.has(page) || page === from || !to.includes(page.number)) continue;
        page.receivers.get(type)?.(from.number, message);
      }
    }
  };
  let tickedAt = 0;
  const frame = () => {
    clock.time += 1000 / 60;
    deliver();
    const isTick = clock.time - tickedAt >= SECOND;
    if (isTick) tickedAt = clock.time;
    for (const page of pages) {
      if (page.isFrozen || net.away.has(page)) continue;
      if (isTick) page.controller.tick(clock.time);
      page.controller.frame(clock.time);
    }
  };
  const run = (/** @type {number} */ ms) => {
    for (const end = clock.time + ms; clock.time < end;) frame();
  };
  return { pages, run, frame, sent, net };
}

/** @param {any} follower @param {any} leader @returns {number} */
function fittingScale(follower, leader) {
  const { left, right, top, bottom } = leader.camera.seen(leader.size.width, leader.size.height);
  return Math.min(follower.size.width / (right - left), follower.size.height / (bottom - top));
}

/** The follower shows the leader's view in the middle, as large as it fits. @param {any} follower @param {any} leader */
function showsWhole(follower, leader) {
  const seen = follower.camera.seen(follower.size.width, follower.size.height);
  const wanted = leader.camera.seen(leader.size.width, leader.size.height);
  const pixels = follower.camera.scale;
  assert.ok(Math.abs(pixels / fittingScale(follower, leader) - 1) < 0.002, `scale ${pixels}`);
  for (const [one, other] of [['left', 'right'], ['top', 'bottom']]) {
    const distance = (seen[one] + seen[other] - wanted[one] - wanted[other]) / 2 * pixels;
    assert.ok(Math.abs(distance) < 1, `${one}: ${distance} pixels off`);
  }
}
