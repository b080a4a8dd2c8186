/** The highest client sequence that was told of each sender: after a crash of the gateway others send again what was told before. */

/** @typedef {import('./wire.js').Entry} Entry */

/** Of so many senders at least; of twice as many the newest half stays. */
const SENDERS = 10000;

export class HighestTold {
  /** By number; whose number it is, for after a restore it may be given to somebody else. @type {Map<number, { id: string | undefined, highest: number }>} */
  #senders = new Map();

  /** @param {Entry} entry @param {string | undefined} id of its sender @returns {boolean} whether an entry of that sender with this client sequence, or a higher one, was told before */
  isRepeat({ reliable, sender, clientSequence }, id) {
    if (!reliable || clientSequence === 0) return false;
    const known = this.#senders.get(sender);
    if (known && known.id === id && clientSequence <= known.highest) return true;
    if (known) Object.assign(known, { id, highest: clientSequence });
    else this.#add(sender, { id, highest: clientSequence });
    return false;
  }

  /** @param {number} sender @param {{ id: string | undefined, highest: number }} told */
  #add(sender, told) {
    this.#senders.set(sender, told);
    if (this.#senders.size <= 2 * SENDERS) return;
    for (const number of [...this.#senders.keys()].slice(0, SENDERS)) this.#senders.delete(number);
  }
}
