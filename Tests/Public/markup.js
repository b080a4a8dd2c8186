/** The English texts and labels in the markup. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLIC } from './release.js';

/** The patterns of texts in a tag, by the attributes that have their keys. */
const PLACES = { 'data-text': />(.*)$/, 'data-label': /aria-label="([^"]*)"/, 'data-content': / content="([^"]*)"/ };
const TAGS = [...readFileSync(join(PUBLIC, 'index.html'), 'utf8').matchAll(/<[a-z][^>]*>[^<]*/g)]
  .map(([tag]) => tag.replace(/\s+/g, ' '));

/** The texts with their keys, in the order of the markup. A key can be there several times. */
export const MARKED = Object.entries(PLACES).flatMap(([attribute, place]) =>
  TAGS.flatMap((tag) => {
    const key = new RegExp(` ${attribute}="(\\w+)"`).exec(tag)?.[1];
    return key ? [{ key, text: place.exec(tag)?.[1].trim() ?? '' }] : [];
  })
);

/** The texts by key. @type {Readonly<Record<string, string>>} */
export const markup = Object.freeze(Object.fromEntries(MARKED.map(({ key, text }) => [key, text])));
