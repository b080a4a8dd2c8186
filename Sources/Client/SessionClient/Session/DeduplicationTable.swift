internal import Wire

/// The highest client sequence received from each sender. With this table, each entry counts as new only once, even if a tail, a
/// snapshot or another epoch repeats the entry.
struct DeduplicationTable: Sendable {
  /// The number of newest senders that are always kept. The table must be limited, because entries may come from any number of
  /// senders.
  private let limit: Int
  private var highest: [ParticipantNumber: UInt32] = [:]

  /// Creates an empty table.
  ///
  /// - Parameter limit: the number of newest senders that are always kept. When the table has more than twice this number, the
  ///   older half is removed. The newest senders have the highest participant numbers, because numbers only rise. Entries of a
  ///   removed sender may count as new again. With the default, the table uses about 5 MB at most.
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
