/** The keys of the time machine. */

import { show } from '../model/viewPlace.js';
import { joinParts, laterStrings } from '../i18n/later.js';
import { CLOSER } from './canvasView.js';
import { authorOf } from './objectAuthor.js';
import { nameOfGroup } from './objectNames.js';
import { stepToObject } from './objectStepper.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 *
 * @typedef {object} Parts
 * @property {import('./pastView.js').PastView} view
 * @property {import('../model/scene.js').Scene} scene of the past
 * @property {() => import('../sync/groupSession.js').GroupSession | null} session
 * @property {() => void} play plays or pauses
 * @property {(text: string) => void} say shows and announces a text
 * @property {() => void} requestFrame
 */

/** The distance by which an arrow key moves the picture, in pixels. */
const STEP = 64;
/** @type {ReadonlyMap<string, [number, number]>} */
const ARROWS = new Map([
  ['arrowleft', [STEP, 0]],
  ['arrowright', [-STEP, 0]],
  ['arrowup', [0, STEP]],
  ['arrowdown', [0, -STEP]],
]);

/** @param {HTMLElement} dialog @param {Parts} parts */
export function bindPastKeys(dialog, parts) {
  dialog.addEventListener('keydown', (event) => {
    const { target, key } = event;
    // Fields have keys of their own: the text of a link can be selected.
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement && target.type === 'text') return;
    const isMod = event.ctrlKey || event.metaKey;
    const name = key.toLowerCase();
    const action = isMod || event.altKey ? null : actionOf(name, target, parts);
    if (isMod && name === 'a') chooseAll(parts);
    else if (!action) return;
    else if (!event.repeat || name !== ' ') action();
    event.preventDefault();
    parts.requestFrame();
  });
}

/** @param {string} key in lower case @param {EventTarget | null} target @param {Parts} parts @returns {(() => void) | null} */
function actionOf(key, target, parts) {
  const { view, play } = parts;
  const arrow = ARROWS.get(key);
  // Arrow keys move the slider if it has the focus, and Space presses a focused button.
  if (arrow) return target === view.canvas ? () => view.camera.pan(...arrow) : null;
  if (key === ' ') return target instanceof HTMLInputElement ? play : null;
  // Without a selection, Escape closes the dialog.
  if (key === 'escape') return view.selection.size > 0 ? () => view.selection.choose([]) : null;
  /** @type {Record<string, () => void>} */
  const actions = {
    ',': () => step(-1, parts),
    '.': () => step(1, parts),
    f: () => view.showEverything(),
    '+': () => view.zoom(CLOSER),
    '-': () => view.zoom(1 / CLOSER),
  };
  return Object.hasOwn(actions, key) ? actions[key] : null;
}

/** @param {Parts} parts */
function chooseAll({ view, scene }) {
  view.selection.choose(scene.sheet.all.map(({ id }) => id));
}

/** Chooses the next object, or the previous one. @param {1 | -1} by @param {Parts} parts */
function step(by, { view, scene, session, say }) {
  const { selection, camera, room } = view;
  const choose = (/** @type {Drawable} */ one, /** @type {string} */ position) => {
    selection.choose([one.id]);
    show(camera, room, one.bounds);
    const name = nameOfGroup({ members: [one], bounds: one.bounds }, {
      view: camera.seen(room.width, room.height),
      isDark: document.documentElement.dataset.theme === 'dark',
      authorOf: (drawable) => authorOf(drawable, session()),
    });
    say(laterStrings.objectSelected(joinParts([name, position])));
  };
  stepToObject({ scene: scene.sheet, selection, choose }, by);
}
