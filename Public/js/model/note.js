/** Sticky notes: texts on a colored square. Needs no document, so that a worker can use it. */

import { luminance } from './palette.js';
import { isFromRight } from './textDirection.js';

/**
 * @typedef {object} Note
 * @property {number} width in points
 * @property {number} height
 *
 * @typedef {object} Layout the layout of a note's text
 * @property {string[]} lines
 * @property {boolean[]} fromRight for each line, true if it is written from right to left
 * @property {number} size the font size, in points
 * @property {number} margin between the edge of the note and its text
 */

/** The colors of notes, by name: on light paper, and on dark paper. @type {Readonly<Record<string, [string, string]>>} */
const COLORS = {
  yellow: ['#f5e6a6', '#5c5128'],
  rose: ['#f3d2cd', '#61413e'],
  green: ['#d5e5c3', '#42523a'],
  blue: ['#cddfea', '#38505f'],
  lilac: ['#dfd6eb', '#4d445f'],
  gray: ['#e5e1d9', '#48464a'],
};
/** The names of the colors. The first one is used for a note with an unknown color. */
export const NOTE_FILLS = Object.freeze(Object.keys(COLORS));

export const MIN_NOTE_SIDE = 8;
export const MAX_NOTE_SIDE = 100_000;
/** The margin inside a note, as a part of its shorter side; and the radius of its corners. */
const MARGIN = 0.07;
const RADIUS = 0.025;
/** The ratio of a tried font size to the one before, and the smallest font size, in points. */
const SHRINK = 0.94;
const MIN_TYPE = 4;

/**
 * The parts of a line between which it may be broken: spaces, single characters of scripts without spaces, and words, each up to a
 * hyphen.
 */
const PARTS = /\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|-*[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3-]+-*|-+/g;

/** @param {string} fill @param {string} ink the color of adaptive ink on this paper @returns {string} the color of the note */
export function noteColor(fill, ink) {
  const [light, dark] = COLORS[fill] ?? COLORS[NOTE_FILLS[0]];
  return luminance(ink) > 0.5 ? dark : light;
}

/** @param {Note} note @returns {number} the distance between its edge and its text */
export function noteMargin({ width, height }) {
  return MARGIN * Math.min(width, height);
}

/** @param {Note} note @returns {number} the radius of its corners */
export function noteRadius({ width, height }) {
  return RADIUS * Math.min(width, height);
}

/** @param {Note} note @param {number} factor @returns {Note} a resized copy with the same aspect ratio */
export function resizedNote({ width, height }, factor) {
  const least = Math.min(1, MIN_NOTE_SIDE / Math.min(width, height));
  const most = Math.max(1, MAX_NOTE_SIDE / Math.max(width, height));
  const times = Math.min(most, Math.max(least, factor));
  const side = (/** @type {number} */ value) => Math.round(value * times * 100) / 100;
  return { width: side(width), height: side(height) };
}

/** @param {Note | null} a @param {Note | null} b */
export function sameNote(a, b) {
  return a === b || a?.width === b?.width && a?.height === b?.height;
}

/**
 * Lays out a text inside a note: breaks its lines, and reduces the font size until the text fits.
 * @param {string} text @param {Note} note @param {number} size the largest font size
 * @param {number} lineHeight in font sizes @param {(text: string) => number} measure returns a width in font sizes
 * @returns {Layout} without the lines that do not fit even in the smallest size
 */
export function noteLayout(text, note, size, lineHeight, measure) {
  const margin = noteMargin(note);
  const [room, depth] = [note.width - 2 * margin, note.height - 2 * margin];
  const paragraphs = text.split('\n').map((line) => ({ parts: line.match(PARTS) ?? [], fromRight: isFromRight(line) }));
  /** @type {Map<string, number>} */
  const widths = new Map();
  const widthOf = (/** @type {string} */ part) => {
    const width = widths.get(part) ?? measure(part);
    widths.set(part, width);
    return width;
  };
  const least = Math.min(size, MIN_TYPE);
  for (let tried = size;; tried = Math.max(least, tried * SHRINK)) {
    const set = paragraphs.flatMap(({ parts, fromRight }) =>
      wrapped(parts, room / tried, widthOf).map((line) => ({ line, fromRight }))
    );
    const most = Math.max(1, Math.floor(depth / (lineHeight * tried)));
    if (set.length > most && tried > least) continue;
    const shown = set.slice(0, most);
    return {
      lines: shown.map(({ line }) => line),
      fromRight: shown.map(({ fromRight }) => fromRight),
      size: tried,
      margin,
    };
  }
}

/**
 * Breaks a line as browsers do: spaces at the end of a line need no room, and a word that is longer than a line is broken.
 * @param {readonly string[]} parts @param {number} room @param {(part: string) => number} widthOf @returns {string[]}
 */
function wrapped(parts, room, widthOf) {
  /** @type {string[]} */
  const lines = [];
  let [line, used] = ['', 0];
  const add = (/** @type {string} */ part) => {
    if (line !== '' && part.trim() !== '' && used + widthOf(part) > room) {
      lines.push(line);
      [line, used] = ['', 0];
    }
    line += part;
    used += widthOf(part);
  };
  for (const part of parts) {
    const isLong = part.trim() !== '' && widthOf(part) > room;
    // A long word begins on a line of its own.
    if (isLong && line !== '') used = Infinity;
    for (const piece of isLong ? part : [part]) add(piece);
  }
  return [...lines, line];
}
