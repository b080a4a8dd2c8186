/** Begins: the words first, then all that says them. */

import { speak, translate } from './words/words.js';

const { documentElement } = document;
if (!await speak(documentElement.lang)) documentElement.lang = 'en';
translate(document);
documentElement.removeAttribute('data-wordless');
await import('./main.js');
