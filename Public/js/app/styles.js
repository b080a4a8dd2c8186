/** Offers the styles of lines. */

import { StylePanel } from '../ui/stylePanel.js';

/**
 * @param {object} parts
 * @param {import('../ui/toolbar.js').Toolbar} parts.toolbar
 * @param {import('../ui/stylePicker.js').StylePicker} parts.stylePicker
 */
export function offerStyles({ toolbar, stylePicker }) {
  const panel = new StylePanel(stylePicker);
  const showFor = () => panel.showFor(toolbar.tool);
  toolbar.addEventListener('tool', showFor);
  showFor();
}
