import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Selection } from '../../Public/js/edit/selection.js';
import { Camera } from '../../Public/js/model/camera.js';
import { bindPastKeys } from '../../Public/js/ui/pastKeys.js';
import { INK, page } from './objectSupport.js';

class Field {
  /** @param {string} type */
  constructor(type) {
    this.type = type;
  }
}
class Choice {}

/** The dialog with a picture of two strokes. */
function dialogWithKeys() {
  Object.assign(globalThis, { HTMLInputElement: Field, HTMLSelectElement: Choice });
  globalThis.document ??= /** @type {any} */ ({ documentElement: { lang: 'en', dataset: {} } });
  const { shapes, items, scene, drawing } = page();
  for (const y of [0, 100]) {
    drawing.beginStroke({ ...INK, width: 4, tool: 'pen' }, [0, y, 50, y], null);
    drawing.endStroke();
  }
  const log = /** @type {string[]} */ ([]);
  const camera = new Camera();
  const view = {
    canvas: {},
    camera,
    selection: new Selection(shapes, items),
    room: { width: 500, height: 400 },
    showEverything: () => log.push('fit'),
    zoom: (/** @type {number} */ factor) => log.push(factor > 1 ? 'closer' : 'farther'),
  };
  const dialog = new EventTarget();
  bindPastKeys(/** @type {any} */ (dialog), {
    view: /** @type {any} */ (view),
    scene,
    session: () => null,
    play: () => log.push('play'),
    say: (text) => log.push(text),
    requestFrame: () => {},
  });
  /** @param {string} key @param {object} [target] @param {object} [modifiers] @returns {boolean} true if it was handled */
  const press = (key, target = view.canvas, modifiers = {}) => {
    const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...modifiers });
    Object.defineProperty(event, 'target', { value: target });
    dialog.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { view, log, press };
}

test('arrow keys move the picture on the canvas only, and Space plays on the slider only', () => {
  const { view, log, press } = dialogWithKeys();
  const slider = new Field('range');
  assert.deepEqual([press('ArrowLeft'), press('ArrowLeft', slider), view.camera.x], [true, false, -64]);
  assert.deepEqual([press(' '), press(' ', {}), press(' ', slider), log], [false, false, true, ['play']]);
  // While the key is held down, the playback does not stop again.
  assert.deepEqual([press(' ', slider, { repeat: true }), log], [true, ['play']]);
});

test('objects are selected by keys; Escape first clears the selection, and then closes the dialog', () => {
  const { view, log, press } = dialogWithKeys();
  assert.equal(press('.'), true);
  assert.equal(view.selection.size, 1);
  assert.match(log[0], /1 of 2/);
  assert.equal(press('a', {}, { ctrlKey: true }), true);
  assert.equal(view.selection.size, 2);
  assert.deepEqual([press('Escape'), view.selection.size, press('Escape')], [true, 0, false]);
});

test('keys of fields, of the browser and others are left alone', () => {
  const { log, press } = dialogWithKeys();
  const others = [
    press('a', new Field('text'), { ctrlKey: true }),
    press('f', new Choice()),
    press('f', {}, { ctrlKey: true }),
    press('f', {}, { altKey: true }),
    press('x'),
    press('toString'),
  ];
  assert.deepEqual([others.includes(true), log], [false, []]);
  for (const key of ['f', 'F', '+', '-']) assert.equal(press(key), true);
  assert.deepEqual(log, ['fit', 'fit', 'closer', 'farther']);
});
