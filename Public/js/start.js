/** Begins: the words first, then all that says them. */

import { speak, translate } from './words/words.js';

const { documentElement } = document;
if (await speak(documentElement.lang)) translate(document);
else documentElement.lang = 'en';
documentElement.removeAttribute('data-wordless');
await import('./main.js');
