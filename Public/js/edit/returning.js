/** Objects of a past moment that come back to the page. */

import { GroupSessionError } from '../sync/errors.js';
import { newKey } from '../sync/key.js';
import { changedEnds } from '../model/connection.js';
import { sheetOf } from '../model/sheets.js';
import { drawnBefore } from '../model/stroke.js';
import { IDENTITY } from '../protocol/transformSync.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/placement.js').Placement} Placement
 * @typedef {import('./itemStore.js').ItemContent} ItemContent
 *
 * @typedef {object} Returning
 * @property {Shape[]} shapes in the order of drawing
 * @property {{ added: ItemContent, place: Placement, id: string }[]} placed pictures and files
 * @property {number} copies the number of objects that are on the page in another version, which stays
 * @property {number} lost the number of pictures and files whose content no longer exists
 * @property {unknown} problem the reason why contents that may still exist could not be loaded; null: there are no such contents
 *
 * @typedef {object} Present the present picture
 * @property {Pick<import('../model/shapes.js').Shapes, 'find'>} shapes
 * @property {Pick<import('./itemStore.js').ItemStore, 'current'>} itemStore
 * @property {() => void} [update] called when the contents are loaded: brings the page up to date, so that it can be compared
 * @property {() => string} [key] returns a new key
 *
 * A picture or file, with its past placement and its content; `error`: the reason why there is no content.
 * @typedef {{ item: Item, place: Placement, blob: Blob | null, error: unknown }} Loaded
 */

/** The codes of the errors after which another attempt is useless. */
const GONE = ['not-found', 'ended', 'damaged'];

/**
 * Returns the objects to add, so that the page shows the chosen objects as at a past moment. A removed object comes back under
 * its own key, so that it exists once even if two people bring it back. An object that looks different now stays as it is, and
 * its former version is added as a new object.
 * @param {readonly Drawable[]} chosen of the past picture @param {Present} present @returns {Promise<Returning>}
 */
export async function returning(chosen, present) {
  const { shapes, itemStore, update = () => {}, key = newKey } = present;
  const ordered = [...chosen].sort(drawnBefore);
  /** @type {Returning} */
  const plan = { shapes: [], placed: [], copies: 0, lost: 0, problem: null };
  /** The keys of new versions, by the keys of the objects. @type {Map<string, string>} */
  const keys = new Map();
  const contents = await contentsOf(ordered, itemStore);
  update();
  for (const { item, place, blob, error } of contents) {
    const now = itemStore.current(item);
    // Another participant may have brought the item back while its content was loaded.
    if (now && isPlacedAlike(item, place, now)) continue;
    if (!blob) {
      if (isGone(error)) plan.lost += 1;
      else plan.problem ??= error;
      continue;
    }
    const { name, contentType, natural, preview } = item;
    const id = key();
    keys.set(item.id, id);
    plan.placed.push({ added: { blob, name, contentType, natural, preview }, place, id });
    if (now) plan.copies += 1;
  }
  for (const one of ordered) {
    if ('place' in one) continue;
    const shape = one.moved(IDENTITY);
    shape.isFinished = true;
    const now = shapes.find(one.id);
    if (now?.looksLike(shape)) continue;
    if (now) {
      shape.id = key();
      keys.set(one.id, shape.id);
      plan.copies += 1;
    }
    plan.shapes.push(shape);
  }
  // A line between two former versions or returned pictures connects these, not the present objects.
  for (const shape of plan.shapes) {
    if ('points' in shape) Object.assign(shape, changedEnds(shape, (id) => keys.get(id) ?? id));
  }
  return plan;
}

/**
 * Returns the sheets of objects as they are now. The sheets of a past moment change when another moment is shown.
 * @param {readonly Drawable[]} chosen @param {Pick<import('../protocol/sheetSync.js').Sheets, 'find'>} sheets
 * @returns {Pick<import('../protocol/sheetSync.js').Sheets, 'find'>}
 */
export function copyOfSheets(chosen, sheets) {
  const found = new Map(numbersOf(chosen).map((number) => [number, sheets.find(number)]));
  return { find: (number) => found.get(number) ?? null };
}

/**
 * Brings back the sheets of objects, if they were removed since.
 * @param {readonly Drawable[]} chosen @param {Pick<import('../protocol/sheetSync.js').Sheets, 'find'>} past
 * @param {Pick<import('../protocol/sheetSync.js').Sheets, 'find' | 'set'>} present
 */
export function returnSheets(chosen, past, present) {
  for (const number of numbersOf(chosen)) {
    const [then, now] = [past.find(number), present.find(number)];
    if (now?.isRemoved) present.set(number, { ...now, isRemoved: false });
    else if (!now && then) present.set(number, { ...then, isRemoved: false });
  }
}

/** @param {readonly Drawable[]} chosen @returns {number[]} the numbers of their sheets */
function numbersOf(chosen) {
  return [...new Set(chosen.map(({ bounds }) => sheetOf(bounds)))];
}

/**
 * Loads the contents of the pictures and files that are not on the page, or have another placement there.
 * @param {readonly Drawable[]} ordered @param {Present['itemStore']} itemStore @returns {Promise<Loaded[]>}
 */
function contentsOf(ordered, itemStore) {
  const items = ordered.flatMap((one) => 'place' in one ? [one] : []);
  const missing = items.filter((item) => {
    const now = itemStore.current(item);
    return !now || !isPlacedAlike(item, item.place, now);
  });
  return Promise.all(missing.map(async (item) => {
    // The past picture may show another moment by the time the content is loaded.
    const { place } = item;
    try {
      return { item, place, blob: itemStore.current(item)?.blob ?? await item.load(), error: null };
    } catch (error) {
      return { item, place, blob: null, error };
    }
  }));
}

/** @param {unknown} error @returns {boolean} true if the content no longer exists */
function isGone(error) {
  return !(error instanceof GroupSessionError) || GONE.includes(error.code);
}

/** @param {Item} past @param {Placement} place its place in the past @param {Item} now @returns {boolean} true if it is the same */
function isPlacedAlike(past, place, now) {
  const { place: other } = now;
  // If its messages have no size, the size of a picture is unknown until it is loaded.
  const isSized = !past.isPicture || past.natural !== null;
  const isAlike = place.x === other.x && place.y === other.y && place.z === other.z && (place.angle ?? 0) === now.angle;
  return isAlike && (!isSized || place.width === other.width && place.height === other.height);
}
