/** Begins: the words first, then all that says them. */

import { speak, translate } from '../i18n/i18n.js';

const { documentElement } = document;
if (!await speak(documentElement.lang)) documentElement.lang = 'en';
translate(document);
documentElement.removeAttribute('data-wordless');
await import('./app.js');
