/** Connections: an end of a line or an arrow that is attached to another object, and follows it. */

/**
 * @typedef {object} End
 * @property {string} id of the object to which the end is attached
 * @property {number} x the position on the object: 0 is the left side of its bounds, and 1 the right side
 * @property {number} y 0 is the top, and 1 the bottom
 */

/**
 * @param {{ tool: string, points: ArrayLike<number> }} stroke
 * @returns {boolean} true if it is a line or an arrow between two points, so that its ends can be attached
 */
export function canConnect({ tool, points }) {
  return points.length === { line: 4, arrow: 10 }[tool];
}

/** @param {End | null} a @param {End | null} b */
export function sameEnd(a, b) {
  return a === b || a?.id === b?.id && a?.x === b?.x && a?.y === b?.y;
}

/**
 * Returns the ends of a changed or copied stroke.
 * @param {{ from?: End | null, to?: End | null }} stroke
 * @param {(id: string) => string | undefined} idOf returns the id of the object that replaces another one; undefined: the end is
 *   detached
 * @returns {{ from: End | null, to: End | null }}
 */
export function changedEnds({ from = null, to = null }, idOf) {
  const changed = (/** @type {End | null} */ end) => {
    const id = end && idOf(end.id);
    return id ? { ...end, id } : null;
  };
  return { from: changed(from), to: changed(to) };
}
