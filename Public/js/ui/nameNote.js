/** The note for a person who has opened a link to a session: it shows the name that the others see, and offers to change it. */

import { strings } from '../i18n/i18n.js';
import { laterStrings } from '../i18n/later.js';
import { announce } from './dialogs.js';
import { element, make } from './elements.js';
import { icon } from './icons.js';

/** The time for which the note stays, if it is neither used nor closed. */
const SHOWN_MS = 30_000;

/** The key of the browser's storage: set once the person was asked. */
const ASKED = 'drawtogether:name-asked';

/**
 * @typedef {object} Parts
 * @property {import('../app/sharing.js').Sharing} sharing
 * @property {import('./settings.js').Settings} settings
 * @property {import('./settings.js').KeyValueStorage} storage of the browser
 * @property {import('./people.js').People} people
 * @property {string} [session] the id in the address of the page, if a link to a session was opened
 */

/** Shows the note once the page of a linked session is connected, unless this browser has asked before. @param {Parts} parts */
export function offerName({ sharing, settings, storage, people, session: invited }) {
  if (storage.getItem(ASKED)) return;
  const lifetime = new AbortController();
  const asked = () => {
    lifetime.abort();
    try {
      storage.setItem(ASKED, 'yes');
    } catch {
      // The storage is full or switched off, so the next page asks again.
    }
  };
  const watch = () => {
    const { session } = sharing;
    const show = () => {
      if (lifetime.signal.aborted || !session?.isConnected) return;
      asked();
      showNote(people, settings.name, session.localParticipant?.color ?? settings.color);
    };
    session?.addEventListener('connectionchange', show, lifetime);
    show();
  };
  // A person who has pressed their own chip needs no note.
  people.addEventListener('rename', asked, lifetime);
  if (!invited) return;
  sharing.addEventListener('session', watch, lifetime);
  watch();
}

/** @param {import('./people.js').People} people @param {string} name @param {string} color */
function showNote(people, name, color) {
  const change = make(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': strings.changeName },
    laterStrings.change,
  );
  const close = make('button', { type: 'button', class: 'small', 'aria-label': strings.close }, icon('close'));
  const text = make('span', { class: 'words' }, laterStrings.youAreCalled(name));
  const note = make('div', { class: 'name-note' }, make('span', { class: 'dot' }), text, change, close);
  note.style.setProperty('--own', color);
  const lifetime = new AbortController();
  const remove = () => {
    lifetime.abort();
    if (note.contains(document.activeElement)) element('canvas').focus();
    note.remove();
  };
  const removeUnlessUsed = () => {
    if (note.matches(':hover,:focus-within')) setTimeout(removeUnlessUsed, SHOWN_MS);
    else remove();
  };
  // The person may also press their own chip.
  people.addEventListener('rename', remove, lifetime);
  change.addEventListener('click', () => people.dispatchEvent(new Event('rename')));
  close.addEventListener('click', remove);
  element('people').after(note);
  announce(laterStrings.youAreCalled(name));
  setTimeout(removeUnlessUsed, SHOWN_MS);
}
