/** Creates the components that the first stroke does not need, and connects them to the existing ones. */

import { speakLater } from '../i18n/later.js';
import { strings } from '../i18n/i18n.js';
import { MAX_TEXT_LENGTH } from '../model/text.js';
import { Previews } from '../edit/previews.js';
import { Animations } from '../render/animations.js';
import { BitmapCache } from '../render/bitmaps.js';
import { makePreview, PreviewCache } from '../render/previews.js';
import { TiledRenderer } from '../render/tiles/tiledRenderer.js';
import { ContentInserter } from '../ui/contentInserter.js';
import { toast } from '../ui/dialogs.js';
import { element } from '../ui/elements.js';
import { ExportDialog } from '../ui/exportDialog.js';
import { ItemRow } from '../ui/itemRow.js';
import { Meeting } from '../ui/meeting.js';
import { showLink } from '../ui/shareDialog.js';
import { limitText } from '../ui/textLimit.js';
import { AttachmentLimit } from './attachmentLimit.js';
import { showAuthors } from './authors.js';
import { useFonts } from './fonts.js';
import { offerKeyboard } from './keyboard.js';
import { offerObjects } from './objects.js';
import { startPages } from './pages.js';
import { startSheets } from './sheets.js';
import { offerStyles } from './styles.js';
import { offerTimeMachine } from './timeMachine.js';
import { offerTransforms } from './transforms.js';

/**
 * The components that exist already.
 * @typedef {object} Page
 * @property {URL} base the address of the gateway
 * @property {import('../model/camera.js').Camera} camera
 * @property {HTMLCanvasElement} canvas
 * @property {(item: import('../model/item.js').Item | null) => void} choose selects an item
 * @property {import('../ui/sharedCursors.js').SharedCursors} cursors
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../ui/sessionFlow.js').SessionFlow} flow
 * @property {import('../model/scheduling.js').FrameQueue} frameQueue
 * @property {import('./frameScheduler.js').FrameScheduler} frames
 * @property {import('../edit/undoHistory.js').UndoHistory} history
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('../tools/pointerInput.js').PointerInput} input
 * @property {() => boolean} isEnded returns true if the session has ended
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../model/scene.js').Items} items
 * @property {import('../ui/itemView.js').ItemView} itemView
 * @property {import('../ui/people.js').People} people
 * @property {() => [number, number] | null} pointer returns the position of the mouse, in the plane
 * @property {import('../protocol/presence.js').Presence} presence
 * @property {MediaQueryList} reducedMotion
 * @property {import('../render/renderer.js').Renderer} renderer
 * @property {() => void} requestFrame
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../ui/selectionController.js').SelectionController} selectionController
 * @property {import('../ui/settings.js').Settings} settings
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('./sharing.js').Sharing} sharing
 * @property {() => void} stateChanged updates the state of the page
 * @property {import('../ui/stylePicker.js').StylePicker} stylePicker
 * @property {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} tabStorage
 * @property {import('../ui/textBox.js').TextBox} textBox
 * @property {import('../tools/textTool.js').TextTool} textTool
 * @property {import('../ui/toolbar.js').Toolbar} toolbar
 * @property {Tools} tools by name; those that are loaded later are replaced
 * @property {import('../ui/canvasView.js').CanvasView} view
 *
 * @typedef {import('../tools/pointerInput.js').Tool} Tool
 * @typedef {import('../tools/shapeTool.js').ShapeTool} ShapeTool
 * @typedef {Record<string, Tool> & { eraser: import('../tools/eraserTool.js').EraserTool, rectangle: ShapeTool,
 *   ellipse: ShapeTool }} Tools
 */

/** @param {Page} page */
export async function createParts(page) {
  await speakLater(document.documentElement.lang);
  const { selectionController, selection, scene, sharing, renderer, frames, tools } = page;
  const { textTool, settings, input, itemView, itemStore, items, flow } = page;
  renderer.useTiles(TiledRenderer);
  itemView.showPictures(BitmapCache, PreviewCache, Animations);
  itemStore.usePreviews(new Previews(items, makePreview));
  itemView.useRows(ItemRow);
  showAuthors({ ...page, plane: page });
  offerStyles({ ...page, eraser: tools.eraser });
  useFonts(page);
  const { tools: objectTools, lockBar } = offerObjects({ ...page, view: renderer, ink: () => itemView.painter.ink });
  Object.assign(tools, objectTools);
  const { selectTool, tasks } = selectionController;
  offerKeyboard({ ...page, view: renderer, offerUnlock: (locked) => lockBar.offer(locked) });
  offerTransforms({ ...page, canvas: renderer, snappedTools: [tools.rectangle, tools.ellipse] });
  const isWorking = () => input.isWorking || textTool.edited !== null;
  const sheets = startSheets({
    ...page,
    canvas: renderer,
    profile: settings,
    isWorking,
    finish: () => {
      input.finish();
      textTool.finish();
      selectTool.select([]);
    },
    changed: page.stateChanged,
  });
  offerTimeMachine({ ...page, sheets });
  const exporting = new ExportDialog(
    scene,
    selection,
    () => selectionController.remove(),
    () => sharing.title?.text ?? '',
    sheets.all,
  );
  const attachmentLimit = new AttachmentLimit(sharing, page.base);
  const inserter = new ContentInserter({
    ...page,
    canvas: renderer,
    chooseItem: page.choose,
    sheets,
    limit: () => attachmentLimit.load(),
  });
  limitText(/** @type {HTMLTextAreaElement} */ (element('writing')), MAX_TEXT_LENGTH, {
    cut: () => toast(strings.textIsFull(MAX_TEXT_LENGTH)),
    pasteElsewhere: (text) => (textTool.finish(), inserter.insertText(text)),
  });
  const pages = startPages({
    ...page,
    tasks,
    storage: page.tabStorage,
    profile: settings,
    sheets: sheets.sheets,
    newPage: () => flow.newPage(),
  });
  const meeting = new Meeting({
    ...page,
    view: renderer,
    selectTool,
    isWorking,
    reach: (bounds) => sheets.reach(bounds),
    elsewhere: (x, y) => sheets.elsewhere(x, y),
    glides: () => !page.reducedMotion.matches,
  });
  sheets.whenRemoved(() => meeting.sheetRemoved());
  tools.laser = meeting.laserTool;
  frames.run((now) => meeting.frame(now));
  return {
    exporting,
    inserter,
    lockBar,
    meeting,
    pages,
    showLink: (/** @type {string} */ link) => showLink(link + sheets.hash),
  };
}
