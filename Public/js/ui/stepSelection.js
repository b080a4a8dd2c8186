/** The selection of one object after the other, by keys. */

import { overlap } from '../model/stroke.js';
import { Text } from '../model/text.js';
import { strings } from '../i18n/i18n.js';
import { announce } from './dialogs.js';

/**
 * Selects the next shape or item of the sheet in the order of drawing, or the previous one.
 * @param {1 | -1} by
 * @param {object} parts
 * @param {import('../model/scene.js').Scene} parts.scene
 * @param {import('../edit/selection.js').Selection} parts.selection
 * @param {import('../tools/selectTool.js').SelectTool} parts.selectTool
 * @param {import('../model/camera.js').Camera} parts.camera
 * @param {{ width: number, height: number }} parts.canvas in pixels
 */
export function stepSelection(by, { scene, selection, selectTool, camera, canvas }) {
  const { all } = scene.sheet;
  if (all.length === 0) return;
  const { sole } = selection;
  const before = sole ? all.findIndex(({ id }) => id === sole.id) : by > 0 ? -1 : 0;
  const at = (before + by + all.length) % all.length;
  const one = all[at];
  selectTool.select([one.id]);
  const { left, top, right, bottom } = one.bounds;
  if (!overlap(one.bounds, camera.seen(canvas.width, canvas.height))) {
    const [x, y] = camera.toCanvas((left + right) / 2, (top + bottom) / 2);
    camera.pan(canvas.width / 2 - x, canvas.height / 2 - y);
  }
  announce(`${nameOf(one)}, ${strings.doneOf(strings.number(at + 1), strings.number(all.length))}`);
}

/** @param {import('../model/scene.js').Drawable} one @returns {string} its name for screen readers */
function nameOf(one) {
  if (one instanceof Text) return `${strings.text}: ${one.text}`;
  if ('place' in one) return one.isPicture ? strings.picture(one.name) : strings.file(one.name);
  // Other clients may use any name for a tool.
  const name = { ...strings }[/** @type {'pen'} */ (one.tool)];
  return typeof name === 'string' ? name : strings.pen;
}
