/** Wires the parts together. */

import { Camera } from './canvas/camera.js';
import { Drawing } from './canvas/drawing.js';
import { Renderer } from './canvas/renderer.js';
import { StrokeIndex } from './canvas/strokeIndex.js';
import { Strokes } from './canvas/strokes.js';
import { newKey } from './session/key.js';
import { stateHash } from './session/stateHash.js';
import { Sharing } from './sharing.js';
import { CURSOR_TYPE } from './tools/cursorSender.js';
import { Eraser } from './tools/eraser.js';
import { Pen } from './tools/pen.js';
import { PointerInput } from './tools/pointerInput.js';
import { CanvasView } from './ui/canvasView.js';
import { ConnectionBanner } from './ui/connectionBanner.js';
import { showKeys } from './ui/dialogs.js';
import { element } from './ui/elements.js';
import { Frames } from './ui/frames.js';
import { Inks } from './ui/inks.js';
import { listenToKeys, watchTabbing } from './ui/keyboard.js';
import { toast } from './ui/notices.js';
import { People } from './ui/people.js';
import { SessionFlow } from './ui/sessionFlow.js';
import { Settings } from './ui/settings.js';
import { SharedCursors } from './ui/sharedCursors.js';
import { storageOr } from './ui/storage.js';
import { Toolbar } from './ui/toolbar.js';

const canvas = /** @type {HTMLCanvasElement} */ (element('canvas'));
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

const frames = new Frames();
/** Whether buttons, summary and banner are behind what happened: they follow once a frame. */
let isStateNew = true;
const settings = new Settings(storageOr(() => localStorage));
const strokes = new Strokes();
const index = new StrokeIndex();
const camera = new Camera();
const drawing = new Drawing(strokes);
const renderer = new Renderer(canvas, strokes, camera);
const cursors = new SharedCursors(camera, { glides: () => !reducedMotion.matches, ask: () => frames.ask() });
const sharing = new Sharing({
  drawing,
  base: new URL('/', location.href),
  profile: () => ({ name: settings.name, color: settings.color }),
  storage: storageOr(() => sessionStorage),
  newId: newKey,
});

const toolbar = new Toolbar();
const inks = new Inks(settings);
const people = new People();
const view = new CanvasView(renderer, strokes, camera, () => frames.ask());
const banner = new ConnectionBanner({
  waiting: () => drawing.waitingStrokes,
  retry: () => sharing.session?.reconnectNow(),
});
const flow = new SessionFlow({
  sharing,
  strokes,
  settings,
  people,
  banner,
  participantsChanged: (active) => {
    cursors.keepOnly(active);
    stateChanged();
  },
});

frames.run(
  () => {
    if (isStateNew) showState();
    return false;
  },
  () => (drawing.flush(), false),
  (now) => cursors.frame(now),
  () => view.frame(),
);

const tools = {
  pen: new Pen(drawing, () => ({ ...inks.look, tool: 'pen' })),
  eraser: new Eraser(drawing, index, () => camera.scale),
};

strokes.watch(index);
strokes.watch({ shown: frames.ask.bind(frames), changed: frames.ask.bind(frames), hidden: frames.ask.bind(frames) });
drawing.addEventListener('change', stateChanged);
drawing.addEventListener('error', (event) => toast(/** @type {CustomEvent<Error>} */ (event).detail.message));
drawing.addEventListener('gone', () => toast('Somebody else removed it.'));

const input = new PointerInput(canvas, camera, {
  tool: (isTurned) => (isTurned || toolbar.tool === 'eraser' ? tools.eraser : tools.pen),
  hovered: (point) => cursors.moved(point),
  moved: () => frames.ask(),
  signal: new AbortController().signal,
});

function stateChanged() {
  isStateNew = true;
  frames.ask();
}

function showState() {
  const { session } = sharing;
  isStateNew = false;
  toolbar.show({
    canUndo: drawing.canUndo,
    canRedo: drawing.canRedo,
    isEmpty: strokes.size === 0,
    isShared: session !== null,
    isConnected: session?.isConnected ?? false,
  });
  view.changed(session !== null);
  banner.changed();
}

sharing.addEventListener('session', () => {
  const { session } = sharing;
  cursors.follow(session);
  stateChanged();
  if (session) accompany(session);
});

/** @param {import('./session/groupSession.js').GroupSession} session that has just been entered */
function accompany(session) {
  let isFirst = true;
  session.observe({
    entry: ({ sender, type }) => {
      if (type !== CURSOR_TYPE && sender !== session.localParticipant?.number) people.drew(sender);
    },
    caughtUp: () => {
      if (isFirst && session === sharing.session) view.showAtFirst();
      isFirst = false;
    },
  });
}

toolbar.addEventListener('tool', () => (canvas.dataset.cursor = toolbar.tool));
toolbar.addEventListener('undo', () => drawing.undo());
toolbar.addEventListener('redo', () => drawing.redo());
toolbar.addEventListener('clear', () => flow.newPage());
toolbar.addEventListener('keys', () => showKeys());
toolbar.addEventListener('leave', () => flow.leave());
toolbar.addEventListener('end', () => flow.end());
inks.addEventListener('change', () => toolbar.choose('pen'));

const colorKeys = [...'1234567890'].map((key, at) => [key, () => inks.chooseColor(at)]);
listenToKeys({
  ...Object.fromEntries(colorKeys),
  c: () => inks.chooseOwn(),
  p: () => toolbar.choose('pen'),
  e: () => toolbar.choose('eraser'),
  '[': () => inks.stepWidth(-1),
  ']': () => inks.stepWidth(1),
  'mod+z': () => drawing.undo(),
  'mod+shift+z': () => drawing.redo(),
  'mod+y': () => drawing.redo(),
  f: () => (view.showEverything(), frames.ask()),
  '+': () => (view.zoom(1.25), frames.ask()),
  '-': () => (view.zoom(0.8), frames.ask()),
  '?': () => showKeys(),
});

watchTabbing();

addEventListener('pagehide', () => {
  input.finish();
  sharing.saveNow();
});
document.addEventListener('visibilitychange', () => document.hidden && sharing.saveNow());
addEventListener('pageshow', ({ persisted }) => persisted && sharing.session?.reconnectNow());
addEventListener('online', () => sharing.session?.reconnectNow());

Object.defineProperty(globalThis, 'drawTogether', {
  value: Object.freeze({
    stateHash: async () => (sharing.session ? await stateHash(sharing.session.retained) : ''),
    get participants() {
      return sharing.session?.activeParticipants ?? [];
    },
    get me() {
      return sharing.session?.localParticipant ?? null;
    },
    redraw: () => {
      renderer.redraw();
      renderer.frame();
    },
  }),
});

const shared = /^\/s\/([\w-]{22})\/?$/.exec(location.pathname);
if (shared) sharing.join(shared[1]);
stateChanged();
document.documentElement.dataset.ready = 'true';
