/** The choice of the font of texts, beside the colors and widths. */

import { familiesOf, FONTS } from '../model/fonts.js';
import { Text } from '../model/text.js';
import { laterStrings } from '../i18n/later.js';
import { element, make, makeSVG } from './elements.js';
import { radioButton, RadioGroup } from './radioGroup.js';

/**
 * @typedef {object} Parts
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('./stylePicker.js').StylePicker} stylePicker
 * @property {import('../tools/textTool.js').TextTool} textTool
 * @property {import('../edit/selection.js').Selection} selection
 */

/** The choice of a font, shown while there is a text that would get it. */
export class FontPicker {
  #parts;
  #group = make(
    'fieldset',
    { id: 'fonts', class: 'fonts' },
    make('legend', { class: 'hidden-text' }, laterStrings.font),
  );

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { toolbar, stylePicker, textTool, selection } = parts;
    const fonts = new RadioGroup(this.#group, FONTS.map(fontButton), (index) => stylePicker.chooseFont(FONTS[index]));
    const show = () => fonts.show(FONTS.findIndex((font) => font === stylePicker.textStyle.font));
    stylePicker.addEventListener('change', show);
    show();
    for (
      const [source, event] of /** @type {const} */ ([[toolbar, 'tool'], [textTool, 'change'], [selection, 'change']])
    ) {
      source.addEventListener(event, () => this.#offer());
    }
    this.#offer();
    element('inks').append(this.#group);
  }

  #offer() {
    const { toolbar, textTool, selection } = this.#parts;
    this.#group.hidden = !['text', 'note'].includes(toolbar.tool) && !textTool.edited &&
      !selection.shapes.some((one) => one instanceof Text);
  }
}

/** @param {import('../model/fonts.js').Font} font @param {number} index */
function fontButton(font, index) {
  const specimen = makeSVG('text', {
    x: '14',
    y: '20',
    'text-anchor': 'middle',
    'font-size': '18',
    'font-family': familiesOf(font),
  });
  specimen.textContent = 'Aa';
  return radioButton(
    'font',
    { label: laterStrings.fonts[index] },
    makeSVG('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, specimen),
  );
}
