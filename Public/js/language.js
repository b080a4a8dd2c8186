/** Chooses the page's language before any of it is shown: the kept one, else the browser's first that is spoken here. */
{
  const SPOKEN = ['en', 'de'];
  /** @type {string | null} */
  let kept = null;
  try {
    kept = localStorage.getItem('drawtogether:language');
  } catch {
    // Storage is switched off: the browser's.
  }
  const wanted = [kept ?? '', ...navigator.languages].map((tag) => tag.split('-')[0].toLowerCase());
  const language = wanted.find((one) => SPOKEN.includes(one)) ?? 'en';
  const { documentElement } = document;
  documentElement.lang = language;
  // In English the markup stands as it is; in any other language it waits, unseen, for its words.
  documentElement.toggleAttribute('data-wordless', language !== 'en');
  // On its way while the page still comes. Whoever needs it asks again, and says so if it is not there.
  if (language !== 'en') import(`./words/${language}.js`).catch(() => {});
}
