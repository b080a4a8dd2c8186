/** The export as SVG: lines stay lines, and texts stay texts. Needs no document. */

import { CARD_TEXT, cardLines, SHEET, shortened } from '../../model/item.js';
import { FAMILIES, familiesOf, renderingOf, shippedIn } from '../../model/fonts.js';
import { noteColor, noteRadius } from '../../model/note.js';
import { centerOf } from '../../model/rotation.js';
import { baselineOfLine, LINE, lineWidth, Text } from '../../model/text.js';
import { paintStyleOf, trace, traceLine } from '../shapePainter.js';
import { fontsOf } from '../shippedFonts.js';
import { extentOf, inSlices, isItem } from './raster.js';

/**
 * @typedef {import('../../model/item.js').Item} Item
 * @typedef {import('../../model/item.js').Colors} Colors
 * @typedef {import('../../model/scene.js').Drawable} Drawable
 * @typedef {import('../../model/shapes.js').Shape} Shape
 * @typedef {import('../fontFaces.js').FontFiles} FontFiles
 */

const SPACES = { xmlns: 'http://www.w3.org/2000/svg', 'xmlns:xlink': 'http://www.w3.org/1999/xlink' };

/**
 * @param {Omit<import('./raster.js').ExportOptions, 'paint'>} order @param {Colors} colors of cards and of adaptive ink
 * @param {(item: Item) => Promise<string>} embedded returns a picture as a `data:` URL
 * @param {typeof fontsOf} [fonts] loads the fonts of texts, which become a part of the file
 * @returns {Promise<{ blob: Blob, missing: number }>} and the number of pictures that could not be loaded
 */
export async function svgOf({ drawables, paper, signal, progress }, colors, embedded, fonts = fontsOf) {
  const files = await fonts(drawables);
  const { left, top, width, height } = extentOf(drawables);
  const frame = attributes({ x: left, y: top, width, height });
  const parts = [
    `<svg${attributes({ ...SPACES, width, height, viewBox: [left, top, width, height].map(short).join(' ') })}>\n`,
    files ? fontTag(drawables, files) : '',
    paper && `<rect${frame}${attributes({ fill: paper })}/>\n`,
  ];
  let missing = 0;
  for await (const drawable of inSlices(drawables, signal, progress)) {
    if (!isItem(drawable)) parts.push(shapeTag(drawable, colors.text));
    else if (!drawable.isPicture) parts.push(cardTag(drawable, colors));
    else {
      const href = await embedded(drawable).catch(() => '');
      if (!href) missing += 1;
      parts.push(pictureTag(drawable, href, colors));
    }
  }
  return { blob: new Blob([...parts, '</svg>\n'], { type: 'image/svg+xml' }), missing };
}

/** @param {Shape} shape @param {string} ink the color of adaptive ink @returns {string} */
export function shapeTag(shape, ink) {
  const { color, alpha, lineWidth: width, dashes, area } = paintStyleOf(shape, ink);
  if (shape instanceof Text) return noteTag(shape, ink) + textTag(shape, color);
  /** @type {Record<string, number>} */
  const seeThrough = alpha < 1 ? { opacity: alpha } : {};
  const round = { 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
  /** @type {Record<string, string>} */
  const dashed = dashes ? { 'stroke-dasharray': dashes.map(short).join(' ') } : {};
  /** @type {Record<string, string | number>} */
  const line = width === null
    ? { fill: color }
    : { fill: 'none', stroke: color, 'stroke-width': width, ...round, ...dashed };
  const path = new SVGPath();
  trace(shape, path);
  if (area === 0) return `<path${attributes({ ...line, ...seeThrough, d: String(path) })}/>\n`;
  const inside = new SVGPath();
  traceLine(shape, inside, true);
  /** @type {Record<string, string | number>} */
  const fill = { fill: color, ...area < 1 && { 'fill-opacity': area } };
  const parts = [{ ...fill, d: String(inside) }, { ...line, d: String(path) }];
  return `<g${attributes(seeThrough)}>${parts.map((part) => `<path${attributes(part)}/>`).join('')}</g>\n`;
}

/** @param {Text} text @param {string} ink the color of adaptive ink @returns {string} the note of the text; '' if it has none */
function noteTag(text, ink) {
  const { note, fill, x, y } = text;
  if (!note) return '';
  const look = { rx: noteRadius(note), fill: noteColor(fill, ink), ...rotation(text) };
  return `<rect${attributes({ x, y, ...note, ...look })}/>\n`;
}

/** @param {Text} text @param {string} color */
function textTag(text, color) {
  const { layout: { lines, fromRight, size, margin }, x, y, font } = text;
  const look = { fill: color, 'font-family': familiesOf(font), 'font-size': size };
  /** @type {Record<string, string>} */
  const rendering = font === '' ? {} : { 'text-rendering': renderingOf(font) };
  const style = { ...look, ...rendering, ...rotation(text), 'xml:space': 'preserve' };
  const set = lines.map((line, at) => {
    const from = fromRight[at] ? text.box.right - margin : x + margin;
    const place = attributes({ x: from, y: y + margin + (at * LINE + baselineOfLine(font)) * size });
    return `<tspan${place}>${escaped(line)}</tspan>`;
  });
  // Each direction has its own element, because some programs ignore the direction of a part of a text.
  return [false, true].map((isRight) => {
    const part = set.filter((_, at) => fromRight[at] === isRight).join('');
    return part && `<text${attributes({ ...style, ...isRight && { direction: 'rtl' } })}>${part}</text>\n`;
  }).join('');
}

/** @param {import('../../model/rotation.js').Rotated} rotated @returns {Record<string, string>} the attribute; none for 0 */
function rotation({ box, angle }) {
  if (angle === 0) return {};
  const [x, y] = centerOf(box);
  return { transform: `rotate(${[angle, x, y].map(short).join(' ')})` };
}

/** @param {readonly Drawable[]} drawables @param {FontFiles} files @returns {string} the fonts of texts */
function fontTag(drawables, files) {
  const used = new Set(drawables.flatMap((one) => one instanceof Text ? shippedIn(one.font) : []));
  const faces = [...used].map((font) => {
    const bytes = new Uint8Array(files[font]).reduce((text, byte) => text + String.fromCharCode(byte), '');
    return `@font-face{font-family:"${FAMILIES[font]}";src:url(data:font/woff2;base64,${btoa(bytes)})}`;
  });
  return `<style>${faces.join('')}</style>\n`;
}

/** @param {Item} item @param {string} href '' for a picture that could not be loaded @param {Colors} colors */
function pictureTag(item, href, { raised, line }) {
  const { box: { left: x, top: y }, place: { width, height }, name } = item;
  const frame = { x, y, width, height, ...rotation(item) };
  if (!href) return `<rect${attributes({ ...frame, rx: 6, fill: raised, stroke: line })}/>\n`;
  // Some programs other than browsers find pictures only by this attribute.
  const picture = { ...frame, preserveAspectRatio: 'none', 'xlink:href': href };
  return `<image${attributes(picture)}><title>${escaped(name)}</title></image>\n`;
}

/** @param {Item} item @param {Colors} colors */
function cardTag(item, { surface, line, accent, text, soft, font }) {
  const { bounds: { left, top }, place: { width, height } } = item;
  const frame = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 14, fill: surface, stroke: line };
  const sheet = { d: SHEET, fill: 'none', stroke: accent, 'stroke-width': 2, 'stroke-linejoin': 'round' };
  const lines = cardLines(item).map((words, at) => {
    const { size, weight, y } = CARD_TEXT.lines[at];
    const measure = { measureText: (/** @type {string} */ one) => ({ width: lineWidth(one, '') * size }) };
    const style = { 'font-family': font, 'font-size': size, 'font-weight': weight, fill: at === 0 ? text : soft };
    const room = width - CARD_TEXT.left - CARD_TEXT.right;
    const shown = escaped(shortened(words, room, /** @type {any} */ (measure)));
    return `<text${attributes({ x: CARD_TEXT.left, y, ...style })}>${shown}</text>`;
  });
  const place = attributes({ transform: `translate(${short(left)},${short(top)})` });
  return `<g${place}><rect${attributes(frame)}/><path${attributes(sheet)}/>${lines.join('')}</g>\n`;
}

/** @param {Record<string, string | number>} all @returns {string} */
function attributes(all) {
  const pairs = Object.entries(all);
  return pairs.map(([name, value]) => ` ${name}="${typeof value === 'number' ? short(value) : escaped(value)}"`).join(
    '',
  );
}

/** @param {string} text @returns {string} escaped for XML, without the characters that XML does not allow */
export function escaped(text) {
  const legal = text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return legal.replace(/[<>&"]/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** @param {number} value @returns {number} rounded: a hundredth of a point is finer than any screen */
function short(value) {
  return Math.round(value * 100) / 100;
}

/** Records a traced outline as the path data of SVG. */
export class SVGPath {
  #data = '';

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#data += `M${pair(x, y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.#data += `L${pair(x, y)}`;
  }

  /** @param {number} bentX @param {number} bentY @param {number} x @param {number} y */
  quadraticCurveTo(bentX, bentY, x, y) {
    this.#data += `Q${pair(bentX, bentY)} ${pair(x, y)}`;
  }

  /**
   * Adds a full circle as two arcs, because an arc in SVG cannot end where it begins. Other arcs are never traced.
   * @param {number} x @param {number} y @param {number} radius
   */
  arc(x, y, radius) {
    const half = `A${pair(radius, radius)} 0 1 0 `;
    this.#data += `${half}${pair(x - radius, y)}${half}${pair(x + radius, y)}`;
  }

  closePath() {
    this.#data += 'Z';
  }

  toString() {
    return this.#data;
  }
}

/** @param {number} x @param {number} y */
function pair(x, y) {
  return `${short(x)},${short(y)}`;
}
