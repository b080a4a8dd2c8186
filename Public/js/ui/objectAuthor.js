/** The author of an object, as far as it is known. */

import { authorNumber } from '../model/objectGroups.js';
import { identity } from '../protocol/presence.js';

/**
 * @param {import('../model/scene.js').Drawable} one
 * @param {Pick<import('../sync/groupSession.js').GroupSession, 'localParticipant' | 'participant'> | null} session null: this
 *   person may have drawn everything, so nobody is named
 * @returns {import('./objectNames.js').Author}
 */
export function authorOf(one, session) {
  if (!session) return null;
  const number = 'place' in one ? one.attachment?.participant : 'author' in one ? authorNumber(one) : undefined;
  // An object that is not sent yet is this person's.
  if (number === 0) return 'you';
  const { localParticipant: me } = session;
  const author = typeof number === 'number' ? session.participant(number) : null;
  if (author && me && identity(author) === identity(me)) return 'you';
  // The name stays known after the session has forgotten its participant.
  return author ?? ('place' in one && one.by !== '' ? { name: one.by } : null);
}
