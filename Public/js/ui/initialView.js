/** The first view of a picture that was stored, or that arrives from a session. */

/** Shows the whole picture. Waits while the pointer draws, because the camera must not move during a stroke. */
export class InitialView {
  #view;
  #isDrawing;
  #requestFrame;
  #isCatchingUp = false;
  #isDue = false;

  /**
   * @param {{ showAtFirst: () => void }} view @param {() => boolean} isDrawing returns true while the pointer draws
   * @param {() => void} requestFrame
   */
  constructor(view, isDrawing, requestFrame) {
    this.#view = view;
    this.#isDrawing = isDrawing;
    this.#requestFrame = requestFrame;
  }

  /** True from the entry into a session to the end of its first catch-up. */
  get isCatchingUp() {
    return this.#isCatchingUp;
  }

  /** Begins to show the picture while it arrives. To be called when the page has just entered a session. */
  beginCatchUp() {
    this.#isCatchingUp = true;
  }

  /** Shows the whole picture after the first catch-up of a session. To be called after each catch-up. */
  endCatchUp() {
    if (this.#isCatchingUp) this.show();
    this.#isCatchingUp = false;
  }

  /** Shows the whole picture in the next frame in which this person does not draw. */
  show() {
    this.#isDue = true;
    this.#requestFrame();
  }

  /** Shows the whole picture if that is due. @param {boolean} isBehind true if received entries are not drawn yet */
  frame(isBehind) {
    this.#isDue ||= isBehind && this.#isCatchingUp;
    if (!this.#isDue || this.#isDrawing()) return;
    this.#isDue = false;
    this.#view.showAtFirst();
  }
}
