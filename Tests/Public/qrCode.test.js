import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { errorCorrection, penalty, qrCode } from '../../Public/js/ui/qrCode.js';

/** Created with the Python package qrcode 8.2: version 1, error correction M, in byte mode. */
const DRAW = `
#######.#...#.#######
#.....#.#####.#.....#
#.###.#.##.##.#.###.#
#.###.#..#.#..#.###.#
#.###.#.###.#.#.###.#
#.....#..#.##.#.....#
#######.#.#.#.#######
..........###........
#..######.#.##..#.###
.###.....##.#.#.#.##.
#..##.#.##...##.##.##
.#..#..#..##......#..
..#..####.#...#..#..#
........#.###..#..##.
#######.###.#######..
#.....#.##.###.####.#
#.###.#.#..##.##...##
#.###.#.#..##...#.#..
#.###.#..##...#....##
#.....#..#...##.#.###
#######.####......#..
`;

test('a short text gives the reference symbol', () => {
  const rows = qrCode('draw')?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''));
  assert.equal(rows?.join('\n'), DRAW.trim());
});

test('a long text gives the reference symbol, with blocks of two lengths and version information', () => {
  const modules = qrCode(`https://draw.example/s/${'b'.repeat(190)}`) ?? [];
  const bits = modules.flat().map(Number).join('');
  const digest = '87a1e5266fba066268b32285a2fefa42fcd3b71185d43bd472ed9fb9265a456b';
  assert.equal(createHash('sha256').update(bits).digest('hex'), digest);
});

test('a text gets the smallest sufficient version, 10 at most', () => {
  // The capacity in bytes: ISO/IEC 18004, table 7, error correction M.
  const most = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];
  most.forEach((bytes, at) => {
    assert.equal(qrCode('a'.repeat(bytes))?.length, 21 + 4 * at);
    assert.equal(qrCode('a'.repeat(bytes + 1))?.length, at === 9 ? undefined : 25 + 4 * at);
  });
  assert.equal(qrCode('ü'.repeat(107)), null);
});

test('the error correction codewords match the standard', () => {
  // ISO/IEC 18004, annex I: “01234567” as version 1-M.
  const data = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
  const expected = [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55];
  assert.deepEqual([...errorCorrection(Uint8Array.from(data), 10)], expected);
});

test('patterns that could be mistaken for others have a penalty', () => {
  const of = (/** @type {string[]} */ ...rows) => penalty(rows.map((row) => [...row].map((one) => one === '1')));
  assert.equal(of('10', '01'), 0);
  assert.equal(of('11', '11'), 3 + 100);
  assert.equal(of('01', '00'), 50);
  const finder = '10111010000';
  const chess = Array.from({ length: 11 }, (_, y) => [...finder].map((_, x) => (x + y) % 2).join(''));
  const before = of(...chess);
  chess[4] = finder;
  assert.ok(of(...chess) >= before + 40);
});
