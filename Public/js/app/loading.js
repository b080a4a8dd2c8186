/** Loads the parts of the page that are not needed at first. */

import { strings } from '../i18n/i18n.js';

/** @returns {Promise<typeof import('./deferred.js')>} @throws {Error} with a text for the user */
export async function loadDeferred() {
  try {
    return await import('./deferred.js');
  } catch (cause) {
    throw new Error(strings.notLoaded, { cause });
  }
}
