/** The environment of a session in a browser. */

import { SUBPROTOCOL } from './wire.js';

/** The maximum wait for the answer to a probe. A slow line needs several seconds for a new connection over TLS. */
const PROBE_MS = 12_000;

/**
 * The functions of the browser that a session uses. Tests pass their own.
 * @typedef {object} Environment
 * @property {(url: string) => WebSocket} openSocket
 * @property {(url: string, ended: (isAnswered: boolean) => void) => () => void} probe requests an address of the gateway and
 *   calls `ended` later, once: true if the gateway answered, false after an error or 12 s. Returns a function that cancels the
 *   request, so that `ended` is not called
 * @property {() => number} now milliseconds
 * @property {(run: () => void, ms: number) => unknown} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {() => number} random in [0, 1)
 */

/** @type {Environment} */
export const browserEnvironment = {
  openSocket: (url) => new WebSocket(url, SUBPROTOCOL),
  probe: (url, ended) => {
    const cancellation = new AbortController();
    const timer = setTimeout(() => cancellation.abort(), PROBE_MS);
    let isCancelled = false;
    // The gateway allows pages of other sites by CORS. Without CORS, its `Cross-Origin-Resource-Policy` would block the answer.
    // A redirect is the answer of another server, such as the sign-in page of a Wi-Fi network.
    fetch(url, { method: 'HEAD', cache: 'no-store', redirect: 'manual', signal: cancellation.signal })
      .then(({ type, status }) => type !== 'opaqueredirect' && status < 500, () => false)
      .then((isAnswered) => {
        clearTimeout(timer);
        if (!isCancelled) ended(isAnswered);
      });
    return () => {
      isCancelled = true;
      cancellation.abort();
    };
  },
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  random: Math.random,
};
