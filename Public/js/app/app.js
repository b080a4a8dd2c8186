/** Creates the components of the page and connects them. */

// Imported first, because other modules use strings when they are loaded.
import './language.js';
import { ItemStore } from '../edit/itemStore.js';
import { FrameQueue } from '../model/scheduling.js';
import { Camera } from '../model/camera.js';
import { Drawing } from '../edit/drawing.js';
import { UndoHistory } from '../edit/undoHistory.js';
import { Items, Scene } from '../model/scene.js';
import { Renderer } from '../render/renderer.js';
import { Text } from '../model/text.js';
import { Selection } from '../edit/selection.js';
import { ShapeIndex } from '../model/spatialIndex.js';
import { Shapes } from '../model/shapes.js';
import { Presence } from '../protocol/presence.js';
import { newKey } from '../sync/key.js';
import { loadAtLast, loadDeferred } from './loading.js';
import { FrameScheduler } from './frameScheduler.js';
import { Sharing } from './sharing.js';
import { replayStrokes } from './strokeReplay.js';
import { browserDatabase, browserSnapshots } from '../persist/database.js';
import { CURSOR_TYPE } from '../protocol/cursorMessage.js';
import { EraserTool } from '../tools/eraserTool.js';
import { PanTool } from '../tools/panTool.js';
import { PenTool } from '../tools/penTool.js';
import { PointerInput } from '../tools/pointerInput.js';
import { ShapeTool } from '../tools/shapeTool.js';
import { TextTool } from '../tools/textTool.js';
import { SharedCursors } from '../ui/sharedCursors.js';
import { CanvasView } from '../ui/canvasView.js';
import { SelectionController } from '../ui/selectionController.js';
import { ConnectionBanner, EndedBar } from '../ui/connectionBanner.js';
import { toast } from '../ui/dialogs.js';
import { element } from '../ui/elements.js';
import { offerThemes, Settings, storageOr, TouchDrawingSetting } from '../ui/settings.js';
import { InitialView } from '../ui/initialView.js';
import { InputSources } from '../ui/inputSources.js';
import { hasStyle, StylePicker, Toolbar } from '../ui/toolbar.js';
import { openToInspection } from '../ui/inspection.js';
import { ItemView } from '../ui/itemView.js';
import { bindKeys } from '../ui/keys.js';
import { PageState } from '../ui/pageState.js';
import { People } from '../ui/people.js';
import { SessionFlow } from '../ui/sessionFlow.js';
import { TextBox } from '../ui/textBox.js';
import { errorText, strings } from '../i18n/i18n.js';

browserDatabase.open();

const canvas = /** @type {HTMLCanvasElement} */ (element('canvas'));
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

const frames = new FrameScheduler();
const requestFrame = () => frames.request();
/** True if the session had ended at the last update. */
let wasEnded = false;
let isUnsavedReported = false;
/** The position of the mouse, in the plane. @type {[number, number] | null} */
let pointer = null;
const storage = storageOr(() => localStorage);
const settings = new Settings(storage);
const shapes = new Shapes();
const index = new ShapeIndex();
const camera = new Camera();
const items = new Items();
const scene = new Scene(shapes, items);
const history = new UndoHistory();
const frameQueue = new FrameQueue(requestFrame);
const drawing = new Drawing(shapes, newKey, history, frameQueue);
const itemStore = new ItemStore({
  items,
  history,
  depth: {
    get next() {
      return drawing.nextZ;
    },
    seen: (z) => shapes.raiseHighestZ(z),
  },
});
const selection = new Selection(shapes, items);
const itemView = new ItemView({ itemStore, items, camera, selection, choose, requestFrame });
const paint = itemView.painter.paint.bind(itemView.painter);
const renderer = new Renderer(canvas, scene, camera, paint, requestFrame);
const selectionController = new SelectionController({
  shapes,
  items,
  index,
  drawing,
  itemStore,
  history,
  camera,
  selection,
  itemView,
  view: renderer,
  requestFrame,
});
const { selectTool } = selectionController;
const cursors = new SharedCursors(camera, { glides: () => !reducedMotion.matches, requestFrame });
const base = new URL('/', location.href);
const sharing = new Sharing({
  drawing,
  itemStore,
  items,
  base,
  profile: () => ({ name: settings.name, color: settings.color }),
  storage: storageOr(() => sessionStorage),
  database: browserDatabase,
  snapshots: browserSnapshots,
  newId: newKey,
});

const toolbar = new Toolbar();
const stylePicker = new StylePicker(settings);
const touchDrawing = new TouchDrawingSetting(settings);
offerThemes(settings);
element('plain').hidden = isSecureContext;
element('plain').addEventListener('click', () => toast(strings.notEncryptedText, { stays: true }));
const presence = new Presence();
const people = new People(presence);
const view = new CanvasView(renderer, scene, camera, requestFrame);
const banner = new ConnectionBanner({
  waiting: () => ({ strokes: drawing.pendingShapes, ...itemStore.pendingUploads }),
  isKept: () => sharing.isKept,
  lastSeen: () => sharing.lastSeen,
  trouble: () => sharing.session?.trouble ?? '',
  retry: () => sharing.session?.reconnectNow(),
});
const save = () => withDeferred(({ exporting }) => exporting.open());
const showKeys = () => withDeferred((parts) => parts.showKeys());
const endedBar = new EndedBar({ scene, save, start: () => flow.share() });
const initialView = new InitialView(view, () => input.isWorking, requestFrame);
const pageState = new PageState({
  drawing,
  scene,
  sharing,
  toolbar,
  banner,
  endedBar,
  view,
  initialView,
  requestFrame,
});
const stateChanged = () => pageState.changed();
const flow = new SessionFlow({
  sharing,
  scene,
  settings,
  people,
  banner,
  participantsChanged: (active) => {
    cursors.keepOnly(active);
    stateChanged();
  },
  showLink: async (link) => (await deferred()).showLink(link),
});

const textTool = new TextTool(drawing, index, () => stylePicker.textStyle, () => camera.scale, newKey);
const textBox = new TextBox(textTool, camera, renderer, requestFrame);

frames.run(
  () => {
    const isBehind = frameQueue.runSlice();
    initialView.frame(isBehind);
    return isBehind;
  },
  (now) => pageState.frame(now),
  (now) => drawing.flush(now),
  (now) => cursors.frame(now),
  (now) => itemStore.placements.frame(now),
  (now) => itemView.frame(now, renderer),
  (now) => selectionController.frame(now),
  () => textBox.frame(),
  () => view.frame(),
);

const tools = {
  pen: new PenTool(drawing, () => stylePicker.strokeStyle('pen')),
  highlighter: new PenTool(drawing, () => stylePicker.strokeStyle('highlighter')),
  eraser: new EraserTool(drawing, index, () => camera.scale),
  select: selectTool,
  hand: new PanTool(camera),
  text: textTool,
  line: shapeTool('line'),
  arrow: shapeTool('arrow'),
  rectangle: shapeTool('rectangle'),
  ellipse: shapeTool('ellipse'),
};

/** @param {string} tool */
function shapeTool(tool) {
  return new ShapeTool(drawing, () => stylePicker.strokeStyle(tool), () => camera.scale, newKey);
}

shapes.observe(index);
scene.observe({ shown: requestFrame, changed: requestFrame, hidden: requestFrame });
drawing.addEventListener('change', stateChanged);
itemStore.addEventListener('change', stateChanged);
itemView.watchColors(() => (renderer.redraw(), requestFrame()));
drawing.addEventListener('error', (event) => toast(errorText(/** @type {CustomEvent<Error>} */ (event).detail)));
drawing.addEventListener('caughtup', () => initialView.endCatchUp());
drawing.addEventListener('undofailed', () => toast(strings.removedByOther));

const input = new PointerInput(canvas, camera, {
  tool: ({ isTurned, isFinger }) => {
    if (isTurned && !isEnded()) return tools.eraser;
    return isFinger && !['select', 'text'].includes(toolbar.tool) && touchDrawing.movesPage()
      ? tools.hand
      : tools[toolbar.tool];
  },
  penSeen: () => touchDrawing.penDetected(),
  hovered: (point) => {
    pointer = point;
    cursors.moved(point);
    if (toolbar.tool === 'select' && !selectTool.isMoving) {
      canvas.dataset.over = point ? selectTool.cursorAt(...point) : '';
    }
  },
  moved: requestFrame,
  signal: new AbortController().signal,
});

sharing.addEventListener('session', () => {
  const { session, over: endedSession } = sharing;
  input.finish();
  textTool.finish();
  if (endedSession) toolbar.choose('hand');
  else if (wasEnded) toolbar.choose('pen');
  wasEnded = endedSession !== null;
  cursors.follow(session);
  presence.follow(session);
  selectionController.follow(session);
  stateChanged();
  if (session) observeSession(session);
});

sharing.addEventListener('opened', () => frameQueue.add(() => initialView.show()));
sharing.addEventListener('unkept', () => {
  // In a session, the banner reports this while something waits to be sent.
  if (!sharing.session && !isUnsavedReported) toast(strings.notKept);
  isUnsavedReported ||= !sharing.session;
  stateChanged();
});

/** @param {import('../sync/groupSession.js').GroupSession} session that has just been entered */
function observeSession(session) {
  initialView.beginCatchUp();
  session.observe({
    entry: ({ sender, type }) => {
      // Entries of a catch-up were drawn earlier.
      if (session.isConnected && type !== CURSOR_TYPE && sender !== session.localParticipant?.number) {
        people.drew(sender);
      }
    },
  });
}

/** @type {ReturnType<typeof createDeferred> | null} */
let creating = null;
/** Loads and creates the parts that the first stroke does not need. After a failure, the next call tries again. */
const deferred = () => creating ??= createDeferred().catch((error) => (creating = null, Promise.reject(error)));

async function createDeferred() {
  const { AttachmentLimit, ContentInserter, ExportDialog, TiledRenderer, ...functions } = await loadDeferred();
  renderer.useTiles(TiledRenderer);
  const plane = { shapes, items, index };
  functions.showAuthors({ canvas, camera, plane, selection, toolbar, sharing, drawing, itemStore, cursors, frames });
  const exporting = new ExportDialog(scene, selection, () => selectionController.remove());
  const attachmentLimit = new AttachmentLimit(sharing, base);
  const inserter = new ContentInserter({
    scene,
    items,
    drawing,
    itemStore,
    camera,
    view,
    canvas: renderer,
    toolbar,
    stylePicker,
    selectionController,
    chooseItem: choose,
    pointer: () => pointer,
    limit: () => attachmentLimit.load(),
  });
  return { exporting, inserter, ...functions };
}

/**
 * Runs an action once the deferred parts are loaded.
 * @param {(parts: Awaited<ReturnType<typeof createDeferred>>) => unknown} action
 */
function withDeferred(action) {
  deferred().then(action, (error) => toast(errorText(error)));
}

const isEnded = () => sharing.over !== null;
const inputSources = new InputSources(
  (files, at) => withDeferred(({ inserter }) => inserter.insertFiles(files, at)),
  (pasted) => withDeferred(({ inserter }) => inserter.insertText(pasted)),
  isEnded,
);

/** @param {import('../model/item.js').Item | null} item */
function choose(item) {
  if (isEnded()) return;
  toolbar.choose('select');
  selectTool.select(item ? [item.id] : []);
}

/** @param {import('../model/scene.js').Drawable | [number, number] | null} one the text to edit, or the point of a new text */
function edit(one) {
  if (isEnded()) return;
  if (Array.isArray(one)) return textTool.editAt(one[0], one[1]);
  if (!(one instanceof Text)) return;
  selectTool.select([]);
  textTool.edit(one);
}

toolbar.addEventListener('tool', () => {
  canvas.dataset.cursor = toolbar.tool;
  textTool.finish();
  if (toolbar.tool !== 'select') selectTool.select([]);
});
selectTool.addEventListener('edit', (event) => edit(/** @type {CustomEvent} */ (event).detail));
toolbar.addEventListener('undo', () => drawing.undo());
toolbar.addEventListener('redo', () => drawing.redo());
toolbar.addEventListener('clear', () => flow.newPage());
toolbar.addEventListener('open', () => inputSources.pick());
toolbar.addEventListener('save', save);
toolbar.addEventListener('keys', showKeys);
toolbar.addEventListener('language', () => {
  withDeferred(({ chooseLanguage }) => chooseLanguage(settings, () => sharing.session !== null || scene.isEmpty));
});
toolbar.addEventListener('leave', () => flow.leave());
toolbar.addEventListener('end', () => flow.end());
stylePicker.addEventListener('own', () => flow.showProfile());
stylePicker.addEventListener('change', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (textTool.edited) textTool.restyle();
  else if (!selectionController.restyle((shape) => stylePicker.styleChange(shape, detail)) && !hasStyle(toolbar.tool)) {
    toolbar.choose('pen');
  }
});

const editChosen = () => edit(selection.sole);
bindKeys({
  toolbar,
  stylePicker,
  inputSources,
  selectionController,
  drawing,
  view,
  edit: editChosen,
  save,
  showKeys,
  isEnded,
});

addEventListener('pagehide', () => {
  input.finish();
  textTool.finish();
  sharing.saveNow();
});
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
  addEventListener(type, () => presence.active(), { passive: true, capture: true });
}
document.addEventListener('visibilitychange', () => {
  presence.away(document.hidden);
  if (document.hidden) sharing.saveNow();
});

openToInspection({
  sharing,
  stateHash: async (retained) => (await loadDeferred()).stateHash(retained),
  shapes,
  items,
  selection,
  renderer,
  frameQueue,
});

const shared = /^\/s\/([\w-]{22})\/?$/.exec(location.pathname);
if (shared) {
  /** @param {Error} error */
  const failed = (error) => {
    toast(errorText(error), { stays: true });
    replayStrokes(input);
  };
  // The page of a session replays the strokes once it has entered the session: earlier they would be lost.
  sharing.addEventListener('session', () => replayStrokes(input), { once: true });
  sharing.addEventListener('unloaded', (event) => failed(/** @type {CustomEvent<Error>} */ (event).detail));
  sharing.join(shared[1]).catch(failed);
} else {
  replayStrokes(input);
  sharing.openAlone();
}
stateChanged();
document.documentElement.dataset.ready = 'true';
// Loads these parts now, so that they are available when the connection is lost.
loadAtLast().then(deferred).then(({ startRest }) => {
  startRest({ sharing, settings, storage, people, session: shared?.[1] });
});
