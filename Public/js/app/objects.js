/** Offers sticky notes, connections, locking, and sending to the back. */

import { Connections } from '../edit/connections.js';
import { ObjectCommands } from '../edit/objectCommands.js';
import { PAGE_DOWN } from '../i18n/appleKeys.js';
import { laterStrings } from '../i18n/later.js';
import { isApple } from '../i18n/platform.js';
import { ADAPTIVE, nearestColor } from '../model/palette.js';
import { newKey } from '../sync/key.js';
import { ConnectorTool } from '../tools/connectorTool.js';
import { NoteTool } from '../tools/noteTool.js';
import { button, element } from '../ui/elements.js';
import { EndHighlight } from '../ui/endHighlight.js';
import { icon } from '../ui/icons.js';
import { isBusy, listenToKeys } from '../ui/keys.js';
import { LockBar } from '../ui/lockBar.js';
import { NoteColors } from '../ui/noteColors.js';

/**
 * @typedef {object} Parts
 * @property {HTMLCanvasElement} canvas
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../edit/undoHistory.js').UndoHistory} history
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../ui/selectionController.js').SelectionController} selectionController
 * @property {import('../tools/textTool.js').TextTool} textTool
 * @property {import('../ui/toolbar.js').Toolbar} toolbar
 * @property {import('../ui/stylePicker.js').StylePicker} stylePicker
 * @property {import('./sharing.js').Sharing} sharing
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 * @property {() => string} ink returns the color of adaptive ink
 * @property {() => boolean} isEnded returns true if the session has ended
 */

/**
 * @param {Parts} parts
 * @returns {{ tools: Record<'note' | 'line' | 'arrow', import('../tools/pointerInput.js').Tool>, lockBar: LockBar }}
 */
export function offerObjects(parts) {
  const { shapes, items, index, drawing, camera, selection, selectionController, toolbar, stylePicker, frames } = parts;
  const isAlone = () => parts.sharing.session === null;
  const connections = new Connections({ ...parts, isAlone, requestFrame: () => frames.request() });
  frames.run(() => connections.frame());
  const commands = new ObjectCommands({ ...parts, tasks: selectionController.tasks });
  const lockBar = new LockBar({ ...parts, commands });
  const sendToBack = () => {
    selectionController.selectTool.commitNudge();
    commands.sendToBack(selection.ids);
  };
  const lock = () => {
    selectionController.selectTool.commitNudge();
    lockBar.lock();
  };
  const { pageDown, shiftL } = isApple() ? { pageDown: PAGE_DOWN, shiftL: '⇧L' } : laterStrings;
  const bar = element('chosen-bar');
  // The last button removes the selection.
  bar.lastElementChild?.before(
    button(icon('back'), laterStrings.sendToBack, `${laterStrings.sendToBack} (${pageDown})`, sendToBack),
    button(icon('lock'), laterStrings.lock, `${laterStrings.lock} (${shiftL})`, lock),
  );
  listenToKeys({ n: () => toolbar.choose('note'), pagedown: sendToBack, 'mod+[': sendToBack }, parts.isEnded);
  addEventListener('keydown', (event) => {
    const isL = event.shiftKey && event.key.toLowerCase() === 'l';
    if (!isL || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target) || parts.isEnded()) return;
    // Without Shift, this key chooses a tool.
    event.preventDefault();
    selectionController.selectTool.commitNudge();
    lockBar.toggle();
  }, { capture: true });
  const colors = new NoteColors(parts);
  const scale = () => camera.scale;
  const noteStyle = () => {
    const { size, font } = stylePicker.textStyle;
    return { rgb: ADAPTIVE, color: nearestColor(ADAPTIVE), size, font, fill: colors.fill };
  };
  const highlight = new EndHighlight(camera);
  const connector = (/** @type {string} */ tool) =>
    new ConnectorTool({
      drawing,
      plane: { shapes, items, index },
      style: () => stylePicker.strokeStyle(tool),
      scale,
      newKey,
      showObjects: (objects) => highlight.show(objects),
    });
  const note = new NoteTool({ drawing, textTool: parts.textTool, style: noteStyle, scale, newKey });
  return { tools: { note, line: connector('line'), arrow: connector('arrow') }, lockBar };
}
