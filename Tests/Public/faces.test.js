import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facesOf } from '../../Public/js/model/faces.js';

/** @type {[string[], string[]][]} names, and the letters on their faces */
const FACES = [
  [['Ada Lovelace', 'Ben'], ['A', 'B']],
  [['Gentle Fox', 'Golden Lark', 'Ada Lovelace'], ['GF', 'GL', 'A']],
  [['Ben', 'Bo Diddley'], ['B', 'BD']],
  [['Ada Lovelace', 'Ada Lovelace'], ['AL', 'AL']],
  [['E\u0301lise Martin', 'Emil'], ['E\u0301', 'E']],
  [['🦊', '👩🏽‍💻'], ['🦊', '👩🏽‍💻']],
  [['M <', 'Room 204'], ['M', 'R']],
  [[''], ['']],
];

for (const [names, letters] of FACES) {
  test(`the faces of ${names.join(', ') || 'nobody'}`, () => {
    const face = facesOf(names);
    assert.deepEqual(names.map((name) => face(name).letters), letters);
    assert.deepEqual(names.map((name) => face(name).isPair), letters.map((one) => /^\p{Lu}{2}$/u.test(one)));
  });
}
