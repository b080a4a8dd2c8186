/** As `en.js` beside it, in German. */

/** @type {import('./en.js').LaterStrings} */
const table = {
  onlyThisDevice:
    'Diesen Link kann nur dieses Gerät öffnen. Damit andere mitzeichnen können, öffne die Seite unter der Adresse, die dieser Rechner in deinem Netz hat.',
  inNetwork: 'Geräte im selben Netz können diesen Link öffnen.',
  inNetworkWithWarning:
    'Geräte im selben Netz können diesen Link öffnen. Ihr Browser warnt vielleicht zuerst, weil er das Zertifikat dieses Rechners nicht kennt.',
};

/** @type {Readonly<import('./en.js').LaterStrings>} */
export const de = Object.freeze(table);
