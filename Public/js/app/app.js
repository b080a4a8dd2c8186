/** Wires the parts together. */

import { Album } from '../edit/itemStore.js';
import { Backlog } from '../model/scheduling.js';
import { Camera } from '../model/camera.js';
import { Drawing } from '../edit/drawing.js';
import { History } from '../edit/undoHistory.js';
import { Items, Scene } from '../model/scene.js';
import { Renderer } from '../render/renderer.js';
import { pastedText, Text } from '../model/text.js';
import { Selection } from '../edit/selection.js';
import { MarkIndex } from '../model/spatialIndex.js';
import { Marks } from '../model/shapes.js';
import { isDrawingFile, isDrawingText } from '../persist/drawingFile.js';
import { Presence } from '../protocol/presence.js';
import { newKey } from '../sync/key.js';
import { watchWaking } from '../sync/connection.js';
import { FrameScheduler } from './frameScheduler.js';
import { Sharing } from './sharing.js';
import { browserDatabase } from '../persist/database.js';
import { CURSOR_TYPE } from '../protocol/cursorMessage.js';
import { Eraser, Pen, Shaper } from '../tools/pen.js';
import { Hand } from '../tools/hand.js';
import { PointerInput } from '../tools/pointerInput.js';
import { Writer } from '../tools/writer.js';
import { Adding } from '../ui/adding.js';
import { ChangeTags, SharedCursors } from '../ui/others.js';
import { CanvasView } from '../ui/canvasView.js';
import { Choosing } from '../ui/choosing.js';
import { ConnectionBanner, OverBar } from '../ui/connectionBanner.js';
import { showKeys, toast } from '../ui/dialogs.js';
import { element } from '../ui/elements.js';
import { ExportDialog } from '../ui/exportDialog.js';
import { chooseLanguage, Fingers, offerThemes, Settings, storageOr } from '../ui/settings.js';
import { Incoming, Opening } from '../ui/incoming.js';
import { Inks, takesInk, Toolbar } from '../ui/toolbar.js';
import { openToInspection } from '../ui/inspection.js';
import { ItemView } from '../ui/itemView.js';
import { bindKeys } from '../ui/keys.js';
import { People } from '../ui/people.js';
import { SessionFlow } from '../ui/sessionFlow.js';
import { TextBox } from '../ui/textBox.js';
import { errorWords, words } from '../i18n/i18n.js';

browserDatabase.open();

const canvas = /** @type {HTMLCanvasElement} */ (element('canvas'));
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

const frames = new FrameScheduler();
const ask = () => frames.request();
/** Whether buttons, summary and banner are behind what happened: they follow once a frame. */
let isStateNew = true;
let stateShownAt = 0;
/** While the picture comes in, not so often, in milliseconds. */
const COMING_MS = 250;
/** Whether nothing could be drawn any more. */
let wasOver = false;
let isUnkeptTold = false;
/** Where the mouse is over the page, in the plane. @type {[number, number] | null} */
let pointer = null;
/** Whether the picture of a session that has just been entered is still coming in. */
let isComing = false;
const settings = new Settings(storageOr(() => localStorage));
const marks = new Marks();
const index = new MarkIndex();
const camera = new Camera();
const items = new Items();
const scene = new Scene(marks, items);
const history = new History();
const backlog = new Backlog(ask);
const drawing = new Drawing(marks, newKey, history, backlog);
const album = new Album({
  items,
  history,
  depth: {
    get next() {
      return drawing.nextZ;
    },
    seen: (z) => marks.raise(z),
  },
});
const selection = new Selection(marks, items);
const itemView = new ItemView({ album, items, camera, selection, choose, ask });
const paint = itemView.painter.paint.bind(itemView.painter);
const renderer = new Renderer(canvas, scene, camera, paint, ask);
const choosing = new Choosing({
  marks,
  items,
  index,
  drawing,
  album,
  history,
  camera,
  selection,
  itemView,
  view: renderer,
  ask,
});
const { selector } = choosing;
const cursors = new SharedCursors(camera, { glides: () => !reducedMotion.matches, ask });
const changeTags = new ChangeTags({
  scene,
  camera,
  isSeenAt: (number, bounds) => cursors.isAt(number, bounds),
  ask,
});
const sharing = new Sharing({
  drawing,
  album,
  items,
  base: new URL('/', location.href),
  profile: () => ({ name: settings.name, color: settings.color }),
  storage: storageOr(() => sessionStorage),
  database: browserDatabase,
  newId: newKey,
});

const toolbar = new Toolbar();
const inks = new Inks(settings);
const fingers = new Fingers(settings);
offerThemes(settings);
element('plain').hidden = isSecureContext;
element('plain').addEventListener('click', () => toast(words.notEncryptedText, { stays: true }));
const presence = new Presence();
const people = new People(presence);
const view = new CanvasView(renderer, scene, camera, ask);
const banner = new ConnectionBanner({
  waiting: () => ({ strokes: drawing.waitingStrokes, ...album.waiting }),
  isKept: () => sharing.isKept,
  trouble: () => sharing.session?.trouble ?? '',
  retry: () => sharing.session?.reconnectNow(),
});
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
});

const exporting = new ExportDialog(scene, selection, () => choosing.remove());
const overBar = new OverBar({ scene, save: () => exporting.open(), start: () => flow.share() });

const writer = new Writer(drawing, index, () => inks.textLook, () => camera.scale, newKey);
const textBox = new TextBox(writer, camera, renderer, ask);

frames.run(
  () => {
    const isBehind = backlog.work();
    if (isBehind && isComing) view.showAtFirst();
    return isBehind;
  },
  (now) => {
    if (!isStateNew || (isComing && now - stateShownAt < COMING_MS)) return isStateNew;
    stateShownAt = now;
    showState();
    return false;
  },
  (now) => drawing.flush(now),
  (now) => cursors.frame(now),
  (now) => changeTags.frame(now),
  (now) => album.frame(now),
  (now) => itemView.frame(now, renderer),
  (now) => choosing.frame(now),
  () => textBox.frame(),
  () => view.frame(),
);

const tools = {
  pen: new Pen(drawing, () => inks.lookOf('pen')),
  highlighter: new Pen(drawing, () => inks.lookOf('highlighter')),
  eraser: new Eraser(drawing, index, () => camera.scale),
  select: selector,
  hand: new Hand(camera),
  text: writer,
  line: shaper('line'),
  arrow: shaper('arrow'),
  rectangle: shaper('rectangle'),
  ellipse: shaper('ellipse'),
};

/** @param {string} tool */
function shaper(tool) {
  return new Shaper(drawing, () => inks.lookOf(tool), () => camera.scale, newKey);
}

marks.watch(index);
scene.watch({ shown: ask, changed: ask, hidden: ask });
drawing.addEventListener('change', stateChanged);
album.addEventListener('change', stateChanged);
itemView.watchColors(() => (renderer.redraw(), ask()));
drawing.addEventListener('error', (event) => toast(errorWords(/** @type {CustomEvent<Error>} */ (event).detail)));
drawing.addEventListener('gone', () => toast(words.removedByOther));

const input = new PointerInput(canvas, camera, {
  tool: ({ isTurned, isFinger }) => {
    if (isTurned && !isOver()) return tools.eraser;
    return isFinger && !['select', 'text'].includes(toolbar.tool) && fingers.move() ? tools.hand : tools[toolbar.tool];
  },
  penSeen: () => fingers.penSeen(),
  hovered: (point) => {
    pointer = point;
    cursors.moved(point);
    if (toolbar.tool === 'select' && !selector.isMoving) canvas.dataset.over = point ? selector.over(...point) : '';
  },
  moved: ask,
  signal: new AbortController().signal,
});

function stateChanged() {
  isStateNew = true;
  ask();
}

function showState() {
  const { session } = sharing;
  isStateNew = false;
  toolbar.show({
    canUndo: drawing.canUndo,
    canRedo: drawing.canRedo,
    isEmpty: scene.isEmpty,
    isShared: session !== null,
    isConnected: session?.isConnected ?? false,
  });
  const { over } = sharing;
  overBar.show(over !== null);
  view.changed(over ? words.overForLate : session ? words.hintTogether : words.hintAlone);
  banner.changed();
}

sharing.addEventListener('session', () => {
  const { session, over } = sharing;
  input.finish();
  writer.finish();
  if (over) toolbar.choose('hand');
  else if (wasOver) toolbar.choose('pen');
  wasOver = over !== null;
  cursors.follow(session);
  presence.follow(session);
  choosing.follow(session);
  stateChanged();
  if (session) accompany(session);
});

sharing.addEventListener('opened', () => view.showAtFirst());
sharing.addEventListener('unkept', () => {
  // In a session it matters while something waits: the banner says so.
  if (!sharing.session && !isUnkeptTold) toast(words.notKept);
  isUnkeptTold ||= !sharing.session;
  stateChanged();
});

/** @param {import('../sync/groupSession.js').GroupSession} session that has just been entered */
function accompany(session) {
  changeTags.observe(session);
  isComing = true;
  session.observe({
    entry: ({ sender, type }) => {
      // What is told anew was drawn before.
      if (session.isConnected && type !== CURSOR_TYPE && sender !== session.localParticipant?.number) {
        people.drew(sender);
      }
    },
    caughtUp: () =>
      backlog.add(() => {
        if (isComing && session === sharing.session) view.showAtFirst();
        isComing = false;
      }),
  });
}

const adding = new Adding({
  album,
  items,
  camera,
  view: renderer,
  limit: () => sharing.attachmentBytes(),
  // What one does next is to put it where it shall lie.
  added: ([first, ...others]) => choose(others.length === 0 ? first : null),
});
const opening = new Opening({
  scene,
  drawing,
  camera,
  view,
  canvas: renderer,
  bring: choosing.bring.bind(choosing),
  // What one does next is to put it where it shall lie.
  choose: (ids) => (toolbar.choose('select'), selector.choose(ids)),
  limit: () => sharing.attachmentBytes(),
});
const isOver = () => sharing.over !== null;
const incoming = new Incoming(
  (files, at) => {
    for (const file of files.filter(isDrawingFile)) opening.open(file, at);
    adding.add(files.filter((file) => !isDrawingFile(file)), at);
  },
  paste,
  isOver,
);

/** @param {string} pasted */
function paste(pasted) {
  if (isDrawingText(pasted)) {
    const [x, y] = pointer ? camera.toCanvas(...pointer) : [renderer.width / 2, renderer.height / 2];
    return void opening.open(new File([pasted], words.asDrawing), { x, y });
  }
  const identity = { id: newKey(), z: drawing.nextZ };
  const text = pastedText(pasted, inks.textLook, identity, camera.toPlane(renderer.width / 2, renderer.height / 2));
  if (!text) return;
  toolbar.choose('select');
  selector.choose(choosing.bring([text], []));
}

/** @param {import('../model/item.js').Item | null} item */
function choose(item) {
  if (isOver()) return;
  toolbar.choose('select');
  selector.choose(item ? [item.id] : []);
}

/** @param {import('../model/scene.js').Drawable | [number, number] | null} one that has words of its own to be changed, or where new ones go */
function edit(one) {
  if (isOver()) return;
  if (Array.isArray(one)) return writer.write(one[0], one[1]);
  if (!(one instanceof Text)) return;
  selector.choose([]);
  writer.edit(one);
}

toolbar.addEventListener('tool', () => {
  canvas.dataset.cursor = toolbar.tool;
  writer.finish();
  if (toolbar.tool !== 'select') selector.choose([]);
});
selector.addEventListener('edit', (event) => edit(/** @type {CustomEvent} */ (event).detail));
toolbar.addEventListener('undo', () => drawing.undo());
toolbar.addEventListener('redo', () => drawing.redo());
toolbar.addEventListener('clear', () => flow.newPage());
toolbar.addEventListener('open', () => incoming.pick());
toolbar.addEventListener('save', () => exporting.open());
toolbar.addEventListener('keys', () => showKeys());
toolbar.addEventListener('language', () => chooseLanguage(settings, () => sharing.session !== null || scene.isEmpty));
toolbar.addEventListener('leave', () => flow.leave());
toolbar.addEventListener('end', () => flow.end());
inks.addEventListener('own', () => flow.showProfile());
inks.addEventListener('change', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (writer.written) writer.restyle();
  else if (!choosing.restyle((mark) => inks.partOf(mark, detail)) && !takesInk(toolbar.tool)) toolbar.choose('pen');
});

const editChosen = () => edit(selection.sole);
bindKeys({ toolbar, inks, incoming, choosing, drawing, view, edit: editChosen, exporting, isOver });

addEventListener('pagehide', () => {
  input.finish();
  writer.finish();
  sharing.saveNow();
});
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
  addEventListener(type, () => presence.active(), { passive: true, capture: true });
}
document.addEventListener('visibilitychange', () => {
  presence.away(document.hidden);
  if (document.hidden) sharing.saveNow();
});
watchWaking((slept) => sharing.session?.wake(slept));

openToInspection({ sharing, marks, items, selection, renderer, backlog });

const shared = /^\/s\/([\w-]{22})\/?$/.exec(location.pathname);
if (shared) sharing.join(shared[1]);
else sharing.openAlone();
stateChanged();
document.documentElement.dataset.ready = 'true';
