internal import Wire

internal import struct FoundationEssentials.UUID

/// The changes of presence since the last `participants` entry, and the list of active participants for joiners.
struct PresenceTracker {
  private static let mostPerEntry = 300

  /// The maximum number of participants in one `participants` entry. With the longest names, such an entry has up to 110 KiB.
  var participantsPerEntry = Self.mostPerEntry {
    didSet { roster = Roster(perPart: participantsPerEntry) }
  }
  /// The changes that are not announced yet.
  var changes = PresenceChanges()
  private var roster = Roster(perPart: Self.mostPerEntry)
  /// The number of `participants` entries in this turn.
  private var entryCount: UInt64 = 0
  /// The waiting subscribers that got an entry in this turn.
  private var notifiedWaiters: [Subscriber] = []

  var hasNotifiedWaiters: Bool { !notifiedWaiters.isEmpty }

  /// Returns the changes that are not announced yet, and clears them.
  mutating func takeChanges(_ participants: ParticipantTable) -> PresenceChanges {
    let taken = changes
    changes = PresenceChanges()
    if taken.left.isEmpty, taken.changed.isEmpty {
      for number in taken.joined { if let participant = participants[number] { roster.add(participant) } }
    } else {
      roster.drop()
    }
    return taken
  }

  /// Counts a `participants` entry.
  mutating func recordEntry() {
    entryCount += 1
  }

  /// Records a waiting subscriber that got an entry.
  mutating func recordNotified(_ subscriber: Subscriber) {
    notifiedWaiters.append(subscriber)
  }

  /// Returns the number of `participants` entries since the last call.
  mutating func takeEntryCount() -> UInt64 {
    defer { entryCount = 0 }
    return entryCount
  }

  /// Returns the waiting subscribers that got an entry since the last call.
  mutating func takeNotifiedWaiters() -> [Subscriber] {
    defer { notifiedWaiters = [] }
    return notifiedWaiters
  }

  /// Returns the `participants` payloads of a snapshot: one, or several when there are many participants.
  mutating func statePayloads(_ participants: ParticipantTable, past: [Participant]) -> [[UInt8]] {
    let waiting = participants.waiting.sorted().compactMap { participants[$0]?.object }
    if !roster.isComplete {
      roster.make(of: participants.values.filter(\.isActive).sorted { $0.number < $1.number })
    }
    let isOne = roster.count + waiting.count + past.count <= participantsPerEntry
    let others = ParticipantsPayload(waiting: waiting, past: past)
    guard !isOne else {
      // With few participants, building the roster again for the next snapshot costs less than keeping the roster in memory.
      defer { roster.drop() }
      return [others.encoded(joined: roster.parts.first?.json)]
    }
    return roster.parts.map { ParticipantsPayload().encoded(joined: $0.json) }
      + others.pieces(of: participantsPerEntry).map { $0.encoded() }
  }

  /// Frees the memory of the last turn.
  mutating func releaseMemory() {
    roster.drop()
  }
}

/// The changes of presence that one or more `participants` entries announce when the turn ends: a thousand joins in one turn make
/// a few entries, not a thousand.
struct PresenceChanges {
  private(set) var joined: [ParticipantNumber] = []
  private(set) var left: [Departure] = []
  private(set) var changed: [ParticipantNumber] = []
  private(set) var waiting: [ParticipantNumber] = []
  private var mentioned: Set<ParticipantNumber> = []

  var isEmpty: Bool { mentioned.isEmpty }

  /// Returns true if these changes include a change of the participant. The changes in one entry have no order, so a second
  /// change of the same participant needs another entry.
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

extension ParticipantsPayload {
  /// Returns several payloads with up to `count` participants each.
  func pieces(of count: Int) -> [ParticipantsPayload] {
    var pieces: [ParticipantsPayload] = []
    for field in [\.waiting, \.past] as [WritableKeyPath<ParticipantsPayload, [Participant]>] {
      let participants = self[keyPath: field]
      for start in stride(from: 0, to: participants.count, by: count) {
        var piece = ParticipantsPayload()
        piece[keyPath: field] = Array(participants[start..<min(start + count, participants.count)])
        pieces.append(piece)
      }
    }
    return pieces
  }
}
