/** The platform of the browser. */

/**
 * @param {{ platform?: string }} [device]
 * @returns {boolean} true on a Mac, an iPhone or an iPad, where the Command key has the role of the Control key
 */
export function isApple({ platform = '' } = globalThis.navigator ?? {}) {
  return /^(Mac|iP)/.test(platform);
}
