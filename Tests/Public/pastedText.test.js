import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PASTED, pastedTexts } from '../../Public/js/model/pastedText.js';
import { MAX_TEXT_LENGTH } from '../../Public/js/model/text.js';

const LOOK = { rgb: '#e5484d', color: 0, size: 20 };

/** @param {string} words */
function paste(words) {
  let count = 0;
  return pastedTexts(words, LOOK, { newId: () => `T${count += 1}`, z: 7 }, [100, 50]);
}

/** @param {string} text @returns {number} */
const charactersIn = (text) => [...text].length;

test('pasted text is placed around a point in readable lines', () => {
  assert.deepEqual(paste(' \n\t'), { texts: [], isCut: false });
  const { texts: [text, ...others], isCut } = paste(`first\r\n${'many words '.repeat(12)}\n${'x'.repeat(100)}`);
  assert.deepEqual([others, isCut, text.id, text.z], [[], false, 'T1', 7]);
  assert.deepEqual(text.lines.map(({ length }) => length), [5, 59, 60, 10, 100]);
  const { left, right, top, bottom } = text.box;
  assert.deepEqual([left + right, top + bottom].map(Math.round), [200, 100]);
});

for (const length of [MAX_TEXT_LENGTH - 1, MAX_TEXT_LENGTH, MAX_TEXT_LENGTH + 1]) {
  test(`${length} characters without a space are kept`, () => {
    const word = '🙂'.repeat(length);
    const { texts, isCut } = paste(word);
    assert.deepEqual([isCut, texts.length], [false, length > MAX_TEXT_LENGTH ? 2 : 1]);
    assert.equal(texts.map(({ text }) => text).join(''), word);
  });
}

test('a long text becomes several texts with all its lines, in order, none begins or ends with an empty line', () => {
  const lines = Array.from({ length: 700 }, (_, at) => at % 7 === 0 ? '' : `Line ${at} of the minutes`);
  const { texts, isCut } = paste(lines.join('\n'));
  assert.deepEqual([isCut, texts.length], [false, 4]);
  assert.deepEqual(texts.map(({ id, z }) => [id, z]), [['T1', 7], ['T2', 8], ['T3', 9], ['T4', 10]]);
  assert.deepEqual(
    texts.flatMap((text) => text.lines.filter(Boolean)),
    lines.filter(Boolean),
  );
  for (const { text } of texts) {
    assert.ok(charactersIn(text) <= MAX_TEXT_LENGTH, `${charactersIn(text)}`);
    assert.equal(text, text.trim());
  }
});

test('the texts do not overlap, and their order is that of reading', () => {
  const { texts } = paste('many words '.repeat(6000));
  assert.ok(texts.length > 12, `${texts.length}`);
  const boxes = texts.map(({ box }) => box);
  boxes.forEach((box, at) => {
    const next = boxes[at + 1];
    if (next) assert.ok(next.left > box.right && next.top === box.top || next.top > box.bottom && next.left < box.left);
  });
  const rows = new Set(boxes.map(({ top }) => top)).size;
  assert.ok(rows > 1 && rows < texts.length / 2, `${rows} rows`);
  const [left, right] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
  assert.equal(Math.round(left + right), 200);
});

test('only the beginning of an absurdly long text is pasted, and the person is told', () => {
  const words = 'word '.repeat(1_000_000);
  const { texts, isCut } = paste(words);
  const lines = texts.flatMap((text) => text.lines);
  assert.equal(isCut, true);
  assert.equal(lines.join(' '), words.slice(0, MAX_PASTED).trimEnd());
  assert.ok(texts.length <= 2 * MAX_PASTED / MAX_TEXT_LENGTH);
  assert.equal(paste('x'.repeat(MAX_PASTED)).isCut, false);
  assert.equal(paste('x'.repeat(MAX_PASTED + 1)).isCut, true);
  assert.equal(paste('🙂'.repeat(MAX_PASTED)).isCut, false);
});
