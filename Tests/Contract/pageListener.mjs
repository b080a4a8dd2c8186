/** The page's session without its page: joins the session of the link, and writes each message that it is told as a line of JSON. */

import { GroupSession } from '../../Public/js/sync/groupSession.js';
import { GroupSessionMessenger } from '../../Public/js/sync/groupSessionMessenger.js';

const link = new URL(process.argv[2]);
const session = new GroupSession({
  id: link.pathname.split('/').at(-1) ?? '',
  base: link.origin,
  profile: { name: 'Page' },
});
const messenger = new GroupSessionMessenger(session);

/** @param {object} line */
function tell(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** @param {string | typeof Uint8Array} kind @param {(message: any) => string} text */
async function listen(kind, text) {
  for await (const { message } of messenger.messages(kind)) tell({ event: 'message', text: text(message) });
}

listen('Note', ({ text }) => text);
listen(Uint8Array, (bytes) => new TextDecoder().decode(bytes));
session.addEventListener('connectionchange', () => {
  tell({ event: session.isConnected ? 'live' : 'away', number: session.localParticipant?.number });
});
session.join();
