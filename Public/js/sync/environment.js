/** The functions of the browser that a session uses. */

import { SUBPROTOCOL } from './wire.js';

/**
 * Tests pass their own.
 * @typedef {object} Environment
 * @property {(url: string) => WebSocket} openSocket
 * @property {() => number} now milliseconds
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random in [0, 1)
 */

/** @type {Environment} */
export const browserEnvironment = {
  openSocket: (url) => new WebSocket(url, SUBPROTOCOL),
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  random: Math.random,
};
