/** SVG files as pictures: recognizes them, and finds their size. */

import { ATTRIBUTE, attributesOf, nameOf, tagsOf } from './xmlTags.js';

/**
 * @typedef {import('./placement.js').Size} Size
 * @typedef {import('./xmlTags.js').Tag} Tag
 */

/** The maximum size of a file that is shown as a picture. */
export const MAX_SVG_BYTES = 8 * 2 ** 20;
/** The number of bytes in which the root element begins and ends. */
export const SVG_HEAD_BYTES = 64 * 2 ** 10;
/** The maximum side of the size, in pixels. Larger ones are reduced with the same aspect ratio. */
const MAX_SIDE = 4096;
/** The minimum of the longer side of a picture that has only a `viewBox`: many icons have one of 24 × 24. */
const MIN_SCALABLE_SIDE = 256;
/** The size of a picture without any information, as in CSS. */
const DEFAULT_SIZE = Object.freeze({ width: 300, height: 150 });
/** The pixels of a unit. @type {Record<string, number>} */
const UNITS = { '': 1, px: 1, pt: 4 / 3, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96, em: 16, ex: 8 };

/** @param {string} text the beginning of a file @returns {Tag | null} the root element of an SVG; null: it is none */
function rootOf(text) {
  if (!/^(?:\ufeff|\xef\xbb\xbf)?\s*</.test(text)) return null;
  for (const tag of tagsOf(text)) {
    if (/^!doctype\s+html/i.test(tag.text)) return null;
    if (/^[?!]/.test(tag.text)) continue;
    return nameOf(tag.text) === 'svg' ? tag : null;
  }
  return null;
}

/** @param {string} head the beginning of a file, one character for each byte @returns {boolean} */
export function isSVG(head) {
  return rootOf(head) !== null;
}

/** @param {string} head the beginning of a file @returns {Size | null} in pixels; null: it is no SVG */
export function svgSize(head) {
  const root = rootOf(head);
  return root && bounded(sizeOf(attributesOf(root.text)));
}

/** @param {Map<string, string>} attributes of the root element @returns {Size} in pixels, without limits */
function sizeOf(attributes) {
  const [width, height] = [lengthOf(attributes.get('width')), lengthOf(attributes.get('height'))];
  const box = boxOf(attributes.get('viewBox'));
  if (width && height) return { width, height };
  if (!box) return { width: width ?? DEFAULT_SIZE.width, height: height ?? DEFAULT_SIZE.height };
  if (width) return { width, height: width * box.height / box.width };
  if (height) return { width: height * box.width / box.height, height };
  const factor = Math.max(1, MIN_SCALABLE_SIDE / Math.max(box.width, box.height));
  return { width: box.width * factor, height: box.height * factor };
}

/** @param {string | undefined} text @returns {number | null} in pixels; null: none, or relative to a window */
function lengthOf(text) {
  const [, number, unit] = /^\s*\+?([\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text ?? '') ?? [];
  const length = Number(number) * UNITS[unit?.toLowerCase()];
  return length > 0 && Number.isFinite(length) ? length : null;
}

/** @param {string | undefined} text a `viewBox` @returns {Size | null} */
function boxOf(text) {
  const [, , width, height, ...more] = (text ?? '').trim().split(/[\s,]+/).map(Number);
  return width > 0 && height > 0 && Number.isFinite(width * height) && more.length === 0 ? { width, height } : null;
}

/** @param {Size} size @returns {Size} in whole pixels, within the limits */
function bounded({ width, height }) {
  const factor = Math.min(1, MAX_SIDE / Math.max(width, height));
  const side = (/** @type {number} */ length) => Math.max(1, Math.round(length * factor));
  return { width: side(width), height: side(height) };
}

/**
 * Returns the beginning of an SVG with a definite size. Without one, some browsers do not draw it on a canvas.
 * @param {string} head the beginning of a file, one character for each byte @param {Size} size in pixels
 * @returns {{ tag: string, start: number, end: number } | null} the new root tag, and the bytes that it replaces
 */
export function sizedRoot(head, { width, height }) {
  const root = rootOf(head);
  if (!root) return null;
  const attributes = attributesOf(root.text);
  const natural = sizeOf(attributes);
  const isEmpty = root.text.endsWith('/');
  const isScaled = boxOf(attributes.get('viewBox')) !== null;
  const replaced = ['width', 'height', ...isScaled ? [] : ['viewBox']];
  const kept = (isEmpty ? root.text.slice(0, -1) : root.text).replace(ATTRIBUTE, (all, name, value, quoted) => {
    if (replaced.includes(name)) return '';
    return name === 'style' ? attribute(name, restyled(value ?? quoted)) : all;
  });
  const box = isScaled ? '' : attribute('viewBox', [0, 0, natural.width, natural.height].join(' '));
  const tag = `<${kept}${box}${attribute('width', width)}${attribute('height', height)}${isEmpty ? '/' : ''}>`;
  return { tag, start: root.start, end: root.end };
}

/** @param {string} name @param {string | number} value without double quotes */
function attribute(name, value) {
  return ` ${name}="${value}"`;
}

/** @param {string} style of the root element @returns {string} without a size of its own, which would take precedence */
function restyled(style) {
  const kept = style.replaceAll('"', "'").split(';').filter((one) =>
    !/^\s*(?:(?:min|max)-)?(?:width|height)\s*:/i.test(one)
  );
  return kept.join(';');
}
