/** What comes in: files that are dropped on the page, pasted or picked, and words that are pasted. */

import { element } from './elements.js';
import { isBusy } from './keys.js';

/** @typedef {(files: File[], at: { x: number, y: number } | null) => void} Take `at`: where on the screen they were dropped */

/** What comes in: files that are dropped on the page, pasted or picked, and words that are pasted. */
export class Incoming {
  #take;
  #drop = element('drop');
  #input = /** @type {HTMLInputElement} */ (element('files'));

  #takeText;
  #isOff;

  /** @param {Take} take @param {(text: string) => void} takeText what was pasted @param {() => boolean} isOff whether nothing is taken */
  constructor(take, takeText, isOff) {
    this.#take = take;
    this.#takeText = takeText;
    this.#isOff = isOff;
    // All over the page: a file that is dropped beside the canvas must not take the page away.
    for (const event of ['dragenter', 'dragover', 'dragleave', 'drop']) {
      addEventListener(event, (drag) => this.#drag(/** @type {DragEvent} */ (drag)));
    }
    // While something is dragged there are no such events: a drag that ended unheard shows by them.
    addEventListener('pointermove', () => this.#drop.removeAttribute('data-over'));
    addEventListener('paste', (event) => this.#paste(event));
    element('add').addEventListener('click', () => this.pick());
    this.#input.addEventListener('change', () => {
      this.#take([...this.#input.files ?? []], null);
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
    dataTransfer.dropEffect = this.#isOff() ? 'none' : 'copy';
    if (this.#isOff()) return;
    this.#drop.toggleAttribute('data-over', type !== 'drop');
    if (type !== 'drop') return;
    const files = withoutFolders(dataTransfer);
    if (files.length > 0) this.#take(files, { x: event.clientX, y: event.clientY });
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    if (this.#isOff() || isBusy(event.target)) return;
    const files = [...event.clipboardData?.files ?? []];
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (files.length + text.length === 0) return;
    event.preventDefault();
    if (files.length > 0) this.#take(files, null);
    else this.#takeText(text);
  }
}

/** A folder looks like a file that cannot be read. @param {DataTransfer} data @returns {File[]} */
function withoutFolders({ items, files }) {
  const folders = [...items].filter(({ kind }) => kind === 'file').map((item) =>
    item.webkitGetAsEntry?.()?.isDirectory
  );
  return [...files].filter((_, at) => !folders[at]);
}
