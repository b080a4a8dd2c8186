/** Long presses on the canvas: a pointer that is down and does not move. */

/** The time from which a press is long, in milliseconds. */
export const PRESS_MS = 550;
/** The maximum movement of a pointer during a press, in pixels. */
const SLOP = 8;

/**
 * @param {HTMLElement} canvas
 * @param {(x: number, y: number) => boolean} isMeant returns true if a press at this point of the screen counts; called when the
 *   pointer goes down
 * @param {(x: number, y: number) => void} pressed called while the pointer is still down
 */
export function onLongPress(canvas, isMeant, pressed) {
  /** @type {{ id: number, x: number, y: number, timer: ReturnType<typeof setTimeout> } | null} */
  let press = null;
  const cancel = () => {
    clearTimeout(press?.timer);
    press = null;
  };
  canvas.addEventListener('pointerdown', ({ pointerId, button, clientX: x, clientY: y }) => {
    const isSecond = press !== null;
    cancel();
    if (isSecond || button !== 0 || !isMeant(x, y)) return;
    const timer = setTimeout(() => {
      press = null;
      pressed(x, y);
    }, PRESS_MS);
    press = { id: pointerId, x, y, timer };
  });
  canvas.addEventListener('pointermove', ({ pointerId, clientX, clientY }) => {
    if (press?.id === pointerId && Math.hypot(clientX - press.x, clientY - press.y) > SLOP) cancel();
  });
  for (const type of ['pointerup', 'pointercancel', 'lostpointercapture', 'wheel']) {
    canvas.addEventListener(type, cancel, { passive: true });
  }
}
