internal import Wire

/// Of each sender the highest client sequence that was told: over tails, snapshots and epochs no entry is new twice.
struct DeduplicationTable: Sendable {
  /// Of how many senders it knows at least. A gateway may name any number of them.
  private let limit: Int
  private var highest: [ParticipantNumber: UInt32] = [:]

  /// - Parameter limit: how many senders are known at least; of twice as many the newest half stays, for numbers only rise. What
  ///   one of the others sent may then be new again. Some 5 MB at most.
  init(limit: Int = 131_072) {
    self.limit = limit
  }

  /// Notes an entry of somebody, and says whether it was told before.
  mutating func isRepeat(_ clientSequence: UInt32, of sender: ParticipantNumber) -> Bool {
    guard clientSequence > highest[sender] ?? 0 else { return true }
    highest[sender] = clientSequence
    if highest.count > 2 * limit {
      for number in highest.keys.sorted().dropLast(limit) { highest[number] = nil }
    }
    return false
  }
}
