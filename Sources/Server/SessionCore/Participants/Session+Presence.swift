internal import Wire
internal import WebSocket

/// Announcements of presence.
extension Session {
  /// Records a change of presence. If an earlier change of the same participant is not announced yet, appends an entry for the
  /// earlier changes first.
  mutating func recordPresence(of participant: ParticipantState, _ change: (inout PresenceChanges) -> Void) {
    if presence.changes.mentions(participant.number) { announcePresence() }
    change(&presence.changes)
    save.markDirty(participant: participant.number)
  }

  /// Appends the `participants` entries for the changes of presence, if there are any.
  mutating func announcePresence() {
    guard !presence.changes.isEmpty else { return }
    let changes = presence.takeChanges(participants)
    // Each list is built immediately before it is announced, because announcing the previous list may remove a waiting
    // participant.
    announce(\.joined, changes.joined.compactMap { participants[$0]?.object })
    announce(\.left, changes.left)
    announce(\.changed, changes.changed.compactMap { participants[$0]?.object })
    announce(\.waiting, changes.waiting.compactMap { participants[$0]?.object })
  }

  /// Appends the entries for one kind of change; several if the list is too long for one message.
  private mutating func announce<Element>(
    _ field: WritableKeyPath<ParticipantsPayload, [Element]>, _ list: [Element]
  ) {
    let count = presence.participantsPerEntry
    for start in stride(from: 0, to: list.count, by: count) {
      var payload = ParticipantsPayload()
      payload[keyPath: field] = Array(list[start..<min(start + count, list.count)])
      announce(payload)
    }
  }

  private mutating func announce(_ payload: ParticipantsPayload) {
    let body = payload.encoded()
    let sequence = appendSystem(SystemType.participants, body)
    presence.recordEntry()
    guard !participants.waiting.isEmpty else { return }
    // Waiting participants get `participants` entries, and no other entries.
    var entry: [UInt8] = []
    GatewayEntry.append(
      to: &entry, flags: [.reliable, .system], sequence: sequence, sender: 0, clientSequence: 0,
      type: Array(SystemType.participants.utf8).span, payload: body.span)
    for number in participants.waiting {
      guard let participant = participants[number], case .waiting(let subscriber) = participant.presence
      else {
        continue
      }
      if subscriber.isOutboxFull {
        // The outbox has no room for this entry. Without the entry, the client's list of participants would be wrong. So the
        // socket is closed, and the client may connect again.
        remove(participant, reason: .gone)
        turn.effects.append(.close(connection: subscriber.connection, .tooSlow))
      } else {
        subscriber.enqueue(.binary, entry)
        presence.recordNotified(subscriber)
      }
    }
  }

  /// Returns the `participants` payloads of a snapshot.
  mutating func stateOfParticipants() -> [[UInt8]] {
    let senders = retained.snapshot.senders.union(journal.participants)
    let past = participants.pastSenders(among: senders)
    return presence.statePayloads(participants, past: past)
  }

  /// Appends a system entry: an entry that the gateway sends, not a participant.
  @discardableResult
  mutating func appendSystem(_ type: String, _ payload: [UInt8]) -> UInt64 {
    log.append(system: type, payload: payload).sequence
  }
}
