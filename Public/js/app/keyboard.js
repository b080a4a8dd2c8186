/** The parts that make the page usable by keys alone, and that describe its objects to screen readers. */

import { joinParts, laterStrings } from '../i18n/later.js';
import { show } from '../model/viewPlace.js';
import { announce } from '../ui/dialogs.js';
import { element } from '../ui/elements.js';
import { KeyboardControl } from '../ui/keyboardControl.js';
import { authorOf } from '../ui/objectAuthor.js';
import { nameOfGroup } from '../ui/objectNames.js';
import { offerObjects } from '../ui/objectKeys.js';
import { ObjectsDialog } from '../ui/objectsDialog.js';
import { stepToObject } from '../ui/objectStepper.js';

/**
 * @typedef {import('../model/objectGroups.js').ObjectGroup} ObjectGroup
 * @typedef {import('../model/scene.js').Drawable} Drawable
 *
 * @typedef {object} OtherParts
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../ui/selectionController.js').SelectionController} selectionController
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 * @property {(locked: Drawable[]) => void} offerUnlock
 * @typedef {Omit<import('../ui/keyboardControl.js').Parts, 'selectTool' | 'requestFrame'> & OtherParts} Parts
 */

/** @param {Parts} parts */
export function offerKeyboard(parts) {
  const { sharing, frames, camera, view, toolbar, selectionController, isEnded, offerUnlock } = parts;
  const { selectTool } = selectionController;
  const control = new KeyboardControl({ ...parts, selectTool, requestFrame: () => frames.request() });
  frames.run(() => control.frame());
  sharing.addEventListener('session', () => control.finish());

  const seen = () => camera.seen(view.width, view.height);
  const nameOf = (/** @type {ObjectGroup} */ group) => {
    const isDark = document.documentElement.dataset.theme === 'dark';
    return nameOfGroup(group, { view: seen(), isDark, authorOf: (one) => authorOf(one, sharing.session) });
  };
  const select = (/** @type {ObjectGroup} */ { members }) => {
    toolbar.choose('select');
    selectTool.select(members.map(({ id }) => id));
  };
  const choose = (/** @type {ObjectGroup} */ group, position = '') => {
    const { members, bounds } = group;
    const { isLocked } = members[0];
    const isSelected = !isEnded() && !isLocked;
    if (isSelected) select(group);
    show(camera, view, bounds);
    frames.request();
    if (isLocked && !isEnded()) offerUnlock(members);
    const name = joinParts([nameOf(group), position]);
    announce(isSelected ? laterStrings.objectSelected(name) : laterStrings.objectShown(name));
  };
  const dialog = new ObjectsDialog({
    ...parts,
    view: seen,
    nameOf,
    choose: (group) => {
      element('canvas').focus({ preventScroll: true });
      choose(group);
    },
    remove: async (group) => {
      const { tool } = toolbar;
      select(group);
      await selectionController.remove();
      if (tool !== 'select') toolbar.choose(tool);
    },
  });
  const chooseOne = (/** @type {Drawable} */ one, /** @type {string} */ position) => {
    choose({ members: [one], bounds: one.bounds }, position);
  };
  offerObjects({
    open: () => dialog.open(),
    step: (by) => isEnded() || stepToObject({ ...parts, scene: parts.scene.sheet, choose: chooseOne }, by),
  });
}
