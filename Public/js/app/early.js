/** Chooses the language and the colors before the page is shown: the stored ones, or else the browser's. */
{
  const SPOKEN = ['en', 'de'];
  /** The modules of strings in languages other than the markup's. @type {Record<string, () => Promise<unknown>>} */
  const STRINGS = { de: () => import('../i18n/de.js') };
  /** The colors of the paper, for the parts that the browser paints around the page. @type {Record<string, string>} */
  const PAPER = { light: '#fbfaf7', dark: '#17181c' };
  const { documentElement } = document;
  /** @param {string} key @returns {string | null} */
  const stored = (key) => {
    try {
      return localStorage.getItem(`drawtogether:${key}`);
    } catch {
      // Storage is switched off: use the browser's setting.
      return null;
    }
  };
  const wanted = [stored('language') ?? '', ...navigator.languages].map((tag) => tag.split('-')[0].toLowerCase());
  const language = wanted.find((one) => SPOKEN.includes(one)) ?? 'en';
  documentElement.lang = language;
  // The markup is in English. In any other language, the page is hidden until its strings are loaded.
  documentElement.toggleAttribute('data-wordless', language !== 'en');
  // Loaded in parallel with the page. If this fails, the page reports the error when it needs the strings.
  STRINGS[language]?.().catch(() => {});
  // A page of a session needs these parts at once.
  if (location.pathname !== '/') import('./deferred.js').catch(() => {});

  const dark = matchMedia('(prefers-color-scheme: dark)');
  let theme = stored('theme');
  const show = () => {
    const shown = theme && theme in PAPER ? theme : dark.matches ? 'dark' : 'light';
    if (documentElement.dataset.theme === shown) return;
    documentElement.dataset.theme = shown;
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', PAPER[shown]);
    document.dispatchEvent(new Event('themechange'));
  };
  show();
  dark.addEventListener('change', show);
  document.addEventListener('themechoice', (event) => {
    theme = /** @type {CustomEvent<string>} */ (event).detail;
    show();
  });
  // The person chose another setting in another tab.
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== 'drawtogether:theme') return;
    theme = newValue;
    show();
  });
}
