/** Pages with notes, connections and locked objects: alone, or several in one session over a gateway in memory. */

import { Connections } from '../../Public/js/edit/connections.js';
import { Drawing } from '../../Public/js/edit/drawing.js';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { ObjectCommands } from '../../Public/js/edit/objectCommands.js';
import { Selection } from '../../Public/js/edit/selection.js';
import { SelectionCommands } from '../../Public/js/edit/selectionCommands.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Items, Scene } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { TransformSync } from '../../Public/js/protocol/transformSync.js';
import { ConnectorTool } from '../../Public/js/tools/connectorTool.js';
import { NoteTool } from '../../Public/js/tools/noteTool.js';
import { SelectTool } from '../../Public/js/tools/selectTool.js';
import { ShapeTool } from '../../Public/js/tools/shapeTool.js';
import { TextTool } from '../../Public/js/tools/textTool.js';
import { GroupSession } from '../../Public/js/sync/groupSession.js';
import { FakeGateway } from './fakeGateway.js';
import { FakeClock, keyOf } from './support.js';

export const INK = { rgb: '#e5484d', color: 0 };
const WIDTH = 4;

/** @typedef {ReturnType<typeof page>} Page */

/** A page without a session. Keys are those of `keyOf`, from the given number on. @param {number} [firstKey] */
export function page(firstKey = 1) {
  const [shapes, items, history, index] = [new Shapes(), new Items(), new UndoHistory(), new ShapeIndex()];
  let keys = firstKey - 1;
  const key = () => keyOf(keys += 1);
  const drawing = new Drawing(shapes, key, history);
  const depth = {
    get next() {
      return drawing.nextZ;
    },
    seen: (/** @type {number} */ z) => shapes.raiseHighestZ(z),
  };
  const itemStore = new ItemStore({ items, history, depth, key, now: () => 0 });
  const dragged = itemStore.placements.dragRemotely.bind(itemStore.placements);
  const transformSync = new TransformSync(shapes, dragged, () => 0);
  const parts = { shapes, items, drawing, itemStore, history };
  const commands = new SelectionCommands({ ...parts, transformSync, key, now: () => 0 });
  const objectCommands = new ObjectCommands({ ...parts, tasks: commands.tasks });
  const selection = new Selection(shapes, items);
  const plane = { shapes, items, index };
  const selectTool = new SelectTool(plane, selection, commands, () => 1, () => 0);
  shapes.observe(index);
  const isAlone = () => !made.isShared;
  const connections = new Connections({ ...parts, isAlone, requestFrame: () => {}, now: () => 0 });
  const style = (/** @type {string} */ tool) => ({ ...INK, width: WIDTH, tool });
  const textStyle = { ...INK, size: 26, font: /** @type {const} */ ('hand') };
  const textTool = new TextTool(drawing, index, () => textStyle, () => 1, key);
  /** The highlighted objects. @type {import('../../Public/js/model/stroke.js').Bounds[]} */
  let highlighted = [];
  const connector = (/** @type {string} */ tool) =>
    new ConnectorTool({
      drawing,
      plane,
      style: () => style(tool),
      scale: () => 1,
      newKey: key,
      showObjects: (objects) => highlighted = objects,
    });
  const [rectangle, ellipse] = ['rectangle', 'ellipse'].map((tool) => {
    return new ShapeTool(drawing, () => style(tool), () => 1, key);
  });
  const made = {
    ...parts,
    isShared: false,
    index,
    scene: new Scene(shapes, items),
    commands,
    objectCommands,
    transformSync,
    selection,
    selectTool,
    connections,
    textTool,
    noteTool: new NoteTool({
      drawing,
      textTool,
      style: () => ({ ...textStyle, fill: 'rose' }),
      scale: () => 1,
      newKey: key,
    }),
    arrow: connector('arrow'),
    line: connector('line'),
    rectangle,
    ellipse,
    highlighted: () => highlighted,
    /** Draws with a tool, and returns the id of the new shape. */
    draw: (/** @type {Tool} */ tool, /** @type {number[]} */ from, /** @type {number[]} */ to) => {
      drag(tool, from, to);
      connections.frame();
      return shapes.all[shapes.all.length - 1].id;
    },
    /** Moves shapes and items, as with the select tool. */
    move: (/** @type {string[]} */ ids, /** @type {number} */ x, /** @type {number} */ y, factor = 1) => {
      commands.drag(new Set(ids), { factor, x, y });
      commands.commitDrag();
      connections.frame();
    },
    undo: () => {
      drawing.undo();
      connections.frame();
    },
    redo: () => {
      drawing.redo();
      connections.frame();
    },
    ids: () => shapes.all.map(({ id }) => id),
    /** The ends of a connection as it is shown. */
    ends: (/** @type {string} */ id) => endsOf(shapes.find(id)),
    /** The ends of the session's version. */
    sentEnds: (/** @type {string} */ id) => endsOf(shapes.confirmed(id)),
  };
  return made;
}

/** @typedef {import('../../Public/js/tools/pointerInput.js').Tool} Tool */

/** @param {Tool} tool @param {number[]} from @param {number[]} to */
export function drag(tool, [x, y], [toX, toY]) {
  tool.begin({ x, y, pressure: null });
  tool.move([{ x: toX, y: toY, pressure: null }]);
  tool.end();
}

/** @param {Tool} tool @param {number} x @param {number} y */
export function tap(tool, x, y) {
  tool.begin({ x, y, pressure: null });
  tool.end();
}

/** Pages that are in one session. @param {number} count */
export function together(count) {
  const gateway = new FakeGateway();
  const pages = Array.from({ length: count }, (_, at) => {
    const made = page(1 + 50 * at);
    const { now, setTimeout, clearTimeout, probe } = new FakeClock();
    const env = { openSocket: gateway.openSocket, probe, now, setTimeout, random: () => 0.5 };
    const session = new GroupSession({
      id: 'AAAAAAAAAAAAAAAAAAAAAA',
      base: 'https://draw.example/',
      env: { ...env, clearTimeout: /** @type {any} */ (clearTimeout) },
    });
    made.isShared = true;
    made.drawing.attach(session, { bringsPicture: false });
    made.transformSync.follow(session);
    session.join();
    return made;
  });
  /** Delivers all messages, and lets each page show a frame. */
  const settle = () => {
    for (let round = 0; round < 200; round += 1) {
      for (let at = 0; at < count; at += 1) {
        gateway.serve(at);
        gateway.deliver(at);
      }
      for (const { connections } of pages) connections.frame();
    }
  };
  settle();
  return { gateway, pages, settle };
}

/** @param {import('../../Public/js/model/shapes.js').Shape | null} shape */
function endsOf(shape) {
  return shape && 'points' in shape ? shape.points.slice(0, 4) : null;
}
