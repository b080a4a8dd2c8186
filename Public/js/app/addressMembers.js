/** The members of the address behind `#`, such as the shown sheet. */

/** @returns {URLSearchParams} a copy */
export function members() {
  const { hash } = location;
  return new URLSearchParams(hash.includes('=') ? hash.slice(1) : '');
}

/** @param {URLSearchParams} named all members from now on */
export function setMembers(named) {
  const { pathname, search } = location;
  const hash = String(named);
  history.replaceState(history.state, '', pathname + search + (hash && `#${hash}`));
}
