/**
 * Chooses the language and the colors before the page is shown: the stored ones, or else the browser's. Reloads a copy of the
 * page whose files are gone.
 */
{
  /** The modules of strings in all languages except that of the markup. @type {Record<string, () => Promise<unknown>>} */
  const STRINGS = {
    ar: () => import('../i18n/ar.js'),
    de: () => import('../i18n/de.js'),
    es: () => import('../i18n/es.js'),
    fr: () => import('../i18n/fr.js'),
    it: () => import('../i18n/it.js'),
    ja: () => import('../i18n/ja.js'),
    pl: () => import('../i18n/pl.js'),
    pt: () => import('../i18n/pt.js'),
    uk: () => import('../i18n/uk.js'),
  };
  /** The colors of the paper, for the parts that the browser paints around the page. @type {Record<string, string>} */
  const PAPER = { light: '#fbfaf7', dark: '#17181c' };
  const { documentElement } = document;
  /** @param {string} key @returns {string | null} */
  const stored = (key) => {
    try {
      return localStorage.getItem(`drawtogether:${key}`);
    } catch {
      // Storage is switched off, so the browser's setting is used.
      return null;
    }
  };
  const wanted = [stored('language') ?? '', ...navigator.languages].map((tag) => tag.split('-')[0].toLowerCase());
  const language = wanted.find((one) => one === 'en' || Object.hasOwn(STRINGS, one)) ?? 'en';
  documentElement.lang = language;
  if (language === 'ar') documentElement.dir = 'rtl';
  // The markup is in English. In any other language, the page is hidden until its strings are loaded.
  documentElement.toggleAttribute('data-wordless', language !== 'en');

  /**
   * Reloads the page if it is a copy. A browser may show its copy of the markup before it asks the server for a newer one. The
   * server may no longer have the files of the copy, and a reload asks the server first.
   */
  const reloadCopy = () => {
    const [loading] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
    // Nothing was transferred for a copy. While a markup is still arriving, both sizes are 0.
    const isCopy = loading?.encodedBodySize > 0 && loading.transferSize === 0;
    if (!isCopy || loading.type === 'reload') return;
    // Without a server, a reload would replace the page and its strokes by an error page of the browser. A redirect, as to a login,
    // has the status 0 here.
    fetch(location.href, { method: 'HEAD', cache: 'no-store', redirect: 'manual' }).then(({ status }) => {
      if (status < 500) location.reload();
    }, () => {});
  };
  addEventListener('error', ({ target }) => {
    const isScript = target instanceof HTMLScriptElement;
    if (isScript || (target instanceof HTMLLinkElement && target.rel === 'stylesheet')) reloadCopy();
  }, true);

  // Loaded in parallel with the page. If this fails, the page reports the error when it needs the strings.
  STRINGS[language]?.().catch(reloadCopy);
  // The page of a session needs these parts at once.
  if (location.pathname !== '/') import('./session.js').catch(reloadCopy);

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
