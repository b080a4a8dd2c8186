/** The record of the shown page in the list of pages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageRecorder } from '../../Public/js/app/pageRecorder.js';
import { newRecord } from '../../Public/js/persist/pageList.js';
import { Title } from '../../Public/js/protocol/titleSync.js';
import { quiet } from './support.js';

const ME = { name: 'Ada', color: '#e5484d' };

test('a board is recorded as soon as it has content, with its title and thumbnail', async () => {
  const page = new FakePage();
  await page.shows('X');
  await page.rests();
  assert.deepEqual(await page.records(), []);
  page.draw('stroke');
  await page.rests();
  assert.deepEqual(await page.records(), ['X “” [stroke]']);
  page.title.set('Plans');
  await page.rests();
  assert.deepEqual(await page.records(), ['X “Plans” [stroke]']);
});

test('a session is recorded once its picture is known, with the people in it', async () => {
  const page = new FakePage();
  await page.shows('A', { session: new FakeSession('A') });
  page.joins({ name: 'Ben', color: '#4f5fe8' }, ME, { name: 'Ben', color: '#4f5fe8' });
  await page.rests();
  assert.deepEqual(await page.records(), []);
  page.catchesUp();
  await page.rests();
  assert.deepEqual(await page.records(), ['A “” blank with Ben']);
  page.joins({ name: 'Cora', color: '#30a46c' });
  await page.rests();
  assert.deepEqual(await page.records(), ['A “” blank with Cora, Ben']);
});

test('a stored title is shown again, and a stored thumbnail stays until the picture is known', async () => {
  const page = new FakePage();
  page.stored.set(
    'A',
    newRecord('A', { isShared: true, title: 'Plans', people: ['Ben'], thumbnail: new Blob(['old']) }),
  );
  await page.shows('A', { session: new FakeSession('A') });
  assert.equal(page.title.text, 'Plans');
  await page.rests();
  assert.deepEqual(await page.records(), ['A “Plans” old with Ben']);
  page.draw('stroke');
  await page.rests();
  assert.deepEqual(await page.records(), ['A “Plans” [stroke] with Ben']);
});

test('a copy of a board has its title', async () => {
  const page = new FakePage();
  page.stored.set('X', newRecord('X', { title: 'Plans' }));
  page.sharing.copiedFrom = 'X';
  await page.shows('Y');
  page.draw('stroke');
  await page.rests();
  assert.deepEqual(await page.records(), ['X “Plans” blank', 'Y “Plans” [stroke]']);
});

test('a session that was entered before is recorded, with the people in it', async () => {
  const session = new FakeSession('A');
  session.activeParticipants = [{ name: 'Ben', color: '#4f5fe8', number: 2 }];
  const entering = new FakePage({ session });
  await entering.rests();
  assert.deepEqual(await entering.records(), []);
  const page = new FakePage({ session, isCaughtUp: true });
  await quiet();
  assert.deepEqual(await page.records(), ['A “” blank with Ben']);
});

test('a session that no longer existed when this part of the page was loaded is removed', async () => {
  const page = new FakePage({ gone: 'B' });
  await page.shows('X');
  assert.deepEqual(page.removed, ['B']);
});

test('a page that is replaced is stored with its own title and picture', async () => {
  const page = new FakePage();
  await page.shows('X');
  page.draw('one');
  page.title.set('First');
  page.leave();
  page.scene.all = [];
  page.sharing.pageId = null;
  page.title.clear();
  await page.shows('Y');
  page.draw('two');
  await page.rests();
  assert.deepEqual(await page.records(), ['X “First” [one]', 'Y “” [two]']);
});

test('the end of a session is recorded; a session that no longer exists is removed', async () => {
  const page = new FakePage();
  await page.shows('A', { session: new FakeSession('A') });
  page.catchesUp();
  page.draw('stroke');
  await page.shows('A', { over: 'A' });
  await quiet();
  assert.deepEqual(await page.records(), ['A “” [stroke] ended']);
  const session = new FakeSession('B');
  await page.shows('B', { session });
  page.catchesUp();
  await page.rests();
  page.sharing.gone = 'B';
  await page.shows('X');
  await page.rests();
  assert.deepEqual(await page.records(), ['A “” [stroke] ended', 'X “” [stroke]']);
});

test('a board that is shared has one record: that of its session', async () => {
  const page = new FakePage();
  await page.shows('X');
  page.draw('stroke');
  page.title.set('Plans');
  await page.rests();
  // A thumbnail of the board that is not finished yet does not bring its record back.
  page.draw('another');
  const saving = page.recorder.save();
  await page.shows('A', { session: new FakeSession('A') });
  await saving;
  assert.deepEqual(await page.records(), ['A “Plans” [stroke,another]']);
  // The picture of a session that is left is a page of its own.
  await page.shows('Y');
  await page.rests();
  assert.deepEqual(await page.records(), ['A “Plans” [stroke,another]', 'Y “Plans” [stroke,another]']);
});

test('an ended session that this device has no picture of is not recorded', async () => {
  const page = new FakePage();
  await page.shows('A', { session: new FakeSession('A') });
  await page.shows('A', { over: 'A' });
  await page.rests();
  assert.deepEqual(await page.records(), []);
});

test('without a change, no new thumbnail is made', async () => {
  const page = new FakePage();
  await page.shows('X');
  page.draw('stroke');
  await page.rests();
  for (let times = 0; times < 3; times += 1) await page.recorder.save();
  assert.equal(page.painted, 1);
});

test('if no thumbnail can be made, the page is recorded without one', async () => {
  const page = new FakePage();
  page.canPaint = false;
  await page.shows('X');
  page.draw('stroke');
  await page.rests();
  assert.deepEqual(await page.records(), ['X “” blank']);
});

/** A session with its people. */
class FakeSession extends EventTarget {
  /** @type {object[]} */
  activeParticipants = [];

  /** @param {string} id */
  constructor(id) {
    super();
    this.id = id;
  }
}

/** A page with its recorder. */
class FakePage {
  /** @type {Map<string, import('../../Public/js/persist/pageList.js').PageRecord>} */
  stored = new Map();
  /** @type {string[]} */
  removed = [];
  painted = 0;
  canPaint = true;
  title = new Title();
  sharing = Object.assign(new EventTarget(), {
    pageId: /** @type {string | null} */ (null),
    isShared: false,
    copiedFrom: /** @type {string | null} */ (null),
    over: /** @type {string | null} */ (null),
    gone: '',
    session: /** @type {any} */ (null),
  });
  drawing = new EventTarget();
  scene = {
    all: /** @type {any[]} */ ([]),
    get isEmpty() {
      return this.all.length === 0;
    },
    observe: (/** @type {any} */ observer) => (this.#observer = observer),
  };
  /** @type {any} */
  #observer = null;
  /** @type {(() => void)[]} */
  #later = [];

  /** @param {{ session?: FakeSession, isCaughtUp?: boolean, gone?: string }} [before] what has happened before */
  constructor({ session, isCaughtUp = false, gone = '' } = {}) {
    this.sharing.gone = gone;
    if (session) Object.assign(this.sharing, { pageId: session.id, isShared: true, session });
    this.recorder = new PageRecorder({
      sharing: this.sharing,
      drawing: this.drawing,
      scene: this.scene,
      title: this.title,
      list: {
        find: async (id) => this.stored.get(id) ?? null,
        put: async (record) => Boolean(this.stored.set(record.id, structuredClone(record))),
        remove: async ({ id }) => {
          this.removed.push(id);
          return this.stored.delete(id);
        },
        forget: async (id) => void this.stored.delete(id),
      },
      profile: ME,
      paint: async (drawables) => {
        this.painted += 1;
        if (!this.canPaint) throw new Error('No canvas.');
        return new Blob([`[${drawables}]`]);
      },
      later: (run) => this.#later.push(run),
      isCaughtUp: () => isCaughtUp,
      wallClock: () => 1,
    });
  }

  /** @param {string} id @param {{ session?: FakeSession, over?: string }} [options] */
  async shows(id, { session, over } = {}) {
    const isShared = Boolean(session ?? over);
    Object.assign(this.sharing, { pageId: id, isShared, session: session ?? null, over: over ?? null });
    this.sharing.dispatchEvent(new Event('session'));
    await quiet();
  }

  leave() {
    this.sharing.dispatchEvent(new Event('leave'));
  }

  catchesUp() {
    this.drawing.dispatchEvent(new Event('caughtup'));
  }

  /** @param {string} name of a drawable */
  draw(name) {
    this.scene.all = [...this.scene.all, name];
    this.#observer.shown(name);
  }

  /** @param {...object} people */
  joins(...people) {
    this.sharing.session.activeParticipants = people.map((one, number) => ({ ...one, number }));
    this.sharing.session.dispatchEvent(new Event('participantschange'));
  }

  /** Lets the page be idle. */
  async rests() {
    for (const run of this.#later.splice(0)) run();
    await quiet();
  }

  /** @returns {Promise<string[]>} */
  async records() {
    return await Promise.all([...this.stored.values()].map(async ({ id, title, people, thumbnail, isEnded }) => {
      const others = people.length > 0 ? ` with ${people.join(', ')}` : '';
      return `${id} “${title}” ${await thumbnail?.text() ?? 'blank'}${others}${isEnded ? ' ended' : ''}`;
    }));
  }
}
