/** The members of the address behind `#`, such as `page=2`. */

/** The member with the number of a sheet. */
export const SHEET_MEMBER = 'page';

/** @returns {URLSearchParams} a copy; empty if the part behind `#` has no members */
export function members() {
  const { hash } = location;
  return new URLSearchParams(hash.includes('=') ? hash.slice(1) : '');
}

/** Changes a member, in the same entry of the browser's history. @param {string} name @param {string | null} value null: removes it */
export function setMember(name, value) {
  const named = members();
  if (value === null) named.delete(name);
  else named.set(name, value);
  const { pathname, search } = location;
  const hash = String(named);
  history.replaceState(history.state, '', pathname + search + (hash && `#${hash}`));
}
