internal import FoundationEssentials
internal import Wire

/// Who is in a session, was, or waits, by what its `participants` entries say (3.3).
struct ParticipantList: Sendable {
  private var active: [ParticipantNumber: Participant] = [:]
  /// How many of those who left are kept at least; a gateway remembers 10,000 unless told otherwise.
  private let pastLimit: Int
  /// Those who left; also over snapshots, for a number is never used again. Of twice `pastLimit` the newest half stays.
  private var past: [ParticipantNumber: Participant] = [:]
  private var waiting: [UUID: Participant] = [:]
  private var numbers: [UUID: ParticipantNumber] = [:]
  /// The numbers as they were before the state that is being told; empty between states.
  private var formerNumbers: [UUID: ParticipantNumber] = [:]

  /// - Parameter pastLimit: how many of those who left are kept at least; a gateway may name any number of people.
  init(pastLimit: Int = 20_000) {
    self.pastLimit = pastLimit
  }

  /// Everybody who is here, in the order in which they came.
  var here: [Participant] { active.values.sorted { $0.number < $1.number } }
  /// Everybody who waits.
  var waitingOnes: [Participant] { waiting.values.sorted { ($0.number, $0.name) < ($1.number, $1.name) } }

  /// Whoever has or had a number. Of somebody who was never told of only that is known.
  func participant(_ number: ParticipantNumber) -> Participant {
    active[number] ?? past[number]
      ?? Participant(
        id: EntryKey(high: 0, low: UInt64(number)).uuid, number: number,
        name: number == 0 ? "Gateway" : "Participant \(number)", color: "#888888")
  }

  /// The numbers of those who are here; who left, or never came, is passed over. While a state is told, who was here before it
  /// still is: half a state says of nobody that they left.
  func numbers(of ids: [UUID]) -> [ParticipantNumber] {
    Set(ids.compactMap { numbers[$0] ?? formerNumbers[$0] }).sorted()
  }

  /// Somebody is known: who we are ourselves is told before the others are.
  mutating func add(_ participant: Participant) {
    join(participant)
  }

  /// The state is told anew, until `endState`.
  mutating func beginState() {
    formerNumbers.merge(numbers) { $1 }
    past.merge(active) { $1 }
    active = [:]
    waiting = [:]
    numbers = [:]
  }

  /// All of the state was told.
  mutating func endState() {
    formerNumbers = [:]
  }

  /// Applies what an entry says.
  mutating func apply(_ payload: ParticipantsPayload) {
    defer { forgetOldest() }
    for participant in payload.waiting { waiting[participant.id] = participant }
    for participant in payload.past where active[participant.number] == nil {
      past[participant.number] = participant
    }
    for participant in payload.joined { join(participant) }
    for participant in payload.changed {
      if waiting[participant.id] != nil { waiting[participant.id] = participant }
      if active[participant.number] != nil { active[participant.number] = participant }
    }
    for departure in payload.left {
      waiting[departure.id] = nil
      guard let participant = active.removeValue(forKey: departure.number) else { continue }
      past[departure.number] = participant
      numbers[participant.id] = nil
    }
  }

  private mutating func forgetOldest() {
    guard past.count > 2 * pastLimit else { return }
    for number in past.keys.sorted().dropLast(pastLimit) { past[number] = nil }
  }

  private mutating func join(_ participant: Participant) {
    // 0 is the gateway's own.
    guard participant.number != 0 else { return }
    active[participant.number] = participant
    numbers[participant.id] = participant.number
    past[participant.number] = nil
    waiting[participant.id] = nil
  }
}
