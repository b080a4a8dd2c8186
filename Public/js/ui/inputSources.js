/** What comes in: files that are dropped on the page, pasted or picked, and words that are pasted. */

import { element } from './elements.js';
import { isBusy } from './keys.js';

/** @typedef {(files: File[], at: { x: number, y: number } | null) => void} FilesHandler `at`: where on the screen they were dropped */

/** The sources of files and text: drag and drop, the clipboard, and the file picker. */
export class InputSources {
  #onFiles;
  #drop = element('drop');
  #input = /** @type {HTMLInputElement} */ (element('files'));

  #onText;
  #isDisabled;

  /** @param {FilesHandler} onFiles @param {(text: string) => void} onText what was pasted @param {() => boolean} isDisabled whether nothing is taken */
  constructor(onFiles, onText, isDisabled) {
    this.#onFiles = onFiles;
    this.#onText = onText;
    this.#isDisabled = isDisabled;
    // All over the page: a file that is dropped beside the canvas must not replace the page.
    for (const event of ['dragenter', 'dragover', 'dragleave', 'drop']) {
      addEventListener(event, (drag) => this.#drag(/** @type {DragEvent} */ (drag)));
    }
    // While something is dragged there are no such events: a drag that ended unheard shows by them.
    addEventListener('pointermove', () => this.#drop.removeAttribute('data-over'));
    addEventListener('paste', (event) => this.#paste(event));
    element('add').addEventListener('click', () => this.pick());
    this.#input.addEventListener('change', () => {
      this.#onFiles([...this.#input.files ?? []], null);
      // Else the same file could not be picked again.
      this.#input.value = '';
    });
  }

  pick() {
    this.#input.click();
  }

  /** @param {DragEvent} event */
  #drag(event) {
    const { type, dataTransfer, relatedTarget } = event;
    // It leaves the page when it goes to no other element of it. What it carried is not said any more then.
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

/** A folder looks like a file that cannot be read. @param {DataTransfer} data @returns {File[]} */
function withoutFolders({ items, files }) {
  const folders = [...items].filter(({ kind }) => kind === 'file').map((item) =>
    item.webkitGetAsEntry?.()?.isDirectory
  );
  return [...files].filter((_, at) => !folders[at]);
}
