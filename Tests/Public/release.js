/** The page as `.deploy/build-page` builds it for a release. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const PUBLIC = join(ROOT, 'Public');

/**
 * @typedef {object} Bundle
 * @property {number} bytes
 * @property {string} [entryPoint]
 * @property {Record<string, { bytesInOutput: number }>} inputs the modules in it
 * @property {{ path: string, kind: string }[]} imports other bundles
 *
 * @typedef {object} Release
 * @property {string[]} files the paths of all files
 * @property {(path: string) => string} read
 * @property {{ inputs: Record<string, { bytes: number }>, outputs: Record<string, Bundle> }} meta esbuild's description
 */

/**
 * Builds a release, which is deleted after the tests of the file.
 * @param {string} [source] @param {string} [library] the folder of the library for PDF files; '': none @returns {Release}
 */
export function buildRelease(source = PUBLIC, library = '') {
  const folder = mkdtempSync(join(tmpdir(), 'drawtogether-release-'));
  after(() => rmSync(folder, { recursive: true }));
  const [target, meta] = [join(folder, 'Public'), join(folder, 'meta.json')];
  execFileSync(join(ROOT, '.deploy/build-page'), [source, target, meta], {
    env: { ...process.env, PDFJS: library },
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  const all = readdirSync(target, { recursive: true, withFileTypes: true });
  return {
    files: all.filter((one) => one.isFile()).map((one) =>
      join(one.parentPath ?? one.path, one.name).slice(target.length + 1)
    ),
    read: (path) => readFileSync(join(target, path), 'utf8'),
    meta: JSON.parse(readFileSync(meta, 'utf8')),
  };
}
