/** The choice of a color for sticky notes. It is above the bar of tools while there is a note that would get the color. */

import { NOTE_FILLS, noteColor } from '../model/note.js';
import { Text } from '../model/text.js';
import { laterStrings } from '../i18n/later.js';
import { element, make, makeSVG } from './elements.js';
import { radioButton, RadioGroup } from './radioGroup.js';
import { storageOr } from './settings.js';

/**
 * @typedef {object} Parts
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('../tools/textTool.js').TextTool} textTool
 * @property {import('../edit/selection.js').Selection} selection
 * @property {import('./selectionController.js').SelectionController} selectionController
 * @property {() => string} ink returns the color of adaptive ink
 */

const NOTE = 'drawtogether:note';

export class NoteColors {
  #parts;
  #storage = storageOr(() => localStorage);
  #group = make('section', { id: 'note-colors', class: 'colors', 'aria-label': laterStrings.noteColor });
  #buttons = NOTE_FILLS.map((_, index) => swatch(laterStrings.noteColors[index]));
  #radios;
  /** The color of new notes. */
  fill;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const stored = this.#storage.getItem(NOTE);
    this.fill = NOTE_FILLS.find((fill) => fill === stored) ?? NOTE_FILLS[0];
    this.#radios = new RadioGroup(this.#group, this.#buttons, (index) => this.#choose(NOTE_FILLS[index]));
    // The focus stays in the text of the note.
    this.#group.addEventListener('mousedown', (event) => parts.textTool.edited && event.preventDefault());
    document.addEventListener('themechange', () => this.#paint());
    const { toolbar, textTool, selection } = parts;
    for (
      const [source, event] of /** @type {const} */ ([[toolbar, 'tool'], [textTool, 'change'], [selection, 'change']])
    ) {
      source.addEventListener(event, () => this.#show());
    }
    this.#paint();
    this.#show();
    element('tools').before(this.#group);
  }

  /** @returns {Text[]} the notes that would get another color */
  get #notes() {
    const { textTool, selection } = this.#parts;
    const { edited } = textTool;
    if (edited) return edited.note ? [edited.note] : [];
    return selection.shapes.flatMap((one) => one instanceof Text && one.note ? [one] : []);
  }

  #show() {
    const notes = this.#notes;
    this.#group.hidden = this.#parts.toolbar.tool !== 'note' && notes.length === 0;
    const shown = notes[0]?.fill ?? this.fill;
    const isCommon = notes.every(({ fill }) => fill === shown);
    this.#radios.show(isCommon ? NOTE_FILLS.indexOf(shown) : -1);
  }

  /** @param {string} fill */
  #choose(fill) {
    const { textTool, selectionController } = this.#parts;
    this.fill = fill;
    const { edited } = textTool;
    if (edited?.note) {
      edited.style = { ...edited.style, fill };
      textTool.setText(edited.text);
    } else if (!edited) selectionController.restyle((shape) => shape instanceof Text && shape.note ? { fill } : {});
    this.#show();
    try {
      this.#storage.setItem(NOTE, fill);
    } catch {
      // Storage is full: the choice lasts until the page is closed.
    }
  }

  /** Colors the buttons for the present theme. */
  #paint() {
    const ink = this.#parts.ink();
    this.#buttons.forEach(({ style }, index) => style.setProperty('--own', noteColor(NOTE_FILLS[index], ink)));
  }
}

/** @param {string} name */
function swatch(name) {
  const square = { x: '5', y: '5', width: '22', height: '22', rx: '4' };
  const drawing = makeSVG(
    'svg',
    { viewBox: '0 0 32 32', 'aria-hidden': 'true' },
    makeSVG('rect', { class: 'ring', x: '1.5', y: '1.5', width: '29', height: '29', rx: '7' }),
    makeSVG('rect', { class: 'paint', ...square }),
  );
  return radioButton('swatch', { label: name }, drawing);
}
