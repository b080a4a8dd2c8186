/** Rotation: of points, texts and pictures, in messages, drags, undo steps, paintings and exports. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommands, storeCommands } from '../../Public/js/edit/storedCommands.js';
import { UndoHistory } from '../../Public/js/edit/undoHistory.js';
import { commonTransform } from '../../Public/js/model/commonTransform.js';
import { isOn, touching } from '../../Public/js/model/hitTest.js';
import { Item } from '../../Public/js/model/item.js';
import { readPlacement } from '../../Public/js/model/placement.js';
import { mapping, normalAngle, rotationAbout } from '../../Public/js/model/rotation.js';
import { boxOf } from '../../Public/js/model/selectionBox.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { readDrawing, writeDrawing } from '../../Public/js/persist/drawingFile.js';
import { encodeShape, readShape, readText } from '../../Public/js/protocol/shapeMessages.js';
import {
  compose,
  inverse,
  readTransform,
  scaleAbout,
  TRANSFORM_TYPE,
  transformedPlacement,
  transformMessage,
} from '../../Public/js/protocol/transformSync.js';
import { shapeTag, svgOf } from '../../Public/js/render/export/svg.js';
import { paintRotated, paintShape } from '../../Public/js/render/shapePainter.js';
import { deserialize, serialize } from '../../Public/js/render/tiles/tilePainter.js';
import { Retention } from '../../Public/js/sync/wire.js';
import { BEN, gatewayEntry, keyOf } from './support.js';
import { LOOK, openPage, sides, textOf } from './transformSupport.js';

const QUARTER = rotationAbout(90, [100, 100]);
const PLACE = { x: 100, y: 50, width: 80, height: 40, z: 3 };

test('an angle is from 0 up to 360, in hundredths', () => {
  assert.deepEqual([0, 360, -15, 725, 359.999, -0.001, 12.345].map(normalAngle), [0, 0, 345, 5, 0, 0, 12.35]);
});

test('transforms are composed and inverted', () => {
  const all = [QUARTER, rotationAbout(33, [-5, 9]), scaleAbout(1.7, 20, 30), { factor: 1, x: 4, y: -3 }];
  for (const one of all) {
    for (const other of all) {
      const point = mapping(other)(...mapping(one)(12, -34));
      near(mapping(compose(one, other))(12, -34), point);
      near(mapping(inverse(compose(one, other)))(...point), [12, -34]);
    }
  }
  assert.deepEqual(inverse({ factor: 2, x: 4, y: 6 }), { factor: 0.5, x: -2, y: -3 }, 'no angle without a rotation');
});

test('a message of a rotation names the point that stays; readers without rotations show everything there', () => {
  for (const transform of [QUARTER, compose(rotationAbout(20, [500, 40]), scaleAbout(1.5, 7, 8))]) {
    const message = JSON.parse(JSON.stringify(transformMessage(transform)));
    const read = /** @type {any} */ (readTransform(message));
    near(mapping(read)(3, 4), mapping(transform)(3, 4));
    const { angle: _, ...plain } = message;
    near(mapping(/** @type {any} */ (readTransform(plain)))(...message.center), message.center);
  }
  assert.deepEqual(transformMessage({ factor: 1, x: 5, y: 6 }), { factor: 1, point: [5, 6] });
});

for (const wrong of [-1, 360, NaN, '90', null, [90], 1e9]) {
  test(`an angle of ${JSON.stringify(wrong)} counts as none`, () => {
    assert.deepEqual(readText(messageOf({ angle: wrong })), readText(messageOf({})));
    assert.deepEqual(readPlacement({ location: [1, 2], width: 3, height: 4, z: 5, angle: wrong }), {
      x: 1,
      y: 2,
      width: 3,
      height: 4,
      z: 5,
    });
    assert.deepEqual(readTransform({ factor: 1, point: [1, 2], angle: wrong, center: [3, 4] }), {
      factor: 1,
      x: 1,
      y: 2,
    });
  });
}

test('a rotation of a drag without a valid center is ignored', () => {
  for (const center of [undefined, [1], [1, 1e9], ['1', 2]]) {
    assert.deepEqual(readTransform({ factor: 1, point: [1, 2], angle: 90, center }), { factor: 1, x: 1, y: 2 });
  }
});

test('the points of a line are rotated, and its width stays', () => {
  const stroke = strokeOf([100, 100, 150, 100, 150, 120]);
  const rotated = stroke.moved(QUARTER);
  assert.deepEqual(rotated.points, [100, 100, 100, 150, 80, 150]);
  assert.equal(rotated.width, stroke.width);
  assert.deepEqual(rotated.moved(inverse(QUARTER)).points, stroke.points);
});

test('a text is rotated about the center of its box', () => {
  const text = textOf();
  const { left, top, right, bottom } = text.box;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const rotated = text.moved(rotationAbout(90, [x, y]));
  assert.equal(rotated.angle, 90);
  near([rotated.x, rotated.y], [text.x, text.y]);
  const [width, height] = [right - left, bottom - top];
  assert.deepEqual(
    sides(rotated.extent),
    sides({
      left: x - height / 2,
      top: y - width / 2,
      right: x + height / 2,
      bottom: y + width / 2,
    }),
  );
  assert.ok(rotated.touches([x, y - width / 2 + 1], [x, y - width / 2 + 1], 0));
  assert.ok(!rotated.touches([left + 1, y], [left + 1, y], 0));
  assert.ok(rotated.looksLike(textOf({ x: rotated.x, y: rotated.y, angle: 90 })));
  assert.ok(!rotated.looksLike(textOf({ x: rotated.x, y: rotated.y })));
  near([text.moved(QUARTER).moved(inverse(QUARTER))].flatMap((one) => [one.x, one.y, one.angle]), [text.x, text.y, 0]);
});

test('a rotated text keeps its upper left corner while it is written', () => {
  const rotated = textOf({ angle: 30 });
  const longer = rotated.rewritten({ text: 'Hello, everybody here\nand there' });
  near(longer.corner, rotated.corner);
  assert.deepEqual([textOf().corner, textOf().rewritten({ text: 'a' }).x], [[100, 200], 100]);
  const { drawing, find, ...page } = openPage();
  const id = page.write('Hello', 100, 200);
  page.commands.drag(new Set([id]), QUARTER);
  page.commands.commitDrag();
  const { corner } = find(id);
  drawing.writeText(id, 'Hello, everybody', { rgb: LOOK.rgb, color: 0, size: 20 }, [0, 0]);
  drawing.endStroke();
  assert.deepEqual([find(id).text, find(id).angle], ['Hello, everybody', 90]);
  near(find(id).corner, corner);
  drawing.undo();
  assert.equal(find(id).text, 'Hello');
  near(find(id).corner, corner);
});

test('the angle of a text is sent and read; a text without one is as before', () => {
  const read = (
    /** @type {import('../../Public/js/model/text.js').Text} */ text,
  ) => /** @type {any} */ (readShape({ ...encodeShape(text), retention: Retention.replace }, text.id, 1)?.(undefined));
  const rotated = textOf({ angle: 12.5 });
  assert.ok(read(rotated).looksLike(rotated));
  assert.equal(JSON.parse(new TextDecoder().decode(encodeShape(rotated).payload)).angle, 12.5);
  assert.ok(!('angle' in JSON.parse(new TextDecoder().decode(encodeShape(textOf()).payload))));
});

test('a picture is rotated about its center, a card stays upright', () => {
  const rotated = transformedPlacement(PLACE, QUARTER, true);
  assert.deepEqual(rotated, { ...PLACE, x: 150, y: 100, angle: 90 });
  assert.deepEqual(transformedPlacement(PLACE, QUARTER, false), { ...PLACE, x: 150, y: 100 });
  const item = itemOf({ ...PLACE, angle: 90 });
  assert.deepEqual(sides(item.bounds), [80, 10, 120, 90]);
  assert.deepEqual([isOn(item, 100, 85), isOn(item, 135, 50), isOn(item, 135, 50, 20)], [true, false, true]);
});

test('a box that only touches the bounds of a rotated picture does not select it', () => {
  const { items, addPicture, find, ...page } = openPage();
  const id = addPicture(100, 100, 200, 20);
  page.commands.drag(new Set([id]), rotationAbout(45, [100, 100]));
  page.commands.commitDrag();
  const plane = { items, index: { within: () => [] } };
  const found = (/** @type {number[]} */ [left, top, right, bottom]) =>
    touching(/** @type {any} */ (plane), { left, top, right, bottom }).length;
  assert.deepEqual([found([150, 40, 170, 60]), found([140, 140, 170, 170])], [0, 1]);
  assert.equal(find(id).angle, 45);
});

test('the box of a rotated rectangle or ellipse is rotated with it, and its handle stays above', () => {
  for (const tool of ['rectangle', 'ellipse']) {
    for (const corners of [[0, 0, 100, 40], [100, 40, 0, 0], [0, 40, 100, 0]]) {
      const page = openPage();
      const id = page.draw(tool, corners);
      const upright = boxOf(page.find(id));
      assert.equal(upright.angle, 0);
      for (const [by, expected] of [[30, 30], [30, 60], [90, 330], [30, 0]]) {
        page.commands.drag(new Set([id]), rotationAbout(by, [50, 20]));
        page.commands.commitDrag();
        const { angle, box } = boxOf(page.find(id));
        assert.ok(
          Math.abs(angle - expected) < 0.05 || Math.abs(angle - expected) > 359.95,
          `${tool} ${corners}: ${angle}`,
        );
        near(sides(box), sides(upright.box), 0.2);
      }
    }
  }
  assert.equal(boxOf(strokeOf([0, 0, 10, 10])).angle, 0);
});

test('a rotation of everything is one undo step, and exact', () => {
  const page = openPage();
  const ids = [page.draw('pen', [0, 0, 50, 10]), page.write('Hello', 20, 30), page.addPicture(200, 100, 80, 40)];
  const look = () =>
    ids.map((id) => JSON.stringify([page.find(id).points, page.find(id).place, page.find(id).angle, page.find(id).x]));
  const before = look();
  page.commands.drag(new Set(ids), rotationAbout(37, [50, 50]));
  page.commands.commitDrag();
  const after = look();
  assert.deepEqual(ids.map((id) => page.find(id).angle), [undefined, 37, 37]);
  page.drawing.undo();
  assert.deepEqual(look(), before);
  page.drawing.redo();
  assert.deepEqual(look(), after);
});

test('a rotation is undone after a reload', () => {
  const page = openPage();
  const ids = [page.draw('pen', [0, 0, 50, 10]), page.write('Hello', 20, 30), page.addPicture(200, 100, 80, 40)];
  page.commands.drag(new Set(ids), rotationAbout(37, [50, 50]));
  page.commands.commitDrag();
  const stored = JSON.parse(JSON.stringify(storeCommands(page.history, page.parts, 100_000)));
  const { done } = readCommands(stored, page.parts);
  assert.equal(done.at(-1)?.undo(), true);
  near(page.find(ids[0]).points, [0, 0, 50, 10]);
  near([page.find(ids[1]).x, page.find(ids[1]).y, page.find(ids[1]).angle], [20, 30, 0]);
  near([page.find(ids[2]).place.x, page.find(ids[2]).place.y, page.find(ids[2]).angle], [200, 100, 0]);
  assert.ok(new UndoHistory().done.length === 0);
});

test('a rotation by others is shown during their drag', () => {
  const page = openPage({ isShared: true });
  page.last().entries(
    entryOf(9, { ...JSON.parse(messageText({})), id: keyOf(9) }),
  );
  const { box } = page.find(keyOf(9));
  const center = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const drag = { ids: [keyOf(9)], ...transformMessage(rotationAbout(90, /** @type {any} */ (center))) };
  page.last().entries(gatewayEntry({ flags: 0, sender: BEN.number, type: TRANSFORM_TYPE, payload: drag }));
  assert.equal(page.find(keyOf(9)).angle, 90);
  near([page.find(keyOf(9)).x, page.find(keyOf(9)).y], [100, 200]);
});

test('the parts of a stroke that were rotated together have a common transform', () => {
  const parts = [strokeOf([900, 10, 300, 700, 1234.56, 40]), strokeOf([5, 5, 7, 9])];
  const transform = compose(rotationAbout(123.4, [400, 300]), scaleAbout(0.8, 9, 8));
  const found = commonTransform(parts, parts.map((one) => one.moved(transform)));
  assert.ok(found);
  near(mapping(found)(1000, 1000), mapping(transform)(1000, 1000), 0.2);
});

test('a rotated text is painted about its center, and the tile worker gets its angle', () => {
  const text = textOf({ angle: 90 });
  const calls = painted((context) => paintShape(context, text, '#000'));
  const { left, top, right, bottom } = text.box;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  assert.deepEqual(
    calls.filter(([name]) => /save|translate|rotate|fillText|restore/.test(name)).map(([name, ...more]) =>
      name === 'fillText' ? [name] : [name, ...more]
    ),
    [['save'], ['translate', x, y], ['rotate', Math.PI / 2], ['translate', -x, -y], ['fillText'], ['restore']],
  );
  assert.deepEqual(painted((context) => paintRotated(context, textOf(), () => {})), []);
  const { items, numbers } = serialize([text], () => assert.fail('no picture'));
  const [{ shape, bounds }] = deserialize(structuredClone(items), structuredClone(numbers));
  assert.ok(text.looksLike(/** @type {any} */ (shape)));
  assert.deepEqual(bounds, text.bounds);
});

test('texts and pictures are rotated in an SVG', async () => {
  const text = textOf({ angle: 30 });
  const { left, top, right, bottom } = text.box;
  const center = [(left + right) / 2, (top + bottom) / 2].map((one) => Math.round(one * 100) / 100).join(' ');
  assert.ok(shapeTag(text, '#000').includes(` transform="rotate(30 ${center})"`));
  assert.ok(!shapeTag(textOf(), '#000').includes('transform'));
  const order = { drawables: [itemOf({ ...PLACE, angle: 90 })], paper: '', signal: new AbortController().signal };
  const { blob } = await svgOf(order, /** @type {any} */ ({}), () => Promise.resolve('data:,'));
  const svg = new TextDecoder().decode(await blob.arrayBuffer());
  assert.match(svg, /<image x="60" y="30" width="80" height="40" transform="rotate\(90 100 50\)"/);
  assert.match(svg, /viewBox="56 -14 88 128"/);
});

test('a saved drawing keeps the angles', async () => {
  const item = Object.assign(itemOf({ ...PLACE, angle: 90 }), { blob: new Blob(['a']) });
  // The file reader of the browser.
  Object.assign(globalThis, {
    FileReader: class {
      result = 'data:;base64,YQ==';
      onload = () => {};
      readAsDataURL = () => queueMicrotask(() => this.onload());
    },
  });
  const { blob } = await writeDrawing({ drawables: [textOf({ angle: 15 }), item] });
  const { shapes, items } = await readDrawing(await blob.text(), () => keyOf(1));
  assert.equal(/** @type {any} */ (shapes[0]).angle, 15);
  assert.equal(items[0].placement.angle, 90);
});

/** @param {number[]} actual @param {number[]} expected @param {number} [slack] */
function near(actual, expected, slack = 0.02) {
  assert.equal(actual.length, expected.length);
  const isNear = actual.every((one, at) => Math.abs(one - expected[at]) <= slack);
  assert.ok(isNear, `${actual} instead of ${expected}`);
}

/** @param {number[]} points */
function strokeOf(points) {
  const stroke = new Stroke({ ...LOOK, id: keyOf(0x55), z: 1 });
  stroke.append(points, null);
  return stroke;
}

/** @param {import('../../Public/js/model/placement.js').Placement} place */
function itemOf(place) {
  return new Item({ id: keyOf(0x66), name: 'a.png', contentType: 'image/png', size: 1, place });
}

/** @param {object} changes @returns {string} */
function messageText(changes) {
  return JSON.stringify({ text: 'Hello', point: [100, 200], size: 20, rgb: LOOK.rgb, color: 0, z: 1, ...changes });
}

/** @param {object} changes @returns {Uint8Array} the message of a text */
function messageOf(changes) {
  return new TextEncoder().encode(messageText(changes));
}

/** @param {number} key @param {object} payload of a text by Ben */
function entryOf(key, payload) {
  return gatewayEntry({ flags: 5, sequence: key, sender: BEN.number, key, type: 'UpsertTextMessage', payload });
}

/** @param {(context: any) => void} paint @returns {any[][]} the names and arguments of the called functions of the context */
function painted(paint) {
  /** @type {any[][]} */
  const calls = [];
  paint(
    new Proxy({}, {
      get: (_, name) => (/** @type {any[]} */ ...values) => void calls.push([String(name), ...values]),
      set: () => true,
    }),
  );
  return calls;
}
