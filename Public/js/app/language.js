/** Loads the page's language. A separate module, so that modules that use strings can wait for it. */

import { speak, translate } from '../i18n/i18n.js';

const { documentElement } = document;
if (!await speak(documentElement.lang)) Object.assign(documentElement, { lang: 'en', dir: '' });
translate(document);
documentElement.removeAttribute('data-wordless');
