/** The links to a session for other devices in the network. */

/** The maximum number of links, and the maximum wait for them. */
const MAX_LINKS = 16;
const ANSWER_MS = 2000;

/**
 * Asks the gateway for the links to a session that other devices in the network can open. The gateway gives them only to pages on
 * its own machine.
 * @param {string} link with an address that only this device can open
 * @param {typeof fetch} [load]
 * @returns {Promise<string[]>} empty if there are none, or the gateway does not answer
 */
export async function networkLinks(link, load = fetch) {
  const { pathname, origin } = new URL(link);
  const id = pathname.split('/')[2];
  try {
    const answer = await load(new URL(`/api/sessions/${id}`, origin), { signal: AbortSignal.timeout(ANSWER_MS) });
    const { networkLinks } = await answer.json();
    const links = Array.isArray(networkLinks) ? networkLinks.slice(0, MAX_LINKS) : [];
    return links.filter((one) => isLinkTo(pathname, one) && !isForThisDeviceOnly(one));
  } catch {
    return [];
  }
}

/** @param {string} link */
export function isForThisDeviceOnly(link) {
  const { hostname } = new URL(link);
  return /^(?:localhost|.*\.localhost|\[::1\]|127\.[\d.]+)$/.test(hostname);
}

/** @param {string} path @param {unknown} value @returns {value is string} */
function isLinkTo(path, value) {
  try {
    const { protocol, pathname } = new URL(String(value));
    return typeof value === 'string' && /^https?:$/.test(protocol) && pathname === path;
  } catch {
    return false;
  }
}
