/** Sends the pending entries of participants that this page does not continue, and leaves as these participants. */

/**
 * @typedef {import('../persist/outboxStore.js').OutboxStore} OutboxStore
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/groupSession.js').SavedParticipant} SavedParticipant
 */

/**
 * Several tabs may have been killed with pending entries. This tab continues the outbox of one of them. For each of the others,
 * it joins as that participant, sends the pending entries and leaves.
 * @param {() => OutboxStore} newStore @param {(saved: SavedParticipant) => GroupSession} newSession
 */
export async function drainOrphanedOutboxes(newStore, newSession) {
  for (;;) {
    const store = newStore();
    const saved = await store.openOrphan();
    if (!saved) return;
    const session = newSession(saved);
    drainAndLeave(session, store);
    session.join();
  }
}

/** Leaves the session once its outbox is empty. @param {GroupSession} session @param {OutboxStore} store of its outbox */
export function drainAndLeave(session, store) {
  const update = () => {
    const saved = session.save();
    if (session.state === 'invalidated') return;
    if (session.isConnected && saved.outbox.items.length === 0) {
      session.leave();
      store.forget();
    } else store.save(saved);
  };
  session.addEventListener('savechange', update);
  update();
}
