/**
 * pdf.js, the library of Mozilla (Apache License 2.0) that reads PDF files, in the version of Debian's package `libjs-pdf`. It is
 * loaded when a person adds the first PDF.
 */

/** The paths of its files. A release has other names for them, and no `script` if it was built without the package. */
const LIBRARY = Object.freeze({
  script: '/pdf/build/pdf.js',
  worker: '/pdf/build/pdf.worker.js',
  maps: '/pdf/web/cmaps/',
  fonts: '/pdf/web/standard_fonts/',
});

/** Thrown if the server does not have the library, or if it could not be loaded. */
export class LibraryMissingError extends Error {}

/** @type {Promise<any> | null} */
let loading = null;

/** @returns {Promise<any>} the library @throws {LibraryMissingError} a later call tries again */
export function loadLibrary() {
  return loading ??= load().catch((error) => {
    loading = null;
    throw error;
  });
}

/** @returns {Promise<any>} */
async function load() {
  if (!LIBRARY.script) throw new LibraryMissingError();
  // The script is not a module: it defines a global variable.
  const script = document.createElement('script');
  try {
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new LibraryMissingError());
      script.src = LIBRARY.script;
      document.head.append(script);
    });
  } finally {
    script.remove();
  }
  const library = /** @type {any} */ (globalThis).pdfjsLib;
  if (!library) throw new LibraryMissingError();
  return library;
}

/** Starts a worker of the library. The caller ends it. */
export function startWorker() {
  return new Worker(LIBRARY.worker);
}

/**
 * The parameters that every document is opened with. A PDF may contain programs: with `isEvalSupported`, this version of the library
 * would run parts of a PDF as a script (CVE-2024-4367). The policy of the page forbids it, too.
 */
export function documentParameters() {
  return {
    isEvalSupported: false,
    enableXfa: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    cMapUrl: new URL(LIBRARY.maps, location.href).href,
    cMapPacked: true,
    standardFontDataUrl: new URL(LIBRARY.fonts, location.href).href,
    // Only errors are logged: the library warns about many PDF files that are only slightly wrong.
    verbosity: 0,
  };
}

/** The maximum number of pixels of a picture in a PDF. Larger ones are left out. */
const MAX_IMAGE_PIXELS = 2 ** 26;
