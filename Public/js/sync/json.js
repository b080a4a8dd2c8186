/** Checks of JSON from the network. */

/** @param {Uint8Array} payload of a system entry @returns {Record<string, unknown> | null} */
export function readPayload(payload) {
  try {
    const value = JSON.parse(new TextDecoder().decode(payload));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {number} a whole number, 0 where there is none */
export function number(value) {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
