/** Finds elements of the page and creates others, without markup in strings. */

import { paintedColor } from '../model/palette.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id @returns {T} the element of the page that has it
 */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return /** @type {T} */ (found);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, string>} [attributes] @param {(Node | string)[]} children strings become text nodes
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param {Node} icon @param {string} label @param {string} title @param {() => void} done the action of the button */
export function button(icon, label, title, done) {
  const made = make('button', { type: 'button', class: 'tool', 'aria-label': label, title });
  made.append(icon);
  made.addEventListener('click', done);
  return made;
}

/** @param {string} tag @param {Record<string, string>} attributes @param {Node[]} children @returns {SVGElement} */
export function makeSVG(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param {string} rgb of a shape @returns {string} the same color for CSS; adaptive ink becomes the color of the page's text */
export function cssColor(rgb) {
  return paintedColor(rgb, 'var(--text)');
}
