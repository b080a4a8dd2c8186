/** Letters for tools. */

/**
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key, `mod+` before it for Ctrl or Cmd; a digit with
 *   `shift+` is the key that has it, whatever it types
 * @param {() => boolean} [areOff]
 */
export function listenToKeys(actions, areOff = () => false) {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || isBusy(event.target)) return;
    const modifier = event.ctrlKey || event.metaKey ? 'mod+' : '';
    const shift = event.shiftKey && modifier ? 'shift+' : '';
    const key = event.key.toLowerCase();
    const digit = event.shiftKey && !modifier && key !== event.code.at(-1) && /^Digit(\d)$/.exec(event.code);
    const action = digit && actions[`shift+${digit[1]}`] || actions[modifier + shift + key];
    if (!action || areOff()) return;
    event.preventDefault();
    action(event);
  });
}

/** @param {EventTarget | null} target @returns {boolean} whether the person is typing, or asked something */
export function isBusy(target) {
  return document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]'));
}

/** Marks that the person goes through the page by the tab key: then the canvas too shows that it has the focus. @param {AbortSignal} [signal] */
export function watchTabbing(signal) {
  const { documentElement } = document;
  addEventListener('keydown', ({ key }) => key === 'Tab' && documentElement.toggleAttribute('data-tabbing', true), {
    signal,
  });
  addEventListener('pointerdown', () => documentElement.removeAttribute('data-tabbing'), { signal, capture: true });
}
