/**
 * The texts of parts that are loaded after the first stroke can be drawn, in English. Another language is another such file with
 * the same keys, listed in `i18n/later.js`.
 */

/** @typedef {typeof table} LaterStrings */

const table = {
  // The link to a session.
  onlyThisDevice:
    'Only this device can open this link. To draw with others, open the page at the address that this machine has in your network.',
  inNetwork: 'Devices in the same network can open this link.',
  inNetworkWithWarning:
    'Devices in the same network can open this link. Their browsers may warn at first, because they do not know the certificate of this machine.',
};

/** @type {Readonly<LaterStrings>} */
export const en = Object.freeze(table);
