/** Shows the state of the drawing and its session in the buttons, the summary and the banner. */

import { strings } from '../i18n/i18n.js';

/**
 * @typedef {object} Parts
 * @property {import('../edit/drawing.js').Drawing} drawing
 * @property {import('../model/scene.js').Scene} scene
 * @property {import('../app/sharing.js').Sharing} sharing
 * @property {import('./toolbar.js').Toolbar} toolbar
 * @property {import('./connectionBanner.js').ConnectionBanner} banner
 * @property {import('./connectionBanner.js').EndedBar} endedBar
 * @property {import('./canvasView.js').CanvasView} view
 * @property {import('./initialView.js').InitialView} initialView
 * @property {() => void} requestFrame
 */

/** The interval of updates during a catch-up, in milliseconds. */
const CATCH_UP_INTERVAL_MS = 250;

/** Updates buttons, summary and banner, at most once a frame. */
export class PageState {
  #parts;
  #isDirty = true;
  #shownAt = 0;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Requests an update. */
  changed() {
    this.#isDirty = true;
    this.#parts.requestFrame();
  }

  /** @param {number} now @returns {boolean} true if another frame is needed */
  frame(now) {
    const { initialView } = this.#parts;
    if (!this.#isDirty || (initialView.isCatchingUp && now - this.#shownAt < CATCH_UP_INTERVAL_MS)) {
      return this.#isDirty;
    }
    this.#shownAt = now;
    this.#isDirty = false;
    this.#show();
    return false;
  }

  #show() {
    const { drawing, scene, sharing, toolbar, banner, endedBar, view } = this.#parts;
    const { session, over: endedSession } = sharing;
    toolbar.show({
      canUndo: drawing.canUndo,
      canRedo: drawing.canRedo,
      isEmpty: scene.isEmpty,
      isShared: session !== null,
      isConnected: session?.isConnected ?? false,
    });
    endedBar.show(endedSession !== null);
    view.changed(endedSession ? strings.overForLate : session ? strings.hintTogether : strings.hintAlone);
    banner.changed();
  }
}
