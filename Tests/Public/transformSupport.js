/** A page with the select tool, rotation and snapping, alone or in a session. */

import { Drawing } from '../../Public/js/edit/drawing.js';
import { ItemStore } from '../../Public/js/edit/itemStore.js';
import { Selection } from '../../Public/js/edit/selection.js';
import { SelectionCommands } from '../../Public/js/edit/selectionCommands.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { Camera } from '../../Public/js/model/camera.js';
import { Items } from '../../Public/js/model/scene.js';
import { Shapes } from '../../Public/js/model/shapes.js';
import { ShapeIndex } from '../../Public/js/model/spatialIndex.js';
import { Text } from '../../Public/js/model/text.js';
import { TransformSync } from '../../Public/js/protocol/transformSync.js';
import { SelectTool } from '../../Public/js/tools/selectTool.js';
import { Snapping } from '../../Public/js/tools/snapping.js';
import { Transforms } from '../../Public/js/tools/transforms.js';
import { FakeBrowser, fileOf } from './journalSupport.js';
import { keyOf, LIMITS, welcome } from './support.js';

export const LOOK = { rgb: '#e5484d', color: 0, width: 6, tool: 'pen' };
const VIEW = { width: 1000, height: 800 };

/** @param {{ isShared?: boolean }} [options] */
export function openPage({ isShared = false } = {}) {
  const [shapes, items, history, index, camera] = [
    new Shapes(),
    new Items(),
    new UndoHistory(),
    new ShapeIndex(),
    new Camera(),
  ];
  let keys = 0;
  const key = () => keyOf(keys += 1);
  const drawing = new Drawing(shapes, key, history);
  const depth = {
    get next() {
      return drawing.nextZ;
    },
    seen: (/** @type {number} */ z) => shapes.raiseHighestZ(z),
  };
  const itemStore = new ItemStore({ items, history, depth, key, now: () => 0 });
  const transformSync = new TransformSync(
    shapes,
    (id, transform, by) => itemStore.placements.dragRemotely(id, transform, by),
    () => 0,
  );
  const commands = new SelectionCommands({ shapes, items, drawing, itemStore, history, transformSync, key });
  const selection = new Selection(shapes, items);
  shapes.observe(index);
  const selectTool = new SelectTool({ shapes, items, index }, selection, commands, () => camera.scale);
  const snapping = new Snapping({ items, index, camera, view: VIEW, changed: () => {} });
  const transforms = new Transforms({ selection, camera, view: VIEW, snapping });
  selectTool.transforms = transforms;
  const parts = { shapes, items, drawing, itemStore, history, tasks: commands.tasks };
  const page = {
    ...parts,
    parts,
    commands,
    camera,
    selection,
    selectTool,
    snapping,
    transforms,
    transformSync,
    /** @param {string} tool @param {number[]} points of a line by hand; or the two corners of a shape @returns {string} its id */
    draw(tool, points) {
      const style = { ...LOOK, tool };
      const before = new Set(shapes.all.map(({ id }) => id));
      if (tool === 'pen') drawing.beginStroke(style, points, null);
      else drawing.drawShape(style, key(), [points[0], points[1]], [points[2], points[3]]);
      drawing.endStroke();
      return shapes.all.find(({ id }) => !before.has(id))?.id ?? '';
    },
    /** @param {string} text @param {number} x @param {number} y @returns {string} its id */
    write(text, x, y) {
      const id = key();
      drawing.writeText(id, text, { rgb: LOOK.rgb, color: 0, size: 20 }, [x, y]);
      drawing.endStroke();
      return id;
    },
    /** @param {number} x @param {number} y @param {number} width @param {number} height @returns {string} the id of a picture */
    addPicture(x, y, width, height) {
      const content = { blob: fileOf(3), name: 'a.png', contentType: 'image/png', natural: { width, height } };
      return itemStore.add(content, { x, y, width, height }).id;
    },
    /** @param {string} id @returns {any} */
    find: (id) => shapes.find(id) ?? items.find(id),
    /** Drags from one point to others. @param {number[][]} points @param {{ shift?: boolean, alt?: boolean }} [keys] */
    drag([from, ...to], keys = {}) {
      selectTool.begin({ x: from[0], y: from[1], pressure: null, ...keys });
      for (const [x, y] of to) selectTool.move([{ x, y, pressure: null, ...keys }]);
      selectTool.end();
    },
  };
  return isShared ? { ...page, ...join(page) } : { ...page, last: () => assertShared(), frame: () => {} };
}

/** @param {any} page */
function join(page) {
  const { session, journal, last } = new FakeBrowser().open({ joins: false });
  page.drawing.attach(session, { bringsPicture: false });
  page.itemStore.attach(session, journal, { bringsPicture: false });
  page.transformSync.follow(session);
  session.join();
  welcome(last(), { limits: LIMITS });
  return { last, frame: (/** @type {number} */ now) => page.transformSync.frame(now) };
}

/** @returns {never} */
function assertShared() {
  throw new Error('The page is in no session.');
}

/** @param {Partial<import('../../Public/js/model/text.js').TextProperties>} [changes] */
export function textOf(changes) {
  return new Text({
    id: keyOf(0x77),
    text: 'Hello',
    x: 100,
    y: 200,
    size: 20,
    rgb: LOOK.rgb,
    color: 0,
    z: 1,
    ...changes,
  });
}

/** @param {Record<string, number>} bounds @returns {number[]} left, top, right and bottom, rounded to tenths */
export function sides({ left, top, right, bottom }) {
  return [left, top, right, bottom].map((one) => Math.round(one * 10) / 10);
}
