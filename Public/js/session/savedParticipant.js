/** What a tab keeps of its participant, so that a reload goes on where the page was. */

import { isObject } from './control.js';
import { isKey } from './key.js';

/** @typedef {import('./groupSession.js').SavedParticipant} SavedParticipant */

/** @param {string} sessionId */
function name(sessionId) {
  return `drawtogether:${sessionId}`;
}

/**
 * Of one session, in storage that lives as long as the tab. A duplicated tab gets a copy of it: `claim` names the copy's
 * owner, and `TabClaim` finds out whether that is still somebody else.
 */
export class ParticipantStore {
  #storage;
  #name;
  /** @type {string} */
  claim;

  /** @param {string} sessionId @param {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} storage @param {string} newClaim */
  constructor(sessionId, storage, newClaim) {
    this.#storage = storage;
    this.#name = name(sessionId);
    this.claim = newClaim;
  }

  /** @returns {{ claim: string, saved: SavedParticipant } | null} */
  load() {
    try {
      const record = JSON.parse(this.#storage.getItem(this.#name) ?? 'null');
      return isObject(record) ? read(record) : null;
    } catch {
      return null;
    }
  }

  /** What does not fit is left out: the token at least is worth keeping. @param {SavedParticipant} saved */
  save({ token, outbox }) {
    const items = outbox.items.map(({ entry, clientSequence }) => ({
      ...entry,
      payload: base64(entry.payload),
      clientSequence,
    }));
    for (const kept of [items, []]) {
      try {
        const record = { claim: this.claim, token, next: outbox.next, items: kept };
        this.#storage.setItem(this.#name, JSON.stringify(record));
        return;
      } catch {
        // Full: once more, without what waits.
      }
    }
  }

  forget() {
    try {
      this.#storage.removeItem(this.#name);
    } catch {
      // Storage is switched off: nothing was kept.
    }
  }
}

/** @param {Record<string, unknown>} record @returns {{ claim: string, saved: SavedParticipant } | null} */
function read({ claim, token, next, items }) {
  if (typeof claim !== 'string' || !Array.isArray(items)) return null;
  const kept = items.filter((item) =>
    isObject(item) && typeof item.type === 'string' && (!item.key || isKey(item.key))
  );
  return {
    claim,
    saved: {
      token: typeof token === 'string' ? token : null,
      outbox: {
        next: typeof next === 'number' ? next : 1,
        items: kept.map(({ clientSequence, payload, ...entry }) => ({
          entry: { ...entry, payload: bytes(payload) },
          clientSequence,
        })),
      },
    },
  };
}

/** @param {Uint8Array} payload */
function base64(payload) {
  let binary = '';
  for (let at = 0; at < payload.length; at += 8192) binary += String.fromCharCode(...payload.subarray(at, at + 8192));
  return btoa(binary);
}

/** @param {string} text @returns {Uint8Array} */
function bytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
