/** Replays the strokes that were drawn while the page was loading. */

/** @typedef {{ strokeRecorder?: import('./strokeRecorder.js').StrokeRecorder }} Place */

/**
 * Replays the recorded strokes as if they were drawn now. A stroke whose pointer is still down continues. Without a recorder, or
 * at the second call, it does nothing.
 * @param {import('../tools/pointerInput.js').PointerInput} input
 * @param {Place} [place] the global object, where the recorder is
 * @param {(callback: () => void) => unknown} [nextFrame]
 */
export function replayStrokes(input, place = /** @type {Place} */ (globalThis), nextFrame = requestAnimationFrame) {
  const { strokeRecorder } = place;
  if (!strokeRecorder) return;
  place.strokeRecorder = undefined;
  for (const stroke of strokeRecorder.take()) input.replay(stroke);
  // Clears the lines in the frame in which the page paints the strokes: earlier, they would vanish for a moment; later, they
  // would look bolder.
  nextFrame(() => strokeRecorder.clear());
}
