/** The stored form of the undo history's commands, and the commands that a later page creates from it. */

import { encodeShape, readShape } from '../protocol/shapeMessages.js';
import { originMembers } from '../model/origin.js';
import { Text } from '../model/text.js';
import { Retention } from '../sync/wire.js';
import { ChangeSet } from './changeSet.js';
import { sheetCommand } from './sheetCommands.js';

/**
 * @typedef {import('./undoHistory.js').Command} Command
 * @typedef {import('./undoHistory.js').Content} Content
 * @typedef {import('./undoHistory.js').SetContent} SetContent
 * @typedef {import('./undoHistory.js').ChangeContent} ChangeContent
 * @typedef {import('../model/shapes.js').Shape} Shape
 * @typedef {import('./changeSet.js').Parts & { tasks: import('../model/scheduling.js').ChunkedTasks,
 *   sheets: import('../protocol/sheetSync.js').Sheets }} Parts
 *
 * The id of a shape. If a later page must be able to bring the shape back, the message of the shape follows.
 * @typedef {string | [id: string, type: string, message: string]} StoredShape
 * @typedef {{ done: object[], undone: object[] }} StoredHistory oldest first
 * @typedef {'added' | 'removed'} Returning the shapes that the next step brings back: the removed shapes of a command that can
 *   be undone, or the added shapes of a command that can be redone
 */

/** The maximum number of stored commands. */
const MAX_COMMANDS = 100;

/**
 * Stores the latest commands. A command that is too long ends the list, because undo goes back in order. Commands that only bring
 * pictures and files back are left out, because their contents are lost with the page.
 * @param {Pick<import('./undoHistory.js').UndoHistory, 'done' | 'undone'>} history
 * @param {Pick<Parts, 'shapes' | 'itemStore'>} parts @param {number} maximumLength in characters of JSON
 * @returns {StoredHistory}
 */
export function storeCommands({ done, undone }, parts, maximumLength) {
  const left = { commands: MAX_COMMANDS, length: maximumLength };
  return { done: storeLatest(done, 'removed', parts, left), undone: storeLatest(undone, 'added', parts, left) };
}

/**
 * @param {StoredHistory} stored @param {Parts} parts
 * @returns {{ done: Command[], undone: Command[] }}
 */
export function readCommands({ done, undone }, parts) {
  const read = (/** @type {any} */ stored) => commandOf(stored, parts);
  return { done: done.map(read), undone: undone.map(read) };
}

/**
 * @param {readonly Command[]} commands the next one last @param {Returning} returning
 * @param {Pick<Parts, 'shapes' | 'itemStore'>} parts @param {{ commands: number, length: number }} left
 */
function storeLatest(commands, returning, parts, left) {
  const stored = [];
  for (let at = commands.length - 1; at >= 0 && left.commands > 0; at -= 1) {
    const { content } = commands[at];
    const record = content && recordOf(content, returning, parts, left.length);
    if (record === undefined) break;
    if (record === null) continue;
    left.length -= JSON.stringify(record).length;
    if (left.length < 0) break;
    left.commands -= 1;
    stored.unshift(record);
  }
  return stored;
}

/**
 * @param {Content} content @param {Returning} returning @param {Pick<Parts, 'shapes' | 'itemStore'>} parts
 * @param {number} maximumLength
 * @returns {object | null | undefined} null: a later page cannot continue it; undefined: it is too long
 */
function recordOf(content, returning, parts, maximumLength) {
  const stored = (/** @type {Iterable<Shape | { id: string }>} */ shapes, /** @type {Returning} */ kind) =>
    storeShapes(shapes, kind === returning, parts, maximumLength);
  switch (content.kind) {
    case 'added':
    case 'removed': {
      const { kind, items } = content;
      const shapes = stored(content.shapes, kind);
      if (kind === returning && shapes?.length === 0) return null;
      return shapes && { kind, shapes, items: items.map(({ id }) => parts.itemStore.current({ id })?.id ?? id) };
    }
    case 'replaced': {
      const [removed, added] = [stored(content.removed, 'removed'), stored(content.added, 'added')];
      return removed && added && { kind: content.kind, removed, added };
    }
    case 'moved':
    case 'restyled':
      return changeRecord(content, parts);
    case 'text':
    case 'sheet':
      return content;
  }
}

/**
 * @param {Iterable<Shape | { id: string }>} all @param {boolean} areReturning @param {Pick<Parts, 'shapes'>} parts
 * @param {number} maximumLength @returns {StoredShape[] | undefined} undefined: they are too long
 */
function storeShapes(all, areReturning, { shapes }, maximumLength) {
  /** @type {StoredShape[]} */
  const stored = [];
  let length = 0;
  for (const one of all) {
    if (areReturning && 'z' in one && !shapes.find(one.id)) {
      const { type, payload } = encodeShape(one, originMembers(one, 0));
      stored.push([one.id, type, new TextDecoder().decode(payload)]);
      length += payload.length;
    } else stored.push(one.id);
    length += one.id.length;
    // Stops early, so that thousands of shapes are not encoded for nothing.
    if (length > maximumLength) return undefined;
  }
  return stored;
}

/** @param {ChangeContent} content @param {Pick<Parts, 'itemStore'>} parts */
function changeRecord({ kind, shapes, items, transform, names = [] }, { itemStore }) {
  const kept = [...names];
  const properties = (/** @type {any} */ shape) => Object.fromEntries(kept.map((name) => [name, shape[name]]));
  return {
    kind,
    transform,
    names: kept,
    // Most moves are the same for all shapes, which may be thousands.
    shapes: shapes.map(({ before, after, transform }) => {
      if (kind === 'restyled') return [before.id, properties(before), properties(after)];
      return transform ? [before.id, {}, {}, transform] : before.id;
    }),
    items: items.map(({ item: { id, isPicture }, before, after, transform }) => {
      return { item: { id: itemStore.current({ id })?.id ?? id, isPicture }, before, after, transform };
    }),
  };
}

/** @param {any} stored by `recordOf` @param {Parts} parts @returns {Command} */
function commandOf(stored, parts) {
  switch (stored.kind) {
    case 'moved':
    case 'restyled': {
      const { kind, transform, names, items } = stored;
      /** @type {any[]} */
      const shapes = stored.shapes.map((/** @type {any} */ one) => {
        const [id, before, after, transform] = typeof one === 'string' ? [one] : one;
        return { before: { id, ...before }, after: { id, ...after }, transform };
      });
      const ids = [...shapes.map(({ before }) => before.id), ...items.map((/** @type {any} */ { item }) => item.id)];
      const changes = new ChangeSet(parts, parts.tasks, ids);
      changes.restore(shapes, items);
      return kind === 'moved' ? changes.moveCommand(transform) : changes.restyleCommand(names);
    }
    case 'replaced':
      return replaceCommand(stored, parts);
    case 'text':
      return textCommand(stored, parts);
    case 'sheet':
      return sheetCommand(stored, parts.sheets);
    default:
      return setCommand(stored, parts);
  }
}

/** @param {import('./undoHistory.js').TextContent} content @param {Parts} parts @returns {Command} */
function textCommand(content, { shapes, drawing }) {
  const change = (/** @type {object} */ changes) => {
    const there = shapes.base(content.id);
    if (!(there instanceof Text)) return false;
    drawing.update([there.rewritten(changes)]);
    return true;
  };
  return { undo: () => change(content.before), redo: () => change(content.after), content };
}

/** @param {{ removed: StoredShape[], added: StoredShape[] }} stored @param {Parts} parts @returns {Command} */
function replaceCommand({ removed, added }, parts) {
  const removal = setCommand({ kind: 'removed', shapes: removed, items: [] }, parts);
  const addition = setCommand({ kind: 'added', shapes: added, items: [] }, parts);
  const isThere = () => [...removal.content.shapes].some(({ id }) => parts.shapes.find(id));
  return {
    undo: () => {
      const isRestored = removal.undo();
      addition.undo();
      return isRestored;
    },
    redo: () => {
      if (isThere()) addition.redo();
      return removal.redo();
    },
    content: {
      kind: 'replaced',
      get removed() {
        return removal.content.shapes;
      },
      get added() {
        return addition.content.shapes;
      },
    },
  };
}

/**
 * @param {{ kind: 'added' | 'removed', shapes: StoredShape[], items: string[] }} stored @param {Parts} parts
 * @returns {Command & { content: SetContent }}
 */
function setCommand({ kind, shapes: stored, items }, { shapes, drawing, itemStore, tasks }) {
  /** The versions in which the shapes come back; null if unknown until they are removed. @type {Map<string, Shape | null>} */
  const known = new Map();
  for (const one of stored) {
    if (typeof one === 'string') known.set(one, null);
    else known.set(one[0], shapeOf(...one));
  }
  /** @type {readonly { id: string }[]} */
  let identified = items.map((id) => ({ id }));
  const remove = () => {
    const there = [...known.keys()].filter((id) => shapes.find(id));
    tasks.run(() => there, (id) => {
      const shape = shapes.find(id);
      if (!shape) return;
      known.set(id, shape);
      drawing.remove([shape]);
    });
    const removed = itemStore.removeAll(identified);
    if (removed.length > 0) identified = removed;
    return there.length + removed.length > 0;
  };
  const add = () => {
    const missing = [...known.values()].filter((shape) => shape !== null && !shapes.find(shape.id));
    tasks.run(() => missing, (shape) => shape && !shapes.find(shape.id) && drawing.add([shape]));
    const isRestored = itemStore.restoreRemoved(/** @type {import('../model/item.js').Item[]} */ (identified));
    return isRestored || missing.length > 0;
  };
  const content = {
    kind,
    get shapes() {
      return [...known].map(([id, shape]) => shape ?? { id });
    },
    get items() {
      return identified;
    },
  };
  return kind === 'added' ? { undo: remove, redo: add, content } : { undo: add, redo: remove, content };
}

/** @param {string} id @param {string} type @param {string} message @returns {Shape | null} null: it is invalid */
function shapeOf(id, type, message) {
  const entry = { type, retention: Retention.replace, payload: new TextEncoder().encode(message) };
  const shape = readShape(entry, id, 0)?.(undefined) ?? null;
  if (shape) shape.isFinished = true;
  return shape;
}
