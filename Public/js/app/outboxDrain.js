/** Empties outboxes that this page does not continue: joins as the participant of an outbox, sends its entries, and leaves. */

/**
 * @typedef {import('../persist/outboxStore.js').OutboxStore} OutboxStore
 * @typedef {import('../sync/groupSession.js').GroupSession} GroupSession
 * @typedef {import('../sync/groupSession.js').SavedParticipant} SavedParticipant
 */

/**
 * Drains the outboxes of tabs that were killed with pending entries, except the one that this tab continues itself.
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
