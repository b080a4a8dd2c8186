internal import FoundationEssentials
internal import Wire

/// The participants of a session: active, waiting and past, from the `participants` entries (wire protocol, section 3.3).
struct ParticipantList: Sendable {
  private var activeByNumber: [ParticipantNumber: Participant] = [:]
  /// The number of newest past participants that are always kept. A gateway keeps 10,000 by default.
  private let pastLimit: Int
  /// The participants that left. A snapshot does not remove them from this dictionary: participant numbers are never reused, so
  /// the numbers still identify these participants. When there are more than twice `pastLimit`, the older half is removed.
  private var past: [ParticipantNumber: Participant] = [:]
  private var waitingByID: [UUID: Participant] = [:]
  private var numbers: [UUID: ParticipantNumber] = [:]
  /// The participant numbers from before the snapshot that is being received; empty while no snapshot is being received.
  private var formerNumbers: [UUID: ParticipantNumber] = [:]

  /// Creates an empty list.
  ///
  /// - Parameter pastLimit: the number of newest past participants that are always kept. The list must be limited, because a
  ///   gateway may name any number of participants.
  init(pastLimit: Int = 20_000) {
    self.pastLimit = pastLimit
  }

  /// The active participants, in the order in which they joined.
  var active: [Participant] { activeByNumber.values.sorted { $0.number < $1.number } }
  /// The participants that wait to join.
  var waiting: [Participant] { waitingByID.values.sorted { ($0.number, $0.name) < ($1.number, $1.name) } }

  /// Returns the active or past participant with the given number. If the gateway never described the participant, it has a
  /// placeholder name.
  func participant(_ number: ParticipantNumber) -> Participant {
    activeByNumber[number] ?? past[number]
      ?? Participant(
        id: EntryKey(high: 0, low: UInt64(number)).uuid, number: number,
        name: number == 0 ? "Gateway" : "Participant \(number)", color: "#888888")
  }

  /// Returns the numbers of the active participants with these ids; other ids are ignored. While a snapshot is being received,
  /// the participants that were active before the snapshot are included, because a partial snapshot does not show that they left.
  func numbers(of ids: [UUID]) -> [ParticipantNumber] {
    Set(ids.compactMap { numbers[$0] ?? formerNumbers[$0] }).sorted()
  }

  /// Adds a participant as active. The gateway describes this client's own participant before the others.
  mutating func add(_ participant: Participant) {
    // Number 0 belongs to the gateway.
    guard participant.number != 0 else { return }
    activeByNumber[participant.number] = participant
    numbers[participant.id] = participant.number
    past[participant.number] = nil
    waitingByID[participant.id] = nil
  }

  /// Clears the active and the waiting participants, because the entries of a snapshot follow. The list is complete again after
  /// `endSnapshot`. The participants that were active stay known as past participants.
  mutating func beginSnapshot() {
    formerNumbers.merge(numbers) { $1 }
    past.merge(activeByNumber) { $1 }
    activeByNumber = [:]
    waitingByID = [:]
    numbers = [:]
  }

  /// Ends the snapshot: the list is complete.
  mutating func endSnapshot() {
    formerNumbers = [:]
  }

  /// Applies a `participants` entry.
  mutating func apply(_ payload: ParticipantsPayload) {
    defer { evictOldest() }
    for participant in payload.waiting { waitingByID[participant.id] = participant }
    for participant in payload.past where activeByNumber[participant.number] == nil {
      past[participant.number] = participant
    }
    for participant in payload.joined { add(participant) }
    for participant in payload.changed {
      if waitingByID[participant.id] != nil { waitingByID[participant.id] = participant }
      if activeByNumber[participant.number] != nil { activeByNumber[participant.number] = participant }
    }
    for departure in payload.left {
      waitingByID[departure.id] = nil
      guard let participant = activeByNumber.removeValue(forKey: departure.number) else { continue }
      past[departure.number] = participant
      numbers[participant.id] = nil
    }
  }

  private mutating func evictOldest() {
    guard past.count > 2 * pastLimit else { return }
    for number in past.keys.sorted().dropLast(pastLimit) { past[number] = nil }
  }
}
