/** The sources of files and texts. */

import { element } from './elements.js';
import { isBusy } from './keys.js';

/**
 * @typedef {(files: File[], at: { x: number, y: number } | null) => void} FilesHandler `at`: the point of the screen where
 *   they were dropped
 */

/** The sources of files and text: drag and drop, the clipboard, and the file picker. */
export class InputSources {
  #onFiles;
  #drop = element('drop');
  #input = /** @type {HTMLInputElement} */ (element('files'));

  #onText;
  #isDisabled;

  /**
   * @param {FilesHandler} onFiles @param {(text: string) => void} onText receives a pasted text
   * @param {() => boolean} isDisabled returns true while files and texts are ignored
   */
  constructor(onFiles, onText, isDisabled) {
    this.#onFiles = onFiles;
    this.#onText = onText;
    this.#isDisabled = isDisabled;
    // Listens on the whole page, because a file that is dropped beside the canvas must not replace the page.
    for (const event of ['dragenter', 'dragover', 'dragleave', 'drop']) {
      addEventListener(event, (drag) => this.#drag(/** @type {DragEvent} */ (drag)));
    }
    // During a drag there are no pointer events, so this one means that a drag has ended without an event.
    addEventListener('pointermove', () => this.#drop.removeAttribute('data-over'));
    addEventListener('paste', (event) => this.#paste(event));
    element('add').addEventListener('click', () => this.pick());
    this.#input.addEventListener('change', () => {
      this.#onFiles([...this.#input.files ?? []], null);
      // Without this, the same file could not be picked again.
      this.#input.value = '';
    });
  }

  pick() {
    this.#input.click();
  }

  /** @param {DragEvent} event */
  #drag(event) {
    const { type, dataTransfer, relatedTarget } = event;
    // Without a `relatedTarget`, the drag left the page. `dataTransfer` no longer lists its types then.
    if (type === 'dragleave') return void (relatedTarget === null && this.#drop.removeAttribute('data-over'));
    if (!dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    dataTransfer.dropEffect = this.#isDisabled() ? 'none' : 'copy';
    if (this.#isDisabled()) return;
    this.#drop.toggleAttribute('data-over', type !== 'drop');
    if (type !== 'drop') return;
    const files = withoutFolders(dataTransfer);
    if (files.length > 0) this.#onFiles(files, { x: event.clientX, y: event.clientY });
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    if (this.#isDisabled() || isBusy(event.target)) return;
    const files = [...event.clipboardData?.files ?? []];
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (files.length + text.length === 0) return;
    event.preventDefault();
    if (files.length > 0) this.#onFiles(files, null);
    else this.#onText(text);
  }
}

/** Removes folders, which look like unreadable files. @param {DataTransfer} data @returns {File[]} */
function withoutFolders({ items, files }) {
  const folders = [...items].filter(({ kind }) => kind === 'file').map((item) =>
    item.webkitGetAsEntry?.()?.isDirectory
  );
  return [...files].filter((_, at) => !folders[at]);
}
