/** The first view of a picture that is opened, or that arrives from a session. */

/** Shows the whole picture, but not while the pointer draws, because the camera must not move under it. */
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

  /** True until the first catch-up of a session that has just been entered is complete. */
  get isCatchingUp() {
    return this.#isCatchingUp;
  }

  /** Follows the catch-up of a session that has just been entered. */
  beginCatchUp() {
    this.#isCatchingUp = true;
  }

  /** To be called after each catch-up. Only the first one of a session is shown as a whole. */
  endCatchUp() {
    if (this.#isCatchingUp) this.show();
    this.#isCatchingUp = false;
  }

  /** Shows the whole picture in the next frame in which this person does not draw. */
  show() {
    this.#isDue = true;
    this.#requestFrame();
  }

  /** @param {boolean} isBehind true if received entries are not drawn yet */
  frame(isBehind) {
    this.#isDue ||= isBehind && this.#isCatchingUp;
    if (!this.#isDue || this.#isDrawing()) return;
    this.#isDue = false;
    this.#view.showAtFirst();
  }
}
