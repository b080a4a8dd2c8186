/** Chooses the sheet that this person sees, and keeps the camera on it. */

import { viewOn } from '../model/sheetBorders.js';
import { originOf, sheetAt, sheetOf, SIDE } from '../model/sheets.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/sheetBorders.js').View} View
 * @typedef {import('../edit/undoHistory.js').Command} Command
 *
 * @typedef {object} Parts
 * @property {import('../protocol/sheetSync.js').Sheets} sheets
 * @property {import('../model/sheetContents.js').SheetContents} contents
 * @property {Pick<import('../model/scene.js').Scene, 'observe'> & { sheet: object }} scene
 * @property {import('../model/camera.js').Camera} camera
 * @property {{ width: number, height: number }} canvas in pixels
 * @property {Pick<import('./canvasView.js').CanvasView, 'isFirstView' | 'showAtFirst'>} view
 * @property {(id: string) => { bounds: Bounds } | null} find returns a displayed shape or item
 * @property {() => boolean} isWorking returns true while the pointer draws
 * @property {() => void} finish ends everything that is in progress on the shown sheet
 * @property {() => void} requestFrame
 */

/**
 * Events: `change` (the list of sheets or the shown sheet has changed); `shown` (another sheet is shown); `removed` (another
 * sheet is shown because the earlier one was removed); `gone` (the sheet for which the page waited does not exist).
 */
export class SheetView extends EventTarget {
  #parts;
  #whole;
  #current = 1;
  /** The sheets that can be shown, in order. */
  #list = [1];
  #isDivided = false;
  #isDirty = true;
  /** The views of sheets that were shown before. @type {Map<number, View>} */
  #views = new Map();
  /** The number of the sheet to show as soon as it exists; 0: none. */
  #wanted = 0;

  /** @param {Parts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    const { sheets, scene } = parts;
    this.#whole = scene.sheet;
    sheets.addEventListener('change', () => {
      this.#update();
      this.dispatchEvent(new Event('change'));
    });
    // A sheet without an entry is listed only while it has objects, so a new or removed object may change the list.
    const changed = () => (this.#isDirty ||= this.#isDivided);
    scene.observe({ shown: changed, changed, hidden: changed });
    this.#update();
  }

  /** The number of the shown sheet. */
  get current() {
    return this.#current;
  }

  /** The numbers of the sheets, in order. @returns {readonly number[]} */
  get list() {
    return this.#list;
  }

  /** True while the page waits for a sheet. */
  get isWaiting() {
    return this.#wanted > 0;
  }

  /** Shows a sheet if it exists, and stops waiting for any other sheet. @param {number} number */
  go(number) {
    this.#wanted = 0;
    this.#go(number);
  }

  /** Shows a sheet now, or as soon as it exists. @param {number} number */
  want(number) {
    this.#wanted = number;
    this.#goToWanted();
  }

  /**
   * Shows the sheet of a link. Until the sheets are known, shows its area of the plane, so that new strokes belong to the sheet.
   * @param {number} number
   */
  expect(number) {
    this.want(number);
    const { camera, view, isWorking } = this.#parts;
    if (this.#isDivided || !camera.isHome || isWorking()) return;
    [camera.homeX, camera.homeY] = originOf(number);
    camera.home();
    view.showAtFirst();
  }

  /**
   * Stops waiting for a sheet that does not exist. To be called once the sheets of the page are known.
   * @returns {boolean} true if the page has waited for such a sheet
   */
  stopWaiting() {
    this.#update();
    if (this.#wanted === 0 || this.#list.includes(this.#wanted)) return false;
    this.#wanted = 0;
    if (!this.#isDivided) {
      // Without sheets, the page is one plane.
      const { camera, view, finish } = this.#parts;
      finish();
      this.#show(1);
      camera.home();
      view.showAtFirst();
    }
    this.dispatchEvent(new Event('gone'));
    return true;
  }

  /** Shows the next sheet, or the previous one. @param {1 | -1} by */
  step(by) {
    const at = this.#list.indexOf(this.#current) + by;
    if (this.#list[at]) this.go(this.#list[at]);
  }

  /** Shows the sheet of a part of the plane, if the page has it. @param {Bounds} bounds */
  showAt(bounds) {
    if (this.#isDivided) this.go(sheetOf(bounds));
  }

  /**
   * Shows the sheet of the objects that a command is about to change.
   * @param {Command} command @returns {number} that sheet, if it cannot be shown because it was removed; otherwise 0
   */
  showPlaceOf({ content }) {
    const bounds = content ? placeOf(content, this.#parts.find) : null;
    if (!bounds || !this.#isDivided) return 0;
    this.showAt(bounds);
    const number = sheetOf(bounds);
    return number !== this.#current && this.#parts.sheets.find(number)?.isRemoved ? number : 0;
  }

  /** Applies changes of the scene. To be called once a frame. @returns {boolean} true if another frame is needed */
  frame() {
    if (this.#isDirty) this.#update();
    this.#goToWanted();
    return false;
  }

  /** Keeps the view on the sheet after a change of the window's size. */
  resized() {
    if (this.#isDivided) this.#parts.camera.pan(0, 0);
  }

  /** @param {number} number */
  #go(number) {
    if (number === this.#current || !this.#list.includes(number)) return;
    const { camera, view, finish, requestFrame } = this.#parts;
    finish();
    this.#leave();
    this.#show(number);
    camera.home();
    const before = this.#views.get(number);
    if (before) {
      camera.zoom(before.scale, 0, 0);
      camera.pan((camera.x - before.x) * before.scale, (camera.y - before.y) * before.scale);
    } else view.showAtFirst();
    requestFrame();
    this.#report();
  }

  #goToWanted() {
    const wanted = this.#wanted;
    if (wanted === 0 || this.#parts.isWorking() || !this.#list.includes(wanted)) return;
    this.#wanted = 0;
    this.#go(wanted);
  }

  #update() {
    const { sheets, contents } = this.#parts;
    const before = this.#list;
    this.#isDirty = false;
    this.#list = sheets.shown(sheets.isDivided ? contents.filled : []);
    if (sheets.isDivided !== this.#isDivided) this.#divide(sheets.isDivided);
    if (!this.#list.includes(this.#current)) {
      // After a removal, the neighbor of the removed sheet is shown.
      const rest = before.slice(0, before.indexOf(this.#current)).reverse().concat(before);
      this.#go(rest.find((number) => this.#list.includes(number)) ?? this.#list[0]);
      this.dispatchEvent(new Event('removed'));
    }
    this.#goToWanted();
    if (this.#list.join() !== before.join()) this.dispatchEvent(new Event('change'));
  }

  /** @param {boolean} isDivided true if the page has sheets; false: it is one sheet without borders */
  #divide(isDivided) {
    const { camera, canvas, contents, view, isWorking, finish } = this.#parts;
    const wasElsewhere = this.#current !== 1;
    this.#isDivided = isDivided;
    this.#views.clear();
    const home = sheetAt(camera.homeX, camera.homeY);
    // The page chose its first view before it knew the sheets, so that view shows the objects of all sheets.
    const isOfAll = isDivided && view.isFirstView && contents.filled.some((number) => number !== home);
    const seen = isOfAll ? home : sheetAt(...camera.toPlane(canvas.width / 2, canvas.height / 2));
    this.#show(isDivided && this.#list.includes(seen) ? seen : 1);
    camera.limit = isDivided ? (view) => this.#limited(view) : (view) => view;
    if (isOfAll) {
      // If the camera stays, a stroke in progress can go on.
      if (!camera.isHome) finish();
      camera.home();
      if (!isWorking()) view.showAtFirst();
    } else if (isDivided && seen === this.#current) camera.pan(0, 0);
    else if (isDivided || wasElsewhere) camera.home();
  }

  /**
   * Keeps a view on the shown sheet. A jump of the camera may lead to another sheet, for example if a picture there gets the
   * focus. Movements by hand are too short for this.
   * @param {View} view @returns {View}
   */
  #limited(view) {
    const { camera, canvas: { width, height }, finish } = this.#parts;
    const [x, y] = [view.x + width / view.scale / 2, view.y + height / view.scale / 2];
    const [fromX, fromY] = camera.toPlane(width / 2, height / 2);
    const number = sheetAt(x, y);
    const isFar = Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) > SIDE / 2;
    if (isFar && number !== this.#current && this.#list.includes(number)) {
      finish();
      this.#leave();
      this.#show(number);
      this.#report();
    }
    return viewOn(view, this.#current, width, height);
  }

  /** Keeps the view of the shown sheet. */
  #leave() {
    const { x, y, scale } = this.#parts.camera;
    this.#views.set(this.#current, { x, y, scale });
  }

  #report() {
    this.dispatchEvent(new Event('change'));
    this.dispatchEvent(new Event('shown'));
  }

  /** @param {number} number */
  #show(number) {
    const { camera, scene, contents } = this.#parts;
    this.#current = number;
    [camera.homeX, camera.homeY] = originOf(number);
    scene.sheet = this.#isDivided ? contents.of(number) : this.#whole;
  }
}

/**
 * Returns the bounds of the first object of a command: those of the displayed object, or else those in the command.
 * @param {NonNullable<Command['content']>} content @param {Parts['find']} find @returns {Bounds | null}
 */
function placeOf(content, find) {
  const { id, shapes = [], items = [], removed = [], added = [] } = /** @type {Record<string, any>} */ (content);
  for (const group of [id ? [{ id }] : [], shapes, items, removed, added]) {
    for (const one of group) {
      const object = one.item ?? one.after ?? one;
      const bounds = find(object.id)?.bounds ?? object.bounds;
      if (bounds) return bounds;
    }
  }
  return null;
}
