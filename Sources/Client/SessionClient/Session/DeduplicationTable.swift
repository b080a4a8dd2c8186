internal import Wire

/// The highest client sequence received from each sender. With the table, each entry counts as new only once, across
/// tails, snapshots and epochs.
struct DeduplicationTable: Sendable {
  /// The minimum number of senders in the table. A gateway may name any number of them.
  private let limit: Int
  private var highest: [ParticipantNumber: UInt32] = [:]

  /// Creates an empty table.
  ///
  /// - Parameter limit: the minimum number of senders in the table. At twice this number, only the newest half stays, because
  ///   numbers only rise. Entries of a forgotten sender may count as new again. The table uses about 5 MB at most.
  init(limit: Int = 131_072) {
    self.limit = limit
  }

  /// Records an entry, and returns true if it was received before.
  mutating func isRepeat(_ clientSequence: UInt32, of sender: ParticipantNumber) -> Bool {
    guard clientSequence > highest[sender] ?? 0 else { return true }
    highest[sender] = clientSequence
    if highest.count > 2 * limit {
      for number in highest.keys.sorted().dropLast(limit) { highest[number] = nil }
    }
    return false
  }
}
