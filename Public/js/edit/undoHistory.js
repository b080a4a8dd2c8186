/** The undo history of this person's commands. */

/** @typedef {{ undo: () => boolean, redo: () => boolean }} Command both return false if its shapes or items no longer exist */

/** The maximum number of commands. The oldest are dropped. */
const MAX_COMMANDS = 500;

/** The undo history: only the commands of this person. */
export class UndoHistory {
  /** @type {Command[]} */
  #done = [];
  /** @type {Command[]} */
  #undone = [];

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

  /** @returns {Command | null} the latest command, which is now undone */
  undo() {
    const command = this.#done.pop() ?? null;
    if (command) this.#undone.push(command);
    return command;
  }

  /** @returns {Command | null} the command undone last, which is now done again */
  redo() {
    const command = this.#undone.pop() ?? null;
    if (command) this.#done.push(command);
    return command;
  }

  clear() {
    this.#done = [];
    this.#undone = [];
  }
}
