/** The languages of the page, as the language dialog offers them. Each name is in its own language. */

/**
 * @typedef {object} Language
 * @property {string} code such as `de`
 * @property {string} name
 * @property {string} [note] says that its texts were translated by machine
 */

/** @type {readonly Readonly<Language>[]} */
export const LANGUAGES = Object.freeze([
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
  { code: 'es', name: 'Español', note: 'Traducción automática' },
  { code: 'fr', name: 'Français', note: 'Traduction automatique' },
  { code: 'it', name: 'Italiano', note: 'Traduzione automatica' },
  { code: 'pl', name: 'Polski', note: 'Tłumaczenie maszynowe' },
  { code: 'pt', name: 'Português (Brasil)', note: 'Tradução automática' },
  { code: 'uk', name: 'Українська', note: 'Машинний переклад' },
  { code: 'ar', name: 'العربية', note: 'ترجمة آلية' },
  { code: 'ja', name: '日本語', note: '機械翻訳' },
]);
