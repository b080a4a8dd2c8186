/** Shapes drawn out between two points, and how far things are from each other. The points of shapes trace their outline, so that who knows no shapes draws them too. */

/** @typedef {[number, number]} Point */

/** The tools that make them. */
export const SHAPES = Object.freeze(['line', 'arrow', 'rectangle', 'ellipse']);

const ELLIPSE_POINTS = 48;
/** Of an arrow's head: its length in widths of the line, besides so many points; and how far its sides are from the shaft. */
const HEAD_WIDTHS = 3;
const HEAD = 10;
const HEAD_ANGLE = 0.5;
/** With Shift, lines turn by so much. */
const TURN = Math.PI / 4;

/** @param {string} tool */
export function isShape(tool) {
  return SHAPES.includes(tool);
}

/** @param {string} tool @returns {boolean} whether its line comes back to where it began */
export function isClosed(tool) {
  return tool === 'rectangle' || tool === 'ellipse';
}

/** @param {string} tool one of `SHAPES` @param {Point} from @param {Point} to @param {number} width of the line @returns {number[]} x and y in turn */
export function shapePoints(tool, [x, y], [toX, toY], width) {
  if (tool === 'rectangle') return [x, y, toX, y, toX, toY, x, toY, x, y];
  if (tool === 'ellipse') {
    const [middleX, middleY, radiusX, radiusY] = [(x + toX) / 2, (y + toY) / 2, (toX - x) / 2, (toY - y) / 2];
    return Array.from({ length: ELLIPSE_POINTS + 1 }, (_, at) => {
      const angle = 2 * Math.PI * (at % ELLIPSE_POINTS) / ELLIPSE_POINTS;
      return [middleX + radiusX * Math.cos(angle), middleY + radiusY * Math.sin(angle)];
    }).flat();
  }
  if (tool === 'line') return [x, y, toX, toY];
  const angle = Math.atan2(toY - y, toX - x);
  const length = Math.min(HEAD + HEAD_WIDTHS * width, Math.hypot(toX - x, toY - y) / 2);
  const side = (/** @type {number} */ turn) => [
    toX - length * Math.cos(angle + turn),
    toY - length * Math.sin(angle + turn),
  ];
  return [x, y, toX, toY, ...side(HEAD_ANGLE), toX, toY, ...side(-HEAD_ANGLE)];
}

/** As wide as high; of a line, turned by an eighth of a circle at a time. @param {string} tool @param {Point} from @param {Point} to @returns {Point} instead of `to` */
export function regular(tool, [x, y], [toX, toY]) {
  const [width, height] = [toX - x, toY - y];
  if (isClosed(tool)) {
    const side = Math.max(Math.abs(width), Math.abs(height));
    return [x + side * (width < 0 ? -1 : 1), y + side * (height < 0 ? -1 : 1)];
  }
  const angle = Math.round(Math.atan2(height, width) / TURN) * TURN;
  // As far along that as the pointer is.
  const length = width * Math.cos(angle) + height * Math.sin(angle);
  return [x + length * Math.cos(angle), y + length * Math.sin(angle)];
}

/** @param {Point} a @param {Point} b @param {Point} c @param {Point} d @returns {number} between the segments ab and cd */
export function segmentDistance(a, b, c, d) {
  if (cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0) return 0;
  return Math.min(pointDistance(a, c, d), pointDistance(b, c, d), pointDistance(c, a, b), pointDistance(d, a, b));
}

/** @param {Point} a @param {Point} b @param {Point} c */
function cross(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** @param {Point} p @param {Point} a @param {Point} b */
function pointDistance(p, a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square));
  return Math.hypot(p[0] - a[0] - along * dx, p[1] - a[1] - along * dy);
}
