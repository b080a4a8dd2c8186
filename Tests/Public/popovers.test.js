/** Popovers in browsers without the Popover API. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPopoversByClass } from '../../Public/js/ui/popoverFallback.js';
import { closePopover, openPopover } from '../../Public/js/ui/popovers.js';

test('a button opens its popover and closes it, and only one is open', () => {
  const { press, open } = oldBrowser();
  const steps = ['menu', 'inks', 'inks', 'menu'].map((id) => (press(id), open()));
  assert.deepEqual(steps, [['menu'], ['inks'], [], ['menu']]);
});

test('Escape closes the open popover, and so does the page', () => {
  const { press, open, escape } = oldBrowser();
  press('menu');
  assert.ok(openPopover());
  escape();
  assert.deepEqual([open(), openPopover()], [[], null]);
  press('inks');
  closePopover();
  closePopover();
  assert.deepEqual(open(), []);
});

/** The part of an old browser's document that the popovers use. */
function oldBrowser() {
  const window = new EventTarget();
  const ids = ['inks', 'menu'];
  const panels = new Map(ids.map((id) => [id, { classList: new Classes() }]));
  const buttons = new Map(ids.map((id) => [id, Object.assign(new EventTarget(), { getAttribute: () => id })]));
  const open = () => ids.filter((id) => panels.get(id)?.classList.contains('popover-open'));
  Object.assign(globalThis, {
    HTMLElement: class {},
    addEventListener: window.addEventListener.bind(window),
    document: {
      getElementById: (/** @type {string} */ id) => panels.get(id),
      querySelectorAll: () => buttons.values(),
      querySelector: (/** @type {string} */ selector) => {
        assert.equal(selector, ':is(:popover-open,.popover-open)');
        return panels.get(open()[0]) ?? null;
      },
    },
  });
  openPopoversByClass();
  return {
    open,
    press: (/** @type {string} */ id) => buttons.get(id)?.dispatchEvent(new Event('click')),
    escape: () => window.dispatchEvent(Object.assign(new Event('keydown'), { key: 'Escape' })),
  };
}

class Classes extends Set {
  /** @param {string} name */
  contains(name) {
    return this.has(name);
  }

  /** @param {string} name */
  remove(name) {
    this.delete(name);
  }

  /** @param {string} name @param {boolean} isOn */
  toggle(name, isOn) {
    if (isOn) this.add(name);
    else this.delete(name);
  }
}
