/** The objects of the page in words: groups, names, colors, and the steps from one object to the next. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { NAMED, nearestNamed } from '../../Public/js/model/colorName.js';
import { Item } from '../../Public/js/model/item.js';
import { groupsOf } from '../../Public/js/model/objectGroups.js';
import { ADAPTIVE } from '../../Public/js/model/palette.js';
import { Stroke } from '../../Public/js/model/stroke.js';
import { Text } from '../../Public/js/model/text.js';
import { speak } from '../../Public/js/i18n/i18n.js';
import { speakLater } from '../../Public/js/i18n/later.js';
import { authorOf } from '../../Public/js/ui/objectAuthor.js';
import { nameOfGroup } from '../../Public/js/ui/objectNames.js';
import { stepToObject } from '../../Public/js/ui/objectStepper.js';

/** @typedef {import('../../Public/js/model/scene.js').Drawable} Drawable */

const VIEW = { left: 0, top: 0, right: 900, bottom: 600 };
let count = 0;

afterEach(async () => {
  await speak('en');
  await speakLater('en');
});

test('strokes of one author in one color and place are one group', () => {
  const sizes = (/** @type {Drawable[]} */ ...all) => groupsOf(all).map(({ members }) => members.length);
  assert.deepEqual(sizes(), []);
  assert.deepEqual(sizes(stroke(10, 10), stroke(40, 10), stroke(70, 10)), [3]);
  assert.deepEqual(sizes(stroke(10, 10), stroke(500, 10)), [1, 1], 'far from each other');
  assert.deepEqual(sizes(stroke(10, 10), stroke(10, 10, { rgb: '#30a46c' })), [1, 1], 'another color');
  assert.deepEqual(sizes(stroke(10, 10), stroke(10, 10, { author: 2 })), [1, 1], 'another author');
  assert.deepEqual(sizes(stroke(10, 10), stroke(10, 10, { tool: 'highlighter' })), [1, 1], 'another tool');
  assert.deepEqual(sizes(stroke(10, 10), stroke(10, 10, { isLocked: true })), [1, 1], 'a locked one');
  assert.deepEqual(sizes(stroke(10, 10), text('Milk'), stroke(10, 10)), [1, 1, 1], 'something between them');
  const boxes = [stroke(10, 10, { tool: 'rectangle' }), stroke(10, 10, { tool: 'rectangle' })];
  assert.deepEqual(sizes(...boxes), [1, 1], 'shapes are listed one by one');
  assert.deepEqual(sizes(...Array.from({ length: 250 }, () => stroke(10, 10))), [100, 100, 50]);
});

test('the bounds of a group are those of all its strokes', () => {
  const [{ bounds }] = groupsOf([stroke(10, 10), stroke(60, 40)]);
  assert.deepEqual(bounds, { left: 3, top: 3, right: 77, bottom: 57 });
});

test('a name has the kind, the author, the color and the place', () => {
  const ana = () => ({ name: 'Ana' });
  const strokes = Array.from({ length: 12 }, (_, at) => stroke(10 + at, 10));
  assert.equal(name(strokes, { authorOf: ana }), '12 strokes, by Ana, red, top left');
  assert.equal(name([stroke(450, 300, { tool: 'ellipse', rgb: '#4f5fe8' })]), 'Ellipse, indigo, middle');
  assert.equal(
    name([text('Milk,\n  eggs')], { authorOf: () => 'you' }),
    'Text “Milk, eggs”, by you, black, top left',
  );
  assert.equal(
    name([stroke(2000, 300, { tool: 'highlighter' })]),
    '1 highlighter stroke, red, outside the view, to the right',
  );
  assert.equal(name([item('lake.png', 'image/png')], { authorOf: ana }), 'Picture lake.png, by Ana, top left');
  assert.equal(name([item('plan.zip', 'application/zip')]), 'File plan.zip, top left');
  assert.equal(name([note('Milk')]), 'Note “Milk”, black, top left');
  assert.equal(name([note('')]), 'Sticky note, black, top left');
  assert.equal(name([stroke(10, 10, { isLocked: true })]), '1 stroke, locked, red, top left');
  assert.equal(name([stroke(10, 10, { tool: 'share' })]), '1 stroke, red, top left', 'a tool of another client');
});

test('the author is named in a session only, and this person is not named', () => {
  const [me, ana] = [1, 2].map((number) => ({ id: '', number, name: number === 1 ? 'Ben' : 'Ana', color: '#30a46c' }));
  // This person had another number before.
  const all = [me, ana, { ...me, number: 3 }];
  const session = {
    localParticipant: me,
    participant: (/** @type {number} */ number) => all.find((one) => one.number === number) ?? null,
  };
  const author = (/** @type {number} */ number) => authorOf(stroke(10, 10, { author: number }), session);
  assert.deepEqual([0, 1, 2, 3, 9].map(author), ['you', 'you', ana, 'you', null]);
  assert.equal(authorOf(stroke(10, 10, { author: 2 }), null), null);
  const picture = Object.assign(item('lake.png', 'image/png'), { by: 'Ana' });
  assert.deepEqual(authorOf(picture, session), { name: 'Ana' });
  assert.equal(authorOf(item('lake.png', 'image/png'), session), null);
});

test('a long text is shortened by whole characters', () => {
  assert.match(name([text('🥐'.repeat(61))]), /^Text “(🥐){60}…”, black/u);
  assert.match(name([text('🥐'.repeat(60))]), /^Text “(🥐){60}”, black/u);
});

test('names are in the language of the page', async () => {
  await speak('de');
  await speakLater('de');
  const authorOf = () => ({ name: 'Ana' });
  assert.equal(name([stroke(10, 10), stroke(30, 10)], { authorOf }), '2 Striche, von Ana, rot, oben links');
});

test('adaptive ink is named by the color that it shows', () => {
  assert.match(name([stroke(10, 10, { rgb: ADAPTIVE })]), /black/);
  assert.match(name([stroke(10, 10, { rgb: ADAPTIVE })], { isDark: true }), /white/);
});

test('any color gets the name of one that looks like it', () => {
  for (const [index, rgb] of NAMED.entries()) assert.equal(nearestNamed(rgb), index);
  const nearest = (/** @type {string} */ rgb) => NAMED[nearestNamed(rgb)];
  assert.equal(nearest('#101010'), '#000000');
  assert.equal(nearest('#fefefa'), '#ffffff');
  assert.equal(nearest('#ff0000'), '#e5484d');
  assert.equal(nearest('#0000ff'), '#4f5fe8');
  assert.equal(nearest('#606060'), '#66686f');
});

test('the steps go through all objects that are not locked, around both ends', () => {
  const all = [stroke(10, 10, { isLocked: true }), stroke(10, 10), text('Milk'), item('lake.png', 'image/png')];
  const selection = { sole: /** @type {Drawable | null} */ (null) };
  const step = (/** @type {1 | -1} */ by) => {
    let position = '';
    const choose = (/** @type {Drawable} */ one, /** @type {string} */ at) => [selection.sole, position] = [one, at];
    stepToObject({ scene: { all }, selection, choose }, by);
    return position;
  };
  assert.deepEqual([1, 1, 1, 1].map((by) => step(/** @type {1} */ (by))), ['1 of 3', '2 of 3', '3 of 3', '1 of 3']);
  assert.equal(step(-1), '3 of 3');
  selection.sole = null;
  assert.equal(step(-1), '3 of 3');
  stepToObject({ scene: { all: [] }, selection, choose: () => assert.fail('nothing to choose') }, 1);
});

/**
 * @param {Drawable[]} members @param {Partial<Parameters<typeof nameOfGroup>[1]>} [options]
 * @returns {string} the name of a group
 */
function name(members, options = {}) {
  const [group, ...others] = groupsOf(members);
  assert.deepEqual(others, []);
  return nameOfGroup(group, { view: VIEW, isDark: false, authorOf: () => null, ...options });
}

/** @param {number} x @param {number} y @param {object} [look] @returns {Stroke} a short line from this point on */
function stroke(x, y, { author = 0, ...look } = /** @type {{ author?: number }} */ ({})) {
  const made = new Stroke({
    id: `id${count += 1}`,
    rgb: '#e5484d',
    color: 0,
    width: 6,
    tool: 'pen',
    z: count,
    ...look,
  });
  made.append([x, y, x + 10, y + 10], null);
  made.finish();
  return Object.assign(made, { author });
}

/** @param {string} content */
function text(content) {
  return new Text({ id: `id${count += 1}`, text: content, x: 0, y: 0, size: 18, rgb: ADAPTIVE, color: 0, z: count });
}

/** @param {string} content */
function note(content) {
  return text(content).with({ note: { width: 50, height: 50 }, fill: 'rose' });
}

/** @param {string} file @param {string} contentType */
function item(file, contentType) {
  const place = { x: 50, y: 50, width: 40, height: 40, z: count += 1 };
  return new Item({ id: `id${count}`, name: file, contentType, size: 9, place });
}
