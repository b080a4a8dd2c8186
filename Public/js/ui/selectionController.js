/** The controller and the view of the selection. */

import { SelectionCommands } from '../edit/selectionCommands.js';
import { transformedBounds, TransformSync } from '../protocol/transformSync.js';
import { SelectTool } from '../tools/selectTool.js';
import { errorText, strings } from '../i18n/i18n.js';
import { announce, confirmed, toast } from './dialogs.js';
import { button, element, make } from './elements.js';
import { icon } from './icons.js';

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

/** The distance of a duplicate from its original, in pixels. */
const BESIDE = 20;

/** Connects the selection, its commands, the select tool, and the view of the selection. */
export class SelectionController {
  #parts;
  #commands;
  #transformSync;
  #view;
  selectTool;
  /**
   * Returns the question to ask before the selection is removed; null: the usual question.
   * @type {(isForGood: boolean) => import('./dialogs.js').Question | null}
   */
  questionOf = () => null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { shapes, itemStore, camera, selection } = parts;
    this.#transformSync = new TransformSync(
      shapes,
      (id, transform, by) => itemStore.placements.dragRemotely(id, transform, by),
    );
    this.#commands = new SelectionCommands({ ...parts, transformSync: this.#transformSync });
    this.selectTool = new SelectTool(parts, selection, this.#commands, () => camera.scale);
    this.#view = new SelectionView({ ...parts, selectTool: this.selectTool, commands: this.#commands, actions: this });
  }

  /** The queue of the commands, for other components that push commands. */
  get tasks() {
    return this.#commands.tasks;
  }

  /** Switches to another session. @param {import('../sync/groupSession.js').GroupSession | null} session null: none */
  follow(session) {
    this.selectTool.cancel();
    if (this.#parts.shapes.size === 0) this.#commands.reset();
    this.#transformSync.follow(session);
  }

  /**
   * Inserts imported shapes and items.
   * @param {Parameters<SelectionCommands['insert']>} things
   * @returns {Promise<string[]>} their ids, once all are inserted
   */
  insert(...things) {
    return this.#commands.insert(...things);
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    const { width, height } = this.#parts.view;
    const isBusy = this.#commands.frame();
    this.#view.frame(width, height);
    return this.#transformSync.frame(now) || isBusy;
  }

  async duplicate() {
    const { selection, camera } = this.#parts;
    this.selectTool.commitNudge();
    const originals = new Set(selection.ids);
    try {
      const copies = await this.#commands.duplicate(originals, BESIDE / camera.scale);
      // Many copies take a while, and the person may have changed the selection by then.
      const isUnchanged = selection.size > 0 && [...selection.ids].every((id) => originals.has(id));
      if (isUnchanged) selection.choose(copies);
    } catch (error) {
      toast(errorText(error));
    }
  }

  bringToFront() {
    this.selectTool.commitNudge();
    this.#commands.bringToFront(this.#parts.selection.ids);
  }

  /**
   * Gives the selection another style.
   * @param {(shape: Shape) => object} styleOf @returns {boolean} true if a shape is selected
   */
  restyle(styleOf) {
    this.selectTool.commitNudge();
    return this.#commands.restyle(this.#parts.selection.ids, styleOf);
  }

  /** Removes the selection for everybody. Asks first if that cannot be undone. */
  async remove() {
    const { selection, itemView } = this.#parts;
    this.selectTool.commitNudge();
    const { soleItem, ids, size } = selection;
    if (size === 0) return;
    const isForGood = selection.items.some(({ blob }) => blob === null);
    const special = this.questionOf(isForGood);
    if (soleItem && !special) return itemView.remove(soleItem);
    const question = special ?? {
      title: strings.removeThings(size),
      text: strings.cannotComeBack,
      action: strings.remove,
      isDestructive: true,
    };
    if ((special || isForGood) && !await confirmed(question)) return;
    this.#commands.remove(ids);
    announce(strings.thingsRemoved(size));
  }
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

/**
 * In pixels: the gap between the selection and its bar, and the margins at the sides, the top and the bottom, where other bars
 * are.
 */
const GAP = 14;
const SIDE = 8;
const TOP = 64;
const BOTTOM = 84;

/** The view of the selection: the selection box with its corners, the bar beside it, and the box that is drawn to select. */
export class SelectionView {
  #frame = element('chosen');
  #bar = element('chosen-bar');
  #box = element('marquee');
  #download = make('a', { class: 'tool', title: strings.download });
  #parts;
  #shown = '';

  /** @param {ViewParts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { selection, selectTool, actions, requestFrame } = parts;
    this.#download.append(icon('download'));
    this.#bar.append(
      this.#download,
      button(icon('duplicate'), strings.duplicate, strings.duplicateTitle, () => actions.duplicate()),
      button(icon('front'), strings.bringToFront, strings.bringToFrontTitle, () => actions.bringToFront()),
      button(icon('remove'), strings.remove, strings.removeTitle, () => {
        element('canvas').focus();
        actions.remove();
      }),
    );
    selection.addEventListener('change', () => {
      if (selection.size > 1) announce(strings.thingsChosen(selection.size));
      requestFrame();
    });
    selectTool.addEventListener('box', requestFrame);
  }

  /** @param {number} width @param {number} height of the canvas */
  frame(width, height) {
    const { selection, selectTool, commands, camera } = this.#parts;
    const { size, version } = selection;
    const { outlineTransform, isDragging, isBusy } = commands;
    // A large selection that is still being changed has no final position yet.
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
      outlineTransform?.angle,
    ]
      .join();
    this.#show(this.#box, selectTool.box);
    if (now === this.#shown) return;
    this.#shown = now;
    const bounds = selection.bounds;
    const box = bounds && outlineTransform ? transformedBounds(bounds, outlineTransform) : bounds;
    const frame = box && (selectTool.transforms?.frame(outlineTransform) ?? { box, angle: 0, around: box });
    this.#show(this.#frame, frame?.box ?? null, frame?.angle);
    this.#bar.hidden = frame === null;
    if (!frame) return;
    const { soleItem } = selection;
    this.#frame.toggleAttribute('data-fixed', soleItem?.isPicture === false);
    this.#frame.toggleAttribute('data-unshown', outlineTransform !== null);
    this.#bar.toggleAttribute('data-away', isDragging);
    const source = soleItem?.source ?? null;
    this.#download.hidden = source === null;
    if (source && soleItem) {
      this.#download.href = source.url;
      this.#download.download = soleItem.name;
      this.#download.setAttribute('aria-label', strings.downloadOf(soleItem.name));
    }
    this.#placeBar(frame.around, width, height);
  }

  /**
   * Places the bar above the selection, else below it, else where there is room.
   * @param {Bounds} box @param {number} width @param {number} height
   */
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

  /** @param {HTMLElement} shown @param {Bounds | null} bounds @param {number} [angle] of the rotation about their center */
  #show(shown, bounds, angle = 0) {
    shown.hidden = bounds === null;
    if (!bounds) return;
    const { left, top, right, bottom } = this.#onCanvas(bounds);
    shown.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) rotate(${angle}deg)`;
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
