/** The session in the page's address. */

/** The path of a page of a session, as the gateway serves it. */
const PATH = /^\/s\/([^/]+)\/?$/;
/**
 * An id, alone or between other characters, because a link in a text often includes the brackets or the punctuation around it.
 * Hyphens and underscores can be a part of an id, so they are dropped only after a complete id.
 */
const ID = /^[^\w-]*([\w-]{22})[-_]*(?:[^\w-].*)?$/s;

/**
 * Finds the id of a session in a path. Characters around a complete id are dropped.
 * @param {string} path percent-encoded
 * @returns {string | null} the id; '': the path is a damaged link; null: it is not a link to a session
 */
export function sessionInPath(path) {
  const [, name] = PATH.exec(path) ?? [];
  if (name === undefined) return null;
  return ID.exec(decoded(name))?.[1] ?? '';
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
