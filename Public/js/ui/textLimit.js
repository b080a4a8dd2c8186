/** The limit for the text that is being typed. */

/**
 * Keeps a text area within a maximum number of characters: only the beginning of an insertion that is too long is inserted.
 * @param {HTMLTextAreaElement} area
 * @param {number} most
 * @param {{ cut: () => void, pasteElsewhere: (text: string) => void }} actions `cut`: called when a part was not inserted;
 *   `pasteElsewhere`: called instead for a pasted text that is too long, if the area is empty
 */
export function limitText(area, most, { cut, pasteElsewhere }) {
  /** @param {Event} event @param {string} text that the event inserts */
  const limit = (event, text) => {
    const { value, selectionStart, selectionEnd } = area;
    const characters = [...text.replace(/\r\n?/g, '\n')];
    const kept = [...value.slice(0, selectionStart), ...value.slice(selectionEnd)].length;
    if (characters.length === 0 || kept + characters.length <= most) return;
    event.preventDefault();
    if (value === '' && event.type === 'paste') return pasteElsewhere(text);
    const inserted = characters.slice(0, Math.max(0, most - kept)).join('');
    area.setRangeText(inserted, selectionStart, selectionEnd, 'end');
    area.dispatchEvent(new Event('input'));
    cut();
  };
  area.addEventListener('paste', (event) => limit(event, event.clipboardData?.getData('text/plain') ?? ''));
  area.addEventListener('beforeinput', (event) => {
    const { inputType, data } = /** @type {InputEvent} */ (event);
    limit(event, inputType === 'insertLineBreak' ? '\n' : data ?? '');
  });
}
