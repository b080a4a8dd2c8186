/** Offers the styles of lines and the two ways of erasing. */

import { PartialErasure } from '../edit/partialErasure.js';
import { newKey } from '../sync/key.js';
import { EraserModes } from '../ui/eraserModes.js';
import { StylePanel } from '../ui/stylePanel.js';

/**
 * @param {object} parts
 * @param {import('./sharing.js').Sharing} parts.sharing
 * @param {import('../model/scheduling.js').FrameQueue} parts.frameQueue
 * @param {import('../ui/toolbar.js').Toolbar} parts.toolbar
 * @param {import('../ui/stylePicker.js').StylePicker} parts.stylePicker
 * @param {import('../tools/eraserTool.js').EraserTool} parts.eraser
 * @param {import('../model/shapes.js').Shapes} parts.shapes
 * @param {import('../model/spatialIndex.js').ShapeIndex} parts.index
 * @param {import('../edit/drawing.js').Drawing} parts.drawing
 * @param {import('../edit/undoHistory.js').UndoHistory} parts.history
 * @param {import('./frameScheduler.js').FrameScheduler} parts.frames
 */
export function offerStyles(
  { sharing, frameQueue, toolbar, stylePicker, eraser, shapes, index, drawing, history, frames },
) {
  const erasure = new PartialErasure({
    shapes,
    index,
    drawing,
    history,
    newKey,
    requestFrame: () => frames.request(),
    later: (run) => frameQueue.add(run),
  });
  const follow = () => erasure.follow(sharing.session);
  sharing.addEventListener('session', follow);
  follow();
  frames.run(() => erasure.frame());
  const modes = new EraserModes((erasesParts) => eraser.partial = erasesParts ? erasure : null);
  const panel = new StylePanel(stylePicker);
  const showFor = () => {
    modes.showFor(toolbar.tool);
    panel.showFor(toolbar.tool === 'note' ? 'text' : toolbar.tool);
  };
  toolbar.addEventListener('tool', showFor);
  toolbar.addEventListener('erasing', () => {
    toolbar.choose('eraser');
    modes.toggle();
  });
  showFor();
}
