/** The files of the shipped fonts: loaded once, for painting on the page, in the tile worker, and for exports. */

import { fontsLoaded } from '../model/text.js';
import { addFonts } from './fontFaces.js';

/** @typedef {import('./fontFaces.js').FontFiles} FontFiles */

const PATHS = ['/fonts/hand.woff2', '/fonts/sans.woff2'];
/** The maximum time of an attempt, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** @type {FontFiles | null} */
let loaded = null;
/** @type {Promise<FontFiles> | null} the attempt that is running or has succeeded */
let loading = null;
/** @type {Set<(files: FontFiles) => void>} */
const observers = new Set();

/** Loads the fonts, so that the page can measure and paint with them. @returns {Promise<FontFiles>} */
export function loadFonts() {
  return loading ??= load().catch((error) => {
    loading = null;
    throw error;
  });
}

/**
 * Waits for the fonts of drawables, if they have one. Without a connection, the wait is short.
 * @param {readonly object[]} drawables @returns {Promise<FontFiles | null>} null: they have none, or the fonts cannot be loaded
 */
export async function fontsOf(drawables) {
  if (!drawables.some((one) => 'font' in one && one.font !== '')) return null;
  return await loadFonts().catch(() => null);
}

/**
 * Calls a function with the fonts: at once, or when they are loaded.
 * @param {(files: FontFiles) => void} observer @returns {() => void} a function that cancels the call
 */
export function observeFonts(observer) {
  if (loaded) observer(loaded);
  else observers.add(observer);
  return () => observers.delete(observer);
}

async function load() {
  const [hand, sans] = await Promise.all(PATHS.map(fetched));
  await addFonts({ hand, sans });
  fontsLoaded();
  loaded = { hand, sans };
  for (const observer of observers) observer(loaded);
  observers.clear();
  return loaded;
}

/** @param {string} path @returns {Promise<ArrayBuffer>} */
async function fetched(path) {
  // The fonts have a low priority: everything that the person sees and draws comes first.
  const answer = await fetch(path, { priority: 'low', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return await answer.arrayBuffer();
}
