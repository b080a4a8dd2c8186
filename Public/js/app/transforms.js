/** Offers rotation, snapping, alignment and distribution. */

import { arrange } from '../edit/arrangement.js';
import { Snapping } from '../tools/snapping.js';
import { Transforms } from '../tools/transforms.js';
import { ArrangePanel } from '../ui/arrangePanel.js';
import { offerSnapping } from '../ui/snapSetting.js';
import { TransformView } from '../ui/transformView.js';

/**
 * @typedef {object} Parts
 * @property {import('../ui/selectionController.js').SelectionController} selectionController
 * @property {import('../tools/shapeTool.js').ShapeTool[]} snappedTools
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../edit/undoHistory.js').UndoHistory} history
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} canvas in pixels
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 */

/** @param {Parts} parts */
export function offerTransforms(parts) {
  const { selectionController, snappedTools, selection, camera, canvas: view, frames } = parts;
  const { selectTool, tasks } = selectionController;
  const snapping = new Snapping({ ...parts, view, changed: () => frames.request() });
  const transforms = new Transforms({ selection, camera, view, snapping });
  selectTool.transforms = transforms;
  for (const tool of snappedTools) tool.snapping = snapping;
  const transformView = new TransformView(transforms, snapping, camera);
  frames.run(() => transformView.frame());
  new ArrangePanel(selection, (how) => {
    selectTool.commitNudge();
    return arrange({ ...parts, tasks }, selection.ids, how);
  });
  offerSnapping(snapping);
}
