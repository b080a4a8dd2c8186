/** The undo history of this person's commands. */

/**
 * @typedef {object} Command
 * @property {() => boolean} undo returns false if the shapes or items of the command no longer exist
 * @property {() => boolean} redo as `undo`
 * @property {Content} [content] the data with which a later page of this tab can undo the command; without it, the command is
 *   lost with the page
 *
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('../model/item.js').Item} Item
 * @typedef {import('../model/stroke.js').Transform} Transform
 * @typedef {{ kind: 'added' | 'removed', shapes: Iterable<Shape | Identified>, items: readonly Identified[] }} SetContent
 * @typedef {{ kind: 'replaced', removed: Iterable<Shape | Identified>, added: Iterable<Shape | Identified> }} ReplacedContent
 * @typedef {{ kind: 'text', id: string, before: object, after: object }} TextContent
 * @typedef {object} ChangeContent
 * @property {'moved' | 'restyled'} kind
 * @property {readonly { before: Shape | Identified, after: Shape | Identified, transform?: Transform }[]} shapes
 * @property {readonly import('./changeSet.js').ItemChange[]} items
 * @property {Transform} [transform] of a move; missing if each shape and item has its own
 * @property {Iterable<string>} [names] of the changed properties
 * @typedef {object} SheetContent
 * @property {'sheet'} kind
 * @property {number} number of the sheet
 * @property {Partial<import('../protocol/sheetSync.js').Sheet> | null} before the changed properties; null: it had no entry
 * @property {Partial<import('../protocol/sheetSync.js').Sheet> | null} after
 * @typedef {SetContent | ReplacedContent | TextContent | ChangeContent | SheetContent} Content
 * @typedef {{ id: string }} Identified
 */

/** The maximum number of commands. The oldest are dropped. */
const MAX_COMMANDS = 500;

/** The undo history: only the commands of this person. */
export class UndoHistory {
  /** @type {Command[]} */
  #done = [];
  /** @type {Command[]} */
  #undone = [];
  /** Called before a command is undone or redone. @type {(command: Command) => void} */
  before = () => {};

  /** The commands that can be undone, oldest first. @returns {readonly Command[]} */
  get done() {
    return this.#done;
  }

  /** The commands that can be redone, the next one last. @returns {readonly Command[]} */
  get undone() {
    return this.#undone;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /** @param {Command} command */
  push(command) {
    this.#done.push(command);
    if (this.#done.length > MAX_COMMANDS) this.#done.shift();
    this.#undone = [];
  }

  /** Moves the latest command to the undone ones. @returns {Command | null} the command, whose `undo` the caller runs */
  undo() {
    return this.#step(this.#done, this.#undone);
  }

  /** Moves the command that was undone last back. @returns {Command | null} the command, whose `redo` the caller runs */
  redo() {
    return this.#step(this.#undone, this.#done);
  }

  /**
   * Adds the commands of an earlier page before all others.
   * @param {readonly Command[]} done @param {readonly Command[]} undone dropped if this page has commands already
   */
  restore(done, undone) {
    if (!this.canUndo && !this.canRedo) this.#undone = [...undone];
    this.#done = [...done, ...this.#done].slice(-MAX_COMMANDS);
  }

  clear() {
    this.#done = [];
    this.#undone = [];
  }

  /** Moves the last command of a list to another list. @param {Command[]} from @param {Command[]} to */
  #step(from, to) {
    const next = from.at(-1);
    if (next) this.before(next);
    const command = from.pop() ?? null;
    if (command) to.push(command);
    return command;
  }
}
