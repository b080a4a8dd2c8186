/** The origin of a shape: its author, and when it was drawn. */

/**
 * `author` and `editor` are numbers of participants; 0: this person, or unknown.
 * @typedef {object} Origin
 * @property {number} author the participant who drew the shape, according to the sender of its last change
 * @property {number} editor the sender of its last change, according to the gateway
 * @property {number} madeAt when it was drawn, by the author's clock, in seconds since 1970; 0: unknown
 */

/** The greatest number of a participant, and the greatest time. */
const MAX = 2 ** 32 - 1;

/** @param {Origin} shape @returns {Origin} */
export function originOf({ author, editor, madeAt }) {
  return { author, editor, madeAt };
}

/** The origin of a shape that is not sent yet. */
export const NO_ORIGIN = Object.freeze({ author: 0, editor: 0, madeAt: 0 });

/** Sets the time of a new shape of this person. @param {Origin} shape @param {number} [now] milliseconds since 1970 */
export function stamp(shape, now = Date.now()) {
  if (shape.author === 0 && shape.madeAt === 0) shape.madeAt = Math.floor(now / 1000);
}

/** Completes the origin of a received shape. @param {Origin} shape @param {number} sender of its entry */
export function receivedFrom(shape, sender) {
  shape.author ||= sender;
  shape.editor = sender;
}

/** Reads the origin from a message with a shape. @param {{ by?: unknown, at?: unknown }} message @returns {Origin} */
export function readOrigin({ by, at }) {
  return { author: whole(by), editor: 0, madeAt: whole(at) };
}

/**
 * Returns the origin as members of a message with the whole shape.
 * @param {Origin} shape @param {number} sender of the message. The message does not name its author if this is the sender
 * @returns {{ by?: number, at?: number }}
 */
export function originMembers({ author, madeAt }, sender) {
  return { ...author > 0 && author !== sender && { by: author }, ...madeAt > 0 && { at: madeAt } };
}

/** @param {any} value @returns {number} 0 if it is no whole number from 1 to `MAX` */
function whole(value) {
  return Number.isInteger(value) && value > 0 && value <= MAX ? value : 0;
}
