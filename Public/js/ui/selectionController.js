/** The controller and the view of the selection. */

import { SelectionCommands } from '../edit/selectionCommands.js';
import { transformedBounds, TransformSync } from '../protocol/transformSync.js';
import { drawnBefore, overlap } from '../model/stroke.js';
import { Text } from '../model/text.js';
import { SelectTool } from '../tools/selectTool.js';
import { errorWords, words } from '../i18n/i18n.js';
import { announce, confirmed, toast } from './dialogs.js';
import { element, icon, make } from './elements.js';

/**
 * @typedef {import('../model/shapes.js').Shape} Shape
 *
 * @typedef {object} Parts
 * @property {import('../model/shapes.js').Shapes} shapes
 * @property {import('../model/scene.js').Items} items
 * @property {import('../model/spatialIndex.js').ShapeIndex} index
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../edit/itemStore.js').ItemStore} itemStore
 * @property {import('../edit/undoHistory.js').UndoHistory} history
 * @property {import('../model/camera.js').Camera} camera
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('./itemView.js').ItemView} itemView
 * @property {{ width: number, height: number }} view the canvas, in pixels
 * @property {() => void} requestFrame
 */

/** How far what was duplicated lies from what it was, in pixels. */
const BESIDE = 20;

/** Connects the selection, its commands, the select tool, and the view of the selection. */
export class SelectionController {
  #parts;
  #commands;
  #transformSync;
  #view;
  /** The tool. */
  selectTool;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { shapes, itemStore, camera, selection } = parts;
    this.#transformSync = new TransformSync(shapes, (id, transform, by) => itemStore.dragRemotely(id, transform, by));
    this.#commands = new SelectionCommands({ ...parts, transformSync: this.#transformSync });
    this.selectTool = new SelectTool(parts, selection, this.#commands, () => camera.scale);
    this.#view = new SelectionView({ ...parts, selectTool: this.selectTool, commands: this.#commands, actions: this });
  }

  /** @param {import('../sync/groupSession.js').GroupSession | null} session from now on */
  follow(session) {
    this.selectTool.cancel();
    if (this.#parts.shapes.size === 0) this.#commands.reset();
    this.#transformSync.follow(session);
  }

  /** They come from elsewhere. @param {Parameters<SelectionCommands['insert']>} things @returns {string[]} their ids */
  insert(...things) {
    return this.#commands.insert(...things);
  }

  /** @param {number} now @returns {boolean} whether another frame is needed */
  frame(now) {
    const { width, height } = this.#parts.view;
    const isBusy = this.#commands.frame();
    this.#view.frame(width, height);
    return this.#transformSync.frame(now) || isBusy;
  }

  async duplicate() {
    const { selection, camera } = this.#parts;
    this.selectTool.commitNudge();
    try {
      selection.choose(await this.#commands.duplicate(selection.ids, BESIDE / camera.scale));
    } catch (error) {
      toast(errorWords(error));
    }
  }

  bringToFront() {
    this.selectTool.commitNudge();
    this.#commands.bringToFront(this.#parts.selection.ids);
  }

  /** What is chosen gets another style. @param {(shape: Shape) => object} styleOf @returns {boolean} whether any shape is chosen */
  restyle(styleOf) {
    this.selectTool.commitNudge();
    return this.#commands.restyle(this.#parts.selection.ids, styleOf);
  }

  /** Chooses the next thing in the order of drawing, or the one before. @param {1 | -1} by */
  step(by) {
    const { shapes, items, selection, camera, view } = this.#parts;
    const all = [...shapes.all, ...items.all].sort(drawnBefore);
    if (all.length === 0) return;
    const { sole } = selection;
    const before = sole ? all.findIndex(({ id }) => id === sole.id) : by > 0 ? -1 : 0;
    const at = (before + by + all.length) % all.length;
    const one = all[at];
    this.selectTool.select([one.id]);
    const { left, top, right, bottom } = one.bounds;
    if (!overlap(one.bounds, camera.seen(view.width, view.height))) {
      const [x, y] = camera.toCanvas((left + right) / 2, (top + bottom) / 2);
      camera.pan(view.width / 2 - x, view.height / 2 - y);
    }
    announce(`${nameOf(one)}, ${words.doneOf(words.number(at + 1), words.number(all.length))}`);
  }

  /** For everybody; asks first where that cannot be undone. */
  async remove() {
    const { selection, itemView } = this.#parts;
    this.selectTool.commitNudge();
    const { soleItem, ids, size } = selection;
    if (size === 0) return;
    if (soleItem) return itemView.remove(soleItem);
    const isForGood = selection.items.some(({ blob }) => blob === null);
    const question = { title: words.removeThings(size), text: words.cannotComeBack, action: words.remove };
    if (isForGood && !await confirmed(question)) return;
    this.#commands.remove(ids);
    announce(words.thingsRemoved(size));
  }
}

/** @param {import('../model/scene.js').Drawable} one @returns {string} for those who do not see it */
function nameOf(one) {
  if (one instanceof Text) return `${words.text}: ${one.text}`;
  if ('place' in one) return one.isPicture ? words.picture(one.name) : words.file(one.name);
  // Others may call theirs whatever they like.
  const name = { ...words }[/** @type {'pen'} */ (one.tool)];
  return typeof name === 'string' ? name : words.pen;
}

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 *
 * @typedef {object} ViewParts
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('../tools/selectTool.js').SelectTool} selectTool
 * @property {import('../edit/selectionCommands.js').SelectionCommands} commands
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ duplicate: () => void, bringToFront: () => void, remove: () => void }} actions
 * @property {() => void} requestFrame
 */

/** Between what is chosen and the bar, and around the bar, in pixels; above and below are other bars. */
const GAP = 14;
const SIDE = 8;
const TOP = 64;
const BOTTOM = 84;

/** What is chosen: the box around it, with its corners; the bar beside it; and the box that is drawn to choose. */
export class SelectionView {
  #frame = element('chosen');
  #bar = element('chosen-bar');
  #box = element('marquee');
  #download = make('a', { class: 'tool', title: words.download });
  #parts;
  #shown = '';

  /** @param {ViewParts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { selection, selectTool, actions, requestFrame } = parts;
    this.#download.append(icon('download'));
    this.#bar.append(
      this.#download,
      button(icon('duplicate'), words.duplicate, words.duplicateTitle, () => actions.duplicate()),
      button(icon('front'), words.bringToFront, words.bringToFrontTitle, () => actions.bringToFront()),
      button(icon('remove'), words.remove, words.removeTitle, () => {
        element('canvas').focus();
        actions.remove();
      }),
    );
    selection.addEventListener('change', () => {
      if (selection.size > 1) announce(words.thingsChosen(selection.size));
      requestFrame();
    });
    selectTool.addEventListener('box', requestFrame);
  }

  /** @param {number} width @param {number} height of the canvas */
  frame(width, height) {
    const { selection, selectTool, commands, camera } = this.#parts;
    const { size, version } = selection;
    const { outlineTransform, isDragging, isBusy } = commands;
    // What is still being moved is nowhere yet.
    if (isBusy) {
      this.#shown = '';
      this.#frame.hidden = this.#bar.hidden = true;
      return;
    }
    const now = [
      version,
      camera.version,
      width,
      height,
      size,
      isDragging,
      outlineTransform?.x,
      outlineTransform?.y,
      outlineTransform?.factor,
    ]
      .join();
    this.#show(this.#box, selectTool.box);
    if (now === this.#shown) return;
    this.#shown = now;
    const bounds = selection.bounds;
    const box = bounds && outlineTransform ? transformedBounds(bounds, outlineTransform) : bounds;
    this.#show(this.#frame, box);
    this.#bar.hidden = box === null;
    if (!box) return;
    const { soleItem } = selection;
    this.#frame.toggleAttribute('data-fixed', soleItem?.isPicture === false);
    this.#frame.toggleAttribute('data-unshown', outlineTransform !== null);
    this.#bar.toggleAttribute('data-away', isDragging);
    const source = soleItem?.source ?? null;
    this.#download.hidden = source === null;
    if (source && soleItem) {
      this.#download.href = source.url;
      this.#download.download = soleItem.name;
      this.#download.setAttribute('aria-label', words.downloadOf(soleItem.name));
    }
    this.#placeBar(box, width, height);
  }

  /** Above what is chosen, else below, else where there is room. @param {Bounds} box @param {number} width @param {number} height */
  #placeBar(box, width, height) {
    const { left, top, right, bottom } = this.#onCanvas(box);
    const { offsetWidth, offsetHeight } = this.#bar;
    const x = Math.max(SIDE, Math.min(width - offsetWidth - SIDE, (left + right - offsetWidth) / 2));
    const above = top - offsetHeight - GAP;
    const below = bottom + GAP;
    const lowest = height - offsetHeight - BOTTOM;
    const y = above >= TOP ? above : below <= lowest ? below : TOP;
    this.#bar.style.transform = `translate(${x.toFixed(1)}px, ${Math.min(y, lowest).toFixed(1)}px)`;
  }

  /** @param {HTMLElement} shown @param {Bounds | null} bounds */
  #show(shown, bounds) {
    shown.hidden = bounds === null;
    if (!bounds) return;
    const { left, top, right, bottom } = this.#onCanvas(bounds);
    shown.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    shown.style.width = `${(right - left).toFixed(1)}px`;
    shown.style.height = `${(bottom - top).toFixed(1)}px`;
  }

  /** @param {Bounds} bounds @returns {Bounds} in pixels */
  #onCanvas({ left, top, right, bottom }) {
    const { camera } = this.#parts;
    const [x, y] = camera.toCanvas(left, top);
    return { left: x, top: y, right: x + (right - left) * camera.scale, bottom: y + (bottom - top) * camera.scale };
  }
}

/** @param {Node} icon @param {string} label @param {string} title @param {() => void} done */
function button(icon, label, title, done) {
  const made = make('button', { type: 'button', class: 'tool', 'aria-label': label, title });
  made.append(icon);
  made.addEventListener('click', done);
  return made;
}
