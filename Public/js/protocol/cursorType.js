/** The type of the messages about pointers, for code that needs only the type. */

/** Unreliable: `{"point": [x, y]}`, or `{}` after the pointer has left the page. */
export const CURSOR_TYPE = 'CursorMessage';
