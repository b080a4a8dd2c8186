/** The automatic layout of new pictures and files. */

import { fitInto } from '../model/placement.js';
import { overlap } from '../model/stroke.js';

/**
 * @typedef {import('../model/stroke.js').Bounds} Bounds
 * @typedef {import('../model/placement.js').Size} Size
 * @typedef {{ x: number, y: number, room: Size }} Cell its center and its size, in points
 */

/** The part of the view that a single new picture may fill. */
const PART_OF_VIEW = 0.6;
/**
 * The part of the view that several new items fill together, unless cells would be too small. Bars cover the top and the bottom.
 */
const PART_FOR_SEVERAL = Object.freeze({ width: 0.86, height: 0.74 });
const MIN_CELL = Object.freeze({ width: 150, height: 110 });
/** The gaps between cells, in pixels. Below each cell there is room for the progress of the upload. */
const GAP = Object.freeze({ width: 24, height: 74 });

/**
 * @param {number} count of the new items
 * @param {[number, number]} middle the center of the grid, in the plane
 * @param {Size & { scale: number }} view in pixels; `scale`: pixels per point
 * @param {Size} [least] the minimum size of a cell, in pixels
 * @returns {Cell[]} the cells, row by row
 */
export function gridCells(count, [x, y], { width, height, scale }, least = MIN_CELL) {
  const whole = { width: PART_OF_VIEW * width, height: PART_OF_VIEW * height };
  if (count === 1) return [{ x, y, room: { width: whole.width / scale, height: whole.height / scale } }];
  const most = Math.max(1, Math.floor((PART_FOR_SEVERAL.width * width + GAP.width) / (least.width + GAP.width)));
  const columns = Math.min(most, Math.ceil(Math.sqrt(count * width / height)), count);
  const rows = Math.ceil(count / columns);
  const side = (/** @type {'width' | 'height'} */ name, /** @type {number} */ view, /** @type {number} */ number) =>
    Math.max(least[name], Math.min(whole[name], (PART_FOR_SEVERAL[name] * view + GAP[name]) / number - GAP[name]));
  const room = { width: side('width', width, columns), height: side('height', height, rows) };
  return Array.from({ length: count }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const inRow = row === rows - 1 ? count - row * columns : columns;
    return {
      x: x + (column - (inRow - 1) / 2) * (room.width + GAP.width) / scale,
      y: y + (row - (rows - 1) / 2) * (room.height + GAP.height) / scale,
      room: { width: room.width / scale, height: room.height / scale },
    };
  });
}

/**
 * Returns the frame of an item in its cell. On the screen, the item is no larger than its natural size in CSS pixels.
 * @param {Size} natural in pixels
 * @param {Cell} cell
 * @param {number} scale pixels per point
 * @returns {{ x: number, y: number } & Size}
 */
export function placeInCell(natural, { x, y, room }, scale) {
  return { x, y, ...fitInto({ width: natural.width / scale, height: natural.height / scale }, room) };
}

/**
 * Returns the smallest offset that moves several bounds together to free space.
 * @param {Bounds[]} things @param {Bounds[]} taken @param {Bounds} view the area that they must not leave
 * @param {number} step the distance between the offsets that are tried
 * @returns {[number, number] | null} null: there is no such offset
 */
export function offsetToFreeSpace(things, taken, view, step) {
  const steps = (/** @type {'left' | 'top'} */ low, /** @type {'right' | 'bottom'} */ high) => {
    const least = Math.ceil((view[low] - Math.min(...things.map((one) => one[low]))) / step);
    const most = Math.floor((view[high] - Math.max(...things.map((one) => one[high]))) / step);
    return Array.from({ length: Math.max(0, most - least + 1) }, (_, at) => (least + at) * step);
  };
  const [across, down] = [steps('left', 'right'), steps('top', 'bottom')];
  const isFree = (/** @type {[number, number]} */ [x, y]) =>
    things.every(({ left, top, right, bottom }) => {
      const there = { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
      return !taken.some((one) => overlap(one, there));
    });
  const ways = across.flatMap((x) => down.map((y) => /** @type {[number, number]} */ ([x, y])));
  return ways.sort((a, b) => Math.hypot(...a) - Math.hypot(...b)).find(isFree) ?? null;
}
