/**
 * The input of a text, over the text on the page. The canvas paints the text, and this element shows only the caret and the
 * selected characters, so that the text looks the same during and after editing.
 */

import { familiesOf, renderingOf } from '../model/fonts.js';
import { mapping } from '../model/rotation.js';
import { LINE, lineWidth } from '../model/text.js';
import { isFromRight } from '../model/textDirection.js';
import { cssColor, element } from './elements.js';

/**
 * @typedef {import('../model/camera.js').Camera} Camera
 * @typedef {import('../model/placement.js').Size} Size
 */

/** The margins around the caret, in pixels, which keep it clear of the bars. */
const EDGE = 16;
const TOP = 72;
const BOTTOM = 96;
/** The part of the page's height that stays visible above an on-screen keyboard. */
const ABOVE_KEYBOARD = 0.45;
/** The minimum width of a line, in font sizes, wherever it begins. */
const MIN_LETTERS = 8;
/** The room for the caret behind the last letter, in font sizes. */
const CARET = 0.4;

export class TextBox {
  #textTool;
  #camera;
  #view;
  #requestFrame;
  #area = /** @type {HTMLTextAreaElement} */ (element('writing'));
  #cameraVersion = -1;

  /**
   * @param {import('../tools/textTool.js').TextTool} textTool @param {Camera} camera
   * @param {Size} view the canvas’s, in pixels @param {() => void} requestFrame
   */
  constructor(textTool, camera, view, requestFrame) {
    this.#textTool = textTool;
    this.#camera = camera;
    this.#view = view;
    this.#requestFrame = requestFrame;
    const area = this.#area;
    area.style.lineHeight = String(LINE);
    textTool.addEventListener('change', () => this.#follow());
    area.addEventListener('input', (event) => this.#typed(event));
    area.addEventListener('keydown', (event) => this.#key(event));
    // A tap on the page first removes the focus, and then reaches the text tool, which must still know that a text was edited.
    area.addEventListener('blur', () => queueMicrotask(() => textTool.finish()));
    // The text keeps the focus while the person chooses a color.
    for (const id of ['inks', 'ink', 'styles']) {
      element(id).addEventListener('mousedown', (event) => textTool.edited && event.preventDefault());
    }
  }

  /** Follows the widths of letters once the shipped fonts are loaded. */
  fontsLoaded() {
    this.#place();
  }

  /** @returns {false} no other frame is needed */
  frame() {
    if (this.#textTool.edited && this.#cameraVersion !== this.#camera.version) this.#place();
    return false;
  }

  #follow() {
    const { edited } = this.#textTool;
    const area = this.#area;
    if (!edited) {
      const hadFocus = document.activeElement === area;
      area.hidden = true;
      if (hadFocus) element('canvas').focus({ preventScroll: true });
      return;
    }
    const isNew = area.hidden;
    area.hidden = false;
    if (isNew || area.value !== edited.text) area.value = edited.text;
    this.#place();
    if (!isNew) return;
    area.focus({ preventScroll: true });
    area.setSelectionRange(area.value.length, area.value.length);
    this.#keepInView();
  }

  /** @param {Event} event */
  #typed(event) {
    if (!(event instanceof InputEvent && event.isComposing)) this.#breakLine();
    this.#textTool.setText(this.#area.value);
    this.#place();
    this.#keepInView();
  }

  /** Breaks the line at the last space if the typed text reaches the edge of the page. */
  #breakLine() {
    const { edited } = this.#textTool;
    const { value, selectionEnd } = this.#area;
    // A rotated text leads away from that edge, or along it. A note breaks the lines of its text.
    if (!edited || edited.note || edited.angle !== 0 || selectionEnd !== value.length) return;
    const { point: [x], style: { size, font = '' }, text } = edited;
    const begin = value.lastIndexOf('\n') + 1;
    const space = value.trimEnd().lastIndexOf(' ');
    const line = value.slice(begin);
    // At a larger margin than `EDGE`, so that the line breaks before the page would scroll.
    const [left, right] = [3 * EDGE, this.#view.width - 3 * EDGE].map((at) => this.#camera.toPlane(at, 0)[0]);
    const wanted = isFromRight(line) ? x + widest(text.split('\n'), font) * size - left : right - x;
    const room = Math.max(wanted, MIN_LETTERS * size);
    if (space > begin && lineWidth(line, font) * size > room) {
      this.#area.setRangeText('\n', space, space + 1, 'preserve');
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    event.stopPropagation();
    const isEnd = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
    if (!isEnd || event.isComposing) return;
    event.preventDefault();
    this.#textTool.finish();
  }

  #place() {
    const { edited } = this.#textTool;
    if (!edited) return;
    const { style, value } = this.#area;
    const { note, style: { font = '', rgb } } = edited;
    const { size, margin } = note ? note.layout : { size: edited.style.size, margin: 0 };
    const lines = value.split('\n');
    const { scale } = this.#camera;
    // There is room for the caret at both sides, because lines of both directions may occur. Spaces at the end of a line use this
    // room, so that the lines exactly cover the painted ones.
    const before = !note && lines.some(isFromRight) ? CARET * size : 0;
    const across = widest(before ? value.trimEnd().split('\n') : lines, font) * size;
    const [x, y] = this.#camera.toCanvas(...placeIn(edited)(margin - before, margin));
    this.#cameraVersion = this.#camera.version;
    style.transform = `translate(${x}px, ${y}px) rotate(${(note ?? edited).angle}deg) scale(${scale})`;
    style.setProperty('--pixel', `${1 / scale}px`);
    style.setProperty('--own', cssColor(rgb));
    style.fontFamily = familiesOf(font);
    style.textRendering = renderingOf(font);
    style.fontSize = `${size}px`;
    this.#area.toggleAttribute('data-note', Boolean(note));
    style.padding = `0 ${before}px`;
    style.width = `${note?.note ? note.note.width - 2 * margin : before + across + CARET * size}px`;
    style.height = `${note?.note ? note.note.height - 2 * margin : size * LINE * lines.length}px`;
  }

  #keepInView() {
    const { edited } = this.#textTool;
    if (!edited) return;
    const { note, style: { font = '' } } = edited;
    const text = this.#area.value.slice(0, this.#area.selectionEnd);
    const { lines, size, margin } = note
      ? note.with({ text }).layout
      : { lines: text.split('\n'), size: edited.style.size, margin: 0 };
    const line = lines[lines.length - 1];
    const across = lineWidth(line, font) * size;
    const whole = note?.note ? note.note.width - 2 * margin : widest(edited.text.split('\n'), font) * size;
    const at = margin + (isFromRight(line) ? whole - across : across);
    const caret = placeIn(edited)(at, margin + (lines.length - 1) * LINE * size);
    const [left, top] = this.#camera.toCanvas(...caret);
    const bottom = top + LINE * size * this.#camera.scale;
    const { width, height } = this.#view;
    const lowest = matchMedia('(pointer: coarse)').matches ? height * ABOVE_KEYBOARD : height - BOTTOM;
    const dx = Math.min(0, width - 2 * EDGE - left) + Math.max(0, EDGE - left);
    const dy = top < TOP ? TOP - top : Math.max(TOP - top, Math.min(0, lowest - bottom));
    if (dx === 0 && dy === 0) return;
    this.#camera.pan(dx, dy);
    this.#place();
    this.#requestFrame();
  }
}

/** @param {string[]} lines @param {import('../model/fonts.js').Font} font @returns {number} their width, in font sizes */
function widest(lines, font) {
  return lines.reduce((most, line) => Math.max(most, lineWidth(line, font)), 0);
}

/**
 * Returns a function that converts distances from the corner of a text to points of the plane. The text may be rotated. A note is
 * read at each call, because another participant may move it while it is edited.
 * @param {import('../tools/textTool.js').EditedText} edited
 * @returns {(across: number, down: number) => [number, number]}
 */
function placeIn({ note, point, angle }) {
  const [x, y] = note?.corner ?? point;
  return mapping({ factor: 1, x, y, angle: note?.angle ?? angle });
}
