internal import Wire

internal import struct FoundationEssentials.UUID

/// What changed about people in a turn, told to everybody in one entry when it ends: a thousand who come at once
/// make one entry, not a thousand.
struct PresenceChanges {
  private(set) var joined: [ParticipantNumber] = []
  private(set) var left: [Departure] = []
  private(set) var changed: [ParticipantNumber] = []
  private(set) var waiting: [ParticipantNumber] = []
  private var mentioned: Set<ParticipantNumber> = []

  var isEmpty: Bool { mentioned.isEmpty }

  /// Whether somebody is told about already: then that entry must go first, for the order within one is not told.
  func mentions(_ number: ParticipantNumber) -> Bool { mentioned.contains(number) }

  mutating func join(_ number: ParticipantNumber) {
    joined.append(number)
    mentioned.insert(number)
  }

  mutating func leave(_ id: UUID, _ number: ParticipantNumber, reason: Departure.Reason) {
    left.append(Departure(id: id, number: number, reason: reason))
    mentioned.insert(number)
  }

  mutating func change(_ number: ParticipantNumber) {
    changed.append(number)
    mentioned.insert(number)
  }

  mutating func wait(_ number: ParticipantNumber) {
    waiting.append(number)
    mentioned.insert(number)
  }
}

extension Session {
  /// Notes a change of presence, in an entry of its own when this turn's tells about that person already.
  func recordPresence(_ record: ParticipantState, _ change: (inout PresenceChanges) -> Void) {
    if presence.mentions(record.number) { announcePresence() }
    change(&presence)
    save.markDirty(participant: record.number)
  }

  /// Appends the turn's `participants` entry, if anything changed.
  func announcePresence() {
    guard !presence.isEmpty else { return }
    let changes = presence
    presence = PresenceChanges()
    if changes.left.isEmpty, changes.changed.isEmpty {
      for number in changes.joined { if let record = participants[number] { roster.add(record) } }
    } else {
      roster.drop()
    }
    announce(\.joined, changes.joined.compactMap { participants[$0]?.participant })
    announce(\.left, changes.left)
    announce(\.changed, changes.changed.compactMap { participants[$0]?.participant })
    announce(\.waiting, changes.waiting.compactMap { participants[$0]?.participant })
  }

  /// Of many who come or go at once several entries are made, so that none is too long for a message.
  private func announce<Element>(
    _ field: WritableKeyPath<ParticipantsPayload, [Element]>, _ list: [Element]
  ) {
    for start in stride(from: 0, to: list.count, by: peoplePerEntry) {
      var payload = ParticipantsPayload()
      payload[keyPath: field] = Array(list[start..<min(start + peoplePerEntry, list.count)])
      announce(payload)
    }
  }

  /// The `participants` payloads of the state: one, or several when there are many people.
  func stateOfParticipants() -> [[UInt8]] {
    var waiting: [ParticipantState] = []
    for record in participants.values where record.isWaiting { waiting.append(record) }
    waiting.sort { $0.number < $1.number }
    let past = pastSenders()
    if !roster.isComplete {
      roster.make(of: participants.values.filter(\.isActive).sorted { $0.number < $1.number })
    }
    let isOne = roster.count + waiting.count + past.count <= peoplePerEntry
    let others = ParticipantsPayload(waiting: waiting.map(\.participant), past: past)
    guard !isOne else {
      // For few it is not worth the room.
      defer { roster.drop() }
      return [others.encoded(joined: roster.parts.first?.json)]
    }
    return roster.parts.map { ParticipantsPayload().encoded(joined: $0.json) }
      + others.pieces(of: peoplePerEntry).map { $0.encoded() }
  }

  /// The senders of what a snapshot holds, and those who added its attachments, who are not here.
  private func pastSenders() -> [Participant] {
    let senders = snapshotSegments.senders.union(journal.participants)
    formerSenders = formerSenders.filter { senders.contains($0.key) }
    return senders.sorted().compactMap { number in
      guard let record = participants[number] else { return formerSenders[number] }
      return record.isActive || record.isWaiting ? nil : record.participant
    }
  }

  private func announce(_ payload: ParticipantsPayload) {
    let body = payload.encoded()
    let sequence = appendSystem(SystemType.participants, body)
    presenceEntries += 1
    guard waitingCount > 0 else { return }
    // Those who wait are sent these entries and nothing else.
    var entry: [UInt8] = []
    GatewayEntry.append(
      to: &entry, flags: [.reliable, .system], sequence: sequence, sender: 0, clientSequence: 0,
      type: Array(SystemType.participants.utf8).span, payload: body.span)
    for number in waitingNumbers {
      guard let record = participants[number], case .waiting(let subscriber) = record.presence else {
        continue
      }
      if subscriber.isOutboxFull {
        // Its list can no longer be right: it is closed, and may come back.
        remove(record, reason: .gone)
        outgoing.append(.close(connection: subscriber.connection, .tooSlow))
      } else {
        subscriber.enqueue(.binary, entry)
        waitersWithOutput.append(subscriber)
      }
    }
  }

  /// Appends an entry of the gateway's own.
  @discardableResult
  func appendSystem(_ type: String, _ payload: [UInt8]) -> UInt64 {
    log.append(system: type, payload: payload).sequence
  }
}

extension ParticipantsPayload {
  /// Several payloads for many people.
  func pieces(of count: Int) -> [ParticipantsPayload] {
    var pieces: [ParticipantsPayload] = []
    for field in [\.waiting, \.past] as [WritableKeyPath<ParticipantsPayload, [Participant]>] {
      let people = self[keyPath: field]
      for start in stride(from: 0, to: people.count, by: count) {
        var piece = ParticipantsPayload()
        piece[keyPath: field] = Array(people[start..<min(start + count, people.count)])
        pieces.append(piece)
      }
    }
    return pieces
  }
}
