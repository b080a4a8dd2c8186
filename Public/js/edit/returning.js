/** Objects of a past moment that come back to the page. */

import { newKey } from '../sync/key.js';
import { changedEnds } from '../model/connection.js';
import { sheetOf } from '../model/sheets.js';
import { drawnBefore } from '../model/stroke.js';
import { IDENTITY } from '../protocol/transformSync.js';

/**
 * @typedef {import('../model/scene.js').Drawable} Drawable
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('./itemStore.js').ItemContent} ItemContent
 *
 * @typedef {object} Returning
 * @property {Shape[]} shapes in the order of drawing
 * @property {{ added: ItemContent, place: import('../model/placement.js').Placement }[]} placed pictures and files
 * @property {number} copies the number of objects that are on the page in another version, which stays
 * @property {number} lost the number of pictures and files whose content no longer exists
 *
 * @typedef {object} Present the present picture
 * @property {Pick<import('../model/shapes.js').Shapes, 'find'>} shapes
 * @property {Pick<import('./itemStore.js').ItemStore, 'current'>} itemStore
 * @property {() => string} [key] returns a new key
 */

/**
 * Finds out which objects have to be added, so that the page shows them as at a past moment. A removed object comes back under
 * its own key, so that it exists once even if two people bring it back. An object that looks different now stays as it is, and
 * its former version is added as a new object.
 * @param {readonly Drawable[]} chosen of the past picture @param {Present} present @returns {Promise<Returning>}
 */
export async function returning(chosen, present) {
  const { shapes, itemStore, key = newKey } = present;
  const ordered = [...chosen].sort(drawnBefore);
  /** @type {Returning} */
  const plan = { shapes: [], placed: [], copies: 0, lost: 0 };
  /** The keys of new versions, by the keys of the objects. @type {Map<string, string>} */
  const keys = new Map();
  for (const { item, now, blob } of await contentsOf(ordered, itemStore)) {
    if (!blob) plan.lost += 1;
    else {
      const { name, contentType, natural, preview } = item;
      plan.placed.push({ added: { blob, name, contentType, natural, preview }, place: item.place });
      if (now) plan.copies += 1;
    }
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
  // A line between two former versions connects these versions, not the present objects.
  for (const shape of plan.shapes) {
    if ('points' in shape) Object.assign(shape, changedEnds(shape, (id) => keys.get(id) ?? id));
  }
  return plan;
}

/**
 * Brings back the sheets of objects, if they were removed since.
 * @param {readonly Drawable[]} chosen @param {Pick<import('../protocol/sheetSync.js').Sheets, 'find'>} past
 * @param {Pick<import('../protocol/sheetSync.js').Sheets, 'find' | 'set'>} present
 */
export function returnSheets(chosen, past, present) {
  for (const number of new Set(chosen.map(({ bounds }) => sheetOf(bounds)))) {
    const [then, now] = [past.find(number), present.find(number)];
    if (now?.isRemoved) present.set(number, { ...now, isRemoved: false });
    else if (!now && then) present.set(number, { ...then, isRemoved: false });
  }
}

/**
 * Loads the contents of the pictures and files that are not on the page, or are there at another place.
 * @param {readonly Drawable[]} ordered @param {Present['itemStore']} itemStore
 * @returns {Promise<{ item: Item, now: Item | null, blob: Blob | null }[]>} `now`: the item on the page; `blob`: null if the
 *   content is gone
 */
function contentsOf(ordered, itemStore) {
  const all = ordered.flatMap((item) => 'place' in item ? [{ item, now: itemStore.current(item) }] : []);
  const missing = all.filter(({ item, now }) => !now || !isPlacedAlike(item, now));
  return Promise.all(missing.map(async ({ item, now }) => {
    return { item, now, blob: now?.blob ?? await item.load().catch(() => null) };
  }));
}

/** @param {Item} past @param {Item} now @returns {boolean} true if both are at the same place */
function isPlacedAlike(past, now) {
  const [one, other] = [past.place, now.place];
  // If its messages have no size, the size of a picture is unknown until it is loaded.
  const isSized = !past.isPicture || past.natural !== null;
  const isAlike = one.x === other.x && one.y === other.y && one.z === other.z && past.angle === now.angle;
  return isAlike && (!isSized || one.width === other.width && one.height === other.height);
}
