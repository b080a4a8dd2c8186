/** The media types of pictures. */

export const SVG_TYPE = 'image/svg+xml';
/** The types that count as pictures. Everything else is a file, whatever its name is. */
export const PICTURE_TYPES = Object.freeze([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  SVG_TYPE,
]);
