/** The setting in the menu that turns snapping off, for devices without an Alt key too. */

import { laterStrings } from '../i18n/later.js';
import { element, make, makeSVG } from './elements.js';
import { storageOr } from './settings.js';

const SNAP = 'drawtogether:snap';
const MAGNET = 'M6.5 4.5h4V12a1.5 1.5 0 0 0 3 0V4.5h4V12a5.5 5.5 0 0 1-11 0zM6.5 8h4M13.5 8h4';

/** Adds the setting to the menu. @param {import('../tools/snapping.js').Snapping} snapping */
export function offerSnapping(snapping) {
  const storage = storageOr(() => localStorage);
  const icon = makeSVG(
    'svg',
    { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    makeSVG('path', { d: MAGNET }),
  );
  const button = make('button', { type: 'button', id: 'snap' }, icon, make('span', {}, laterStrings.snapToObjects));
  const show = () => button.setAttribute('aria-pressed', String(snapping.isOn));
  snapping.isOn = storage.getItem(SNAP) !== 'off';
  button.addEventListener('click', () => {
    snapping.isOn = !snapping.isOn;
    show();
    try {
      storage.setItem(SNAP, snapping.isOn ? 'on' : 'off');
    } catch {
      // Storage is full: the setting lasts until the page is closed.
    }
  });
  show();
  element('fingers').after(button);
}
