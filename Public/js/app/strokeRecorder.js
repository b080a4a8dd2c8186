/**
 * Records the strokes that are drawn while the page loads, and paints their lines. The page then takes the strokes and replays
 * them (`strokeReplay.js`). It is a classic script before the canvas, so that no stroke is lost on a slow connection.
 *
 * @typedef {import('../tools/pointerInput.js').PointerSample} PointerSample
 * @typedef {import('../tools/pointerInput.js').RecordedStroke} RecordedStroke
 *
 * @typedef {object} StrokeRecorder
 * @property {() => RecordedStroke[]} take stops the recording and returns the strokes
 * @property {() => void} clear removes the painted lines
 */
{
  // The same numbers as in `PointerInput` and `Settings`.
  const PINCH_MS = 350;
  const ERASER_END = 5;
  const WIDTH = 6;
  const PASS = { capture: true, passive: false };

  /** @type {Set<RecordedStroke>} */
  const strokes = new Set();
  /** @type {RecordedStroke | null} the stroke whose pointer is down */
  let current = null;
  /** The fingers on the canvas. @type {Set<number>} */
  const fingers = new Set();
  /** True from the second finger on, until all fingers are lifted. */
  let isPinching = false;
  let width = WIDTH;
  /** @type {CanvasRenderingContext2D | null} of a canvas above the page's own, because the page clears its own at the start */
  let context = null;

  /** @param {Element} below */
  const prepare = (below) => {
    const canvas = document.createElement('canvas');
    canvas.className = 'recorded';
    const ratio = devicePixelRatio;
    canvas.width = innerWidth * ratio;
    canvas.height = innerHeight * ratio;
    below.after(canvas);
    const made = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    made.scale(ratio, ratio);
    made.lineCap = 'round';
    // Visible on light and on dark paper: green and its neighbors look brighter than other hues.
    const hue = Math.random() * 360;
    made.strokeStyle = `hsl(${hue},70%,${hue > 30 && hue < 200 ? 38 : 60}%)`;
    try {
      const stored = localStorage;
      const key = 'drawtogether:';
      width = Number(stored[`${key}width`]) || WIDTH;
      // On a first visit there is no stored color, and this has no effect. The canvas returns the color as `#rrggbb` to the page.
      made.strokeStyle = stored[`${key}color`];
      stored[`${key}color`] = made.strokeStyle;
      // The chosen color, if it is not the person's own.
      made.strokeStyle = stored[`${key}ink`];
    } catch {
      // Storage is switched off.
    }
    return made;
  };

  /** Paints the line of a stroke from its sample `from` on. @param {RecordedStroke} stroke @param {number} [from] */
  const paint = ({ samples, pointerType, button }, from = 0) => {
    if (!context || button) return;
    for (; from < samples.length; from += 1) {
      const { clientX, clientY, pressure } = samples[from];
      const before = samples[from - 1];
      context.lineWidth = pointerType === 'pen' && pressure ? width * (0.45 + 1.1 * pressure) : width;
      context.beginPath();
      context.moveTo(before?.clientX ?? clientX, before?.clientY ?? clientY - 0.1);
      context.lineTo(clientX, clientY);
      context.stroke();
    }
  };

  /** Ends the current stroke. @param {boolean} [isMeant] false: the person did not mean to draw, so it is removed */
  const end = (isMeant) => {
    if (!current) return;
    current.isOver = true;
    if (!isMeant) {
      strokes.delete(current);
      context?.clearRect(0, 0, innerWidth, innerHeight);
      for (const stroke of strokes) paint(stroke);
    }
    current = null;
  };

  /** @param {PointerEvent} event @returns {PointerSample} */
  const sampleOf = ({ clientX, clientY, pressure }) => ({ clientX, clientY, pressure });

  /** @param {Event} event @returns {Element | null} the page's canvas, if the event is on it */
  const canvasOf = ({ target }) => target instanceof Element && target.id === 'canvas' ? target : null;

  /** @param {PointerEvent} event */
  const down = (event) => {
    const { pointerId, pointerType, button, timeStamp } = event;
    const canvas = canvasOf(event);
    if (!canvas || (button && button !== ERASER_END)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const isTouch = pointerType === 'touch';
    const isOther = current && current.pointerType !== pointerType;
    // A finger beside a pen that is down: the hand rests on the screen.
    if (isTouch && isOther) return;
    if (!isTouch) fingers.clear();
    isPinching = isTouch && fingers.add(pointerId).size > 1;
    // A stroke of the hand before its pen touched the screen was not meant, either.
    if (isPinching || isOther) end(isPinching && timeStamp - (current?.timeStamp ?? 0) >= PINCH_MS);
    if (current || isPinching) return;
    current = { pointerId, pointerType, button, timeStamp, samples: [sampleOf(event)], isOver: false };
    strokes.add(current);
    context ??= prepare(canvas);
    paint(current);
    try {
      canvas.setPointerCapture(pointerId);
    } catch {
      // The pointer is already lifted.
    }
  };

  /** @param {PointerEvent} event */
  const move = (event) => {
    if (event.pointerId !== current?.pointerId) return;
    event.stopImmediatePropagation();
    const { samples } = current;
    const events = event.getCoalescedEvents?.() ?? [];
    const painted = samples.push(...(events[0] ? events : [event]).map(sampleOf)) - (events.length || 1);
    paint(current, painted);
  };

  /** @param {PointerEvent} event */
  const up = (event) => {
    fingers.delete(event.pointerId);
    if (event.pointerId === current?.pointerId) end(event.type === 'pointerup');
  };

  /** @type {[string, (event: any) => void][]} */
  const listeners = [
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', up],
    // Otherwise iOS selects text and shows its magnifier under a resting finger.
    ['touchstart', (event) => canvasOf(event) && event.preventDefault()],
  ];
  for (const [type, listener] of listeners) addEventListener(type, listener, PASS);

  /** @type {StrokeRecorder} */
  const strokeRecorder = {
    take: () => {
      for (const [type, listener] of listeners) removeEventListener(type, listener, PASS);
      return [...strokes];
    },
    clear: () => context?.canvas.remove(),
  };
  Object.assign(globalThis, { strokeRecorder });
}
