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
import { isDrawing, Presence } from '../protocol/presence.js';
import { newKey } from '../sync/key.js';
import { boardIn, sessionIn } from './startPage.js';
import { loadAtLast, loadDeferred, loadSession } from './loading.js';
import { FrameScheduler } from './frameScheduler.js';
import { Sharing } from './sharing.js';
import { replayStrokes } from './strokeReplay.js';
import { browserDatabase, browserSnapshots } from '../persist/database.js';
import { EraserTool } from '../tools/eraserTool.js';
import { PanTool } from '../tools/panTool.js';
import { PenTool } from '../tools/penTool.js';
import { PointerInput } from '../tools/pointerInput.js';
import { ShapeTool } from '../tools/shapeTool.js';
import { TextTool } from '../tools/textTool.js';
import { CanvasView } from '../ui/canvasView.js';
import { SelectionController } from '../ui/selectionController.js';
import { ConnectionBanner, EndedBar } from '../ui/connectionBanner.js';
import { toast } from '../ui/dialogs.js';
import { element } from '../ui/elements.js';
import { offerThemes, Settings, storageOr, TouchDrawingSetting } from '../ui/settings.js';
import { InitialView } from '../ui/initialView.js';
import { InputSources } from '../ui/inputSources.js';
import { StylePicker } from '../ui/stylePicker.js';
import { hasStyle, Toolbar } from '../ui/toolbar.js';
import { openToInspection } from '../ui/inspection.js';
import { ItemView } from '../ui/itemView.js';
import { bindKeys } from '../ui/keys.js';
import { PageState } from '../ui/pageState.js';
import { People } from '../ui/people.js';
import { SessionFlow } from '../ui/sessionFlow.js';
import { TextBox } from '../ui/textBox.js';
import { errorText, strings } from '../i18n/i18n.js';

/** The tools that fingers use even if they otherwise move the page. */
const FINGER_TOOLS = ['select', 'text', 'note', 'laser'];

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
const itemView = new ItemView({ itemStore, items, camera, selection, choose, reducedMotion, requestFrame });
const renderer = new Renderer(canvas, scene, camera, itemView.painter, requestFrame);
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
/** @type {import('./sessionParts.js').SessionParts | null} null until they are loaded, earlier than any session */
let sessionParts = null;
const base = new URL('/', location.href);
const tabStorage = storageOr(() => sessionStorage);
const sharing = new Sharing({
  drawing,
  itemStore,
  items,
  base,
  profile: () => ({ name: settings.name, color: settings.color }),
  storage: tabStorage,
  database: browserDatabase,
  snapshots: browserSnapshots,
  newId: newKey,
  load: /** @returns {Promise<any>} */ (failed) => loadAtLast(prepareSession, failed),
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
const showPages = () => withDeferred(({ pages }) => pages.open());
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
    sessionParts?.cursors.keepOnly(active);
    stateChanged();
  },
  dialogs: /** @returns {Promise<any>} */ () => deferred(),
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
  (now) => sessionParts?.cursors.frame(now) ?? false,
  (now) => itemStore.placements.frame(now),
  (now) => itemView.frame(now, renderer),
  (now) => selectionController.frame(now),
  () => textBox.frame(),
  () => view.frame(),
);

/** Does nothing, until the parts of a tool are loaded. @type {import('../tools/pointerInput.js').Tool} */
const unloadedTool = { begin() {}, move() {}, end() {}, cancel() {} };
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
  note: unloadedTool,
  laser: unloadedTool,
};

/** @param {string} tool */
function shapeTool(tool) {
  return new ShapeTool(drawing, () => stylePicker.strokeStyle(tool), () => camera.scale, newKey);
}

shapes.observe(index);
scene.observe({ shown: requestFrame, changed: requestFrame, hidden: requestFrame, repainted: requestFrame });
drawing.addEventListener('change', stateChanged);
itemStore.addEventListener('change', stateChanged);
itemView.watchColors(() => (renderer.redraw(), requestFrame()));
drawing.addEventListener('error', (event) => toast(errorText(/** @type {CustomEvent<Error>} */ (event).detail)));
drawing.addEventListener('caughtup', () => initialView.endCatchUp());
drawing.addEventListener('undofailed', () => toast(strings.removedByOther));

const input = new PointerInput(canvas, camera, {
  tool: ({ isTurned, isFinger }) => {
    if (isTurned && !isEnded()) return tools.eraser;
    return isFinger && !FINGER_TOOLS.includes(toolbar.tool) && touchDrawing.movesPage()
      ? tools.hand
      : tools[toolbar.tool];
  },
  penSeen: () => touchDrawing.penDetected(),
  hovered: (point) => {
    pointer = point;
    sessionParts?.cursors.moved(point);
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
      if (session.isConnected && isDrawing(type) && sender !== session.localParticipant?.number) {
        people.drew(sender);
      }
    },
  });
}

/** Loads the parts that a session needs, and creates them. */
async function prepareSession() {
  const loaded = await loadSession();
  sessionParts ??= loaded.createSessionParts(page);
  return { ...loaded, parts: sessionParts };
}

/** @type {ReturnType<typeof createDeferred> | null} */
let creating = null;
/** Loads and creates the parts that the first stroke does not need. After a failure, the next call tries again. */
const deferred = () => creating ??= createDeferred().catch((error) => (creating = null, Promise.reject(error)));

async function createDeferred() {
  const [{ parts: present }, { createParts, ...functions }] = await Promise.all([prepareSession(), loadDeferred()]);
  return { ...functions, ...await createParts({ ...page, ...present }) };
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

/** The components that the later parts use. */
const page = {
  base,
  camera,
  canvas,
  choose,
  drawing,
  finish: () => {
    input.finish();
    textTool.finish();
    selectTool.select([]);
  },
  flow,
  frameQueue,
  frames,
  history,
  index,
  input,
  isCaughtUp: () => sharing.session !== null && !initialView.isCatchingUp,
  isEnded,
  isWorking: () => input.isWorking || textTool.edited !== null,
  itemStore,
  items,
  itemView,
  people,
  pointer: () => pointer,
  presence,
  reducedMotion,
  renderer,
  requestFrame,
  scene,
  selection,
  selectionController,
  settings,
  shapes,
  sharing,
  stateChanged,
  stylePicker,
  tabStorage,
  textBox,
  textTool,
  toolbar,
  tools,
  view,
};

/** @param {import('../model/item.js').Item | null} item */
function choose(item) {
  if (isEnded()) return;
  toolbar.choose('select');
  selectTool.select(item ? [item.id] : []);
  if (item?.isLocked) withDeferred(({ lockBar }) => lockBar.offer([item]));
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
people.addEventListener('list', () => withDeferred(({ meeting }) => meeting.openList()));
people.addEventListener('person', (event) => {
  const { detail } = /** @type {CustomEvent<import('../ui/people.js').Person>} */ (event);
  withDeferred(({ meeting }) => meeting.choose(detail));
});
toolbar.addEventListener('undo', () => drawing.undo());
toolbar.addEventListener('redo', () => drawing.redo());
toolbar.addEventListener('clear', () => flow.newPage());
toolbar.addEventListener('open', () => inputSources.pick());
toolbar.addEventListener('save', save);
toolbar.addEventListener('keys', showKeys);
toolbar.addEventListener('pages', showPages);
for (const id of ['mark', 'page-title']) element(id).addEventListener('click', showPages);
toolbar.addEventListener('language', () => {
  withDeferred(({ chooseLanguage }) => chooseLanguage(settings, () => sharing.session !== null || scene.isEmpty));
});
toolbar.addEventListener('leave', () => flow.leave());
toolbar.addEventListener('end', () => flow.end());
stylePicker.addEventListener('own', () => flow.showProfile());
stylePicker.addEventListener('change', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (textTool.edited) textTool.restyle(detail);
  else if (!selectionController.restyle((shape) => stylePicker.styleChange(shape, detail)) && !hasStyle(toolbar.tool)) {
    toolbar.choose(detail === 'fill' ? 'rectangle' : 'pen');
  }
});

const editChosen = () => edit(selection.sole);
bindKeys({
  toolbar,
  stylePicker,
  inputSources,
  selectionController,
  drawing,
  scene,
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
  stateHash: async (retained) => (await loadSession()).stateHash(retained),
  shapes,
  items,
  selection,
  renderer,
  frameQueue,
});

function openAlone() {
  replayStrokes(input);
  sharing.openAlone(boardIn(location.search, globalThis.history.state));
}

/** @param {string} id of a session */
function join(id) {
  /** @param {Error} error */
  const failed = (error) => {
    toast(errorText(error), { stays: true });
    replayStrokes(input);
  };
  // The page of a session replays the strokes once it has entered the session: earlier they would be lost.
  sharing.addEventListener('session', () => replayStrokes(input), { once: true });
  sharing.addEventListener('unloaded', (event) => failed(/** @type {CustomEvent<Error>} */ (event).detail));
  sharing.join(id).catch(failed);
}

const shared = sessionIn(location.pathname);
if (shared) join(shared);
else if (location.pathname.startsWith('/s/')) withDeferred(({ openDamagedLink }) => openDamagedLink(join, openAlone));
else openAlone();
stateChanged();
document.documentElement.dataset.ready = 'true';
// Loads these parts now, so that they are available when the connection is lost. First those that a session needs, so that entering
// it does not wait for the others.
loadAtLast(prepareSession).then(() => loadAtLast(loadDeferred)).then(deferred)
  .then(({ startRest }) => startRest({ sharing, settings, storage, people }));
