import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Selection } from '../../Public/js/edit/selection.js';
import { Camera } from '../../Public/js/model/camera.js';
import { Item } from '../../Public/js/model/item.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { AuthorLabel } from '../../Public/js/ui/authorLabel.js';
import { ADA, BEN } from './support.js';

const AT = Math.floor(new Date(2020, 0, 2, 10, 5).getTime() / 1000);
const TIME = '2 Jan 2020, 10:05';

mock.timers.enable({ apis: ['setTimeout'] });

test('the label appears after the mouse has rested on a stroke, and goes when it moves on', () => {
  const { hover, labels } = page({ author: BEN.number, editor: BEN.number, madeAt: AT });
  hover(50, 2);
  mock.timers.tick(499);
  assert.deepEqual(labels(), []);
  mock.timers.tick(1);
  assert.deepEqual(labels(), [`Ben · ${TIME}`]);
  hover(52, 2);
  assert.equal(labels().length, 1, 'a hand is never quite still');
  hover(90, 60);
  assert.deepEqual(labels(), []);
  mock.timers.tick(2000);
  assert.deepEqual(labels(), [], 'there is nothing');
});

test('the label appears only with a tool that does not draw, and while no button is down', () => {
  const { hover, labels, toolbar } = page({ author: BEN.number, editor: BEN.number, madeAt: AT });
  toolbar.tool = 'pen';
  hover(50, 0);
  mock.timers.tick(2000);
  assert.deepEqual(labels(), []);
  toolbar.tool = 'hand';
  hover(20, 0, { buttons: 1 });
  mock.timers.tick(2000);
  assert.deepEqual(labels(), []);
  hover(70, 0);
  mock.timers.tick(2000);
  assert.equal(labels().length, 1);
});

test('a held finger shows the label, which stays for a moment after the finger is lifted', () => {
  const { canvas, labels } = page({ author: BEN.number, editor: BEN.number, madeAt: AT });
  const finger = { pointerType: 'touch', isPrimary: true, offsetX: 50, offsetY: 0, buttons: 1 };
  send(canvas, 'pointerdown', finger);
  send(canvas, 'pointermove', { ...finger, offsetX: 55 });
  mock.timers.tick(500);
  assert.equal(labels().length, 1);
  send(canvas, 'pointerup', finger);
  send(canvas, 'pointerleave', finger);
  assert.equal(labels().length, 1);
  mock.timers.tick(3000);
  assert.deepEqual(labels(), []);
  send(canvas, 'pointerdown', finger);
  send(canvas, 'pointermove', { ...finger, offsetX: 80 });
  mock.timers.tick(2000);
  assert.deepEqual(labels(), [], 'the finger has moved');
});

test('an object that is selected by a key shows its label and is announced, unlike one that is selected by the mouse', () => {
  const { stroke, selection, labels, live } = page({ author: ADA.number, editor: BEN.number, madeAt: 0 });
  selection.choose([stroke.id]);
  mock.timers.tick(2000);
  assert.deepEqual(labels(), []);
  selection.choose([]);
  send(globalThis, 'keydown', {});
  selection.choose([stroke.id]);
  mock.timers.tick(500);
  assert.deepEqual(labels(), ['You · changed by Ben']);
  assert.equal(live.textContent, 'You · changed by Ben');
  send(globalThis, 'keydown', { key: 'Escape' });
  assert.deepEqual(labels(), []);
});

test('the label goes when the object or the view moves', () => {
  const { hover, labels, camera, shapes, stroke, frame } = page({ author: BEN.number, editor: BEN.number, madeAt: AT });
  const show = () => (hover(300, 300), hover(50, 0), mock.timers.tick(500));
  show();
  frame();
  assert.equal(labels().length, 1);
  camera.pan(1, 0);
  frame();
  assert.deepEqual(labels(), []);
  show();
  assert.equal(labels().length, 1);
  shapes.set(stroke.moved({ factor: 1, x: 0, y: 9 }));
  frame();
  assert.deepEqual(labels(), []);
});

/** @type {[string, object, string[]][]} */
const AUTHORS = [
  ['drew it here and is not connected yet', { author: 0, editor: 0, madeAt: AT }, [`You · ${TIME}`]],
  ['left', { author: 77, editor: 77, madeAt: AT }, [`Someone who left · ${TIME}`]],
  ['has joined again', { author: 4, editor: ADA.number, madeAt: AT }, [`You · ${TIME}`]],
];

for (const [who, origin, expected] of AUTHORS) {
  test(`the label of somebody who ${who}`, () => {
    const { hover, labels } = page(origin);
    hover(50, 0);
    mock.timers.tick(500);
    assert.deepEqual(labels(), expected);
  });
}

test('a picture has the author and the time of its attachment; without a session, only the time is shown', () => {
  const { hover, labels, items, sharing } = page({ author: 0, editor: 0, madeAt: 0 });
  const place = { x: 500, y: 500, width: 100, height: 100, z: 1 };
  const item = new Item({ id: 'i', name: 'a.png', contentType: 'image/png', size: 1, place });
  const createdAt = new Date(AT * 1000).toISOString();
  item.attachment = /** @type {any} */ ({ participant: BEN.number, createdAt });
  items.add(item);
  hover(500, 500);
  mock.timers.tick(500);
  assert.deepEqual(labels(), [`Ben · ${TIME}`]);
  sharing.session = null;
  hover(520, 520);
  mock.timers.tick(500);
  assert.deepEqual(labels(), [TIME]);
});

/**
 * A page with a stroke from (0, 0) to (100, 0), and its labels.
 * @param {object} origin of the stroke
 */
function page(origin) {
  /** @type {Set<any>} */
  const shown = new Set();
  const [layer, live] = [{ append: (/** @type {any} */ one) => shown.add(one) }, { textContent: '' }];
  const events = new EventTarget();
  Object.assign(globalThis, {
    innerWidth: 1000,
    innerHeight: 800,
    addEventListener: events.addEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
    document: {
      documentElement: { lang: 'en' },
      getElementById: (/** @type {string} */ id) => id === 'live' ? live : layer,
      createElement: () => ({
        style: { setProperty: () => {} },
        setAttribute: () => {},
        text: '',
        append(/** @type {any[]} */ ...parts) {
          this.text += parts.map((part) => part.text ?? part).join('');
        },
        remove() {
          shown.delete(this);
        },
      }),
    },
  });
  Object.defineProperty(globalThis, 'navigator', { value: { languages: ['en-GB'] }, configurable: true });
  const [shapes, items, index, camera] = [new Shapes(), new Items(), new ShapeIndex(), new Camera()];
  shapes.observe(index);
  const stroke = new Stroke({ id: 's', rgb: '#e5484d', color: 0, width: 6, tool: 'pen', z: 1, ...origin });
  stroke.append([0, 0, 100, 0], null);
  stroke.finish();
  shapes.set(stroke);
  const people = [ADA, BEN, { ...ADA, number: 4 }];
  const sharing = /** @type {any} */ ({
    session: {
      localParticipant: ADA,
      participant: (/** @type {number} */ number) => people.find((one) => one.number === number) ?? null,
    },
  });
  const toolbar = /** @type {any} */ (Object.assign(new EventTarget(), { tool: 'select' }));
  const canvas = /** @type {any} */ (new EventTarget());
  const selection = new Selection(shapes, items);
  /** @type {(() => void)[]} */
  const tasks = [];
  const frames = /** @type {any} */ ({ run: (/** @type {() => void} */ task) => tasks.push(task) });
  new AuthorLabel({ canvas, camera, plane: { shapes, items, index }, selection, toolbar, sharing, frames });
  return {
    canvas,
    camera,
    items,
    live,
    selection,
    shapes,
    sharing,
    stroke,
    toolbar,
    frame: () => tasks.forEach((task) => task()),
    labels: () => [...shown].map(({ text }) => text),
    /** @param {number} x @param {number} y @param {object} [more] */
    hover: (x, y, more = {}) =>
      send(canvas, 'pointermove', { pointerType: 'mouse', buttons: 0, offsetX: x, offsetY: y, ...more }),
  };
}

/** @param {any} target @param {string} type @param {object} properties */
function send(target, type, properties) {
  target.dispatchEvent(Object.assign(new Event(type), properties));
}
