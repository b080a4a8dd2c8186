/** The canvas for screen readers: an application, with a description of the keys that the chosen tool has. */

import { laterStrings } from '../i18n/later.js';
import { announce } from './dialogs.js';
import { element, make } from './elements.js';
import { toolName } from './objectNames.js';

/**
 * The use of a tool by keys. `pointing`: keys move the selection or the page; `text`: Enter begins a text; `path`: it draws along
 * the path of a cross; `placing`: Enter places a shape.
 * @typedef {'pointing' | 'text' | 'path' | 'placing'} ToolUse
 */

/** @type {Record<string, ToolUse>} */
const USES = {
  select: 'pointing',
  hand: 'pointing',
  text: 'text',
  pen: 'path',
  highlighter: 'path',
  eraser: 'path',
  laser: 'path',
};

/** @param {string} tool @returns {ToolUse} */
export function useOf(tool) {
  return USES[tool] ?? 'placing';
}

export class CanvasHelp {
  #toolbar;
  #text = make('p', { id: 'canvas-help', class: 'hidden-text' });
  /** The texts that were announced. */
  #announced = new Set();

  /** @param {import('./toolbar.js').Toolbar} toolbar */
  constructor(toolbar) {
    this.#toolbar = toolbar;
    const canvas = element('canvas');
    // Screen readers pass keys on to the page only in an application.
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-describedby', ['summary', this.#text.id].join(' '));
    element('summary').after(this.#text);
    toolbar.addEventListener('tool', () => this.#show());
    this.#show();
  }

  /** Announces the chosen tool, and its keys unless they were announced before. */
  announceTool() {
    const text = this.#text.textContent;
    announce(`${toolName(this.#toolbar.tool)}.${this.#announced.has(text) ? '' : ` ${text}`}`);
    this.#announced.add(text);
  }

  #show() {
    const { tool } = this.#toolbar;
    const { helpHand, helpSelect, helpText, helpCross, helpNote, helpPlacing } = laterStrings;
    const pointing = tool === 'hand' ? helpHand : helpSelect;
    const placing = tool === 'note' ? helpNote : helpPlacing;
    this.#text.textContent = { pointing, text: helpText, path: helpCross, placing }[useOf(tool)];
  }
}
