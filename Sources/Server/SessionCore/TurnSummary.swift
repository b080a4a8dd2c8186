/// The kind of content of a turn for the members at the tail.
package enum TurnContent: Equatable, Sendable {
  case nothing
  /// Only changes of presence.
  case presence
  /// Content that must be sent at once.
  case entries(withPresence: Bool)
}

/// Computes the content of each turn.
struct TurnSummary {
  /// The kind of content of the turn that ended last.
  private(set) var content = TurnContent.nothing
  /// The newest sequence when the turn began.
  private var beganAfter: UInt64 = 0

  /// Ends a turn.
  ///
  /// - Parameters:
  ///   - lastSequence: the newest sequence.
  ///   - presenceEntries: the number of `participants` entries in the turn.
  ///   - hasUnreliable: true when the turn has unreliable frames.
  ///   - hasNewSegment: true when the turn began a new segment of the log. The content of such a turn is sent at once. So only
  ///     the newest segment has entries that wait to be sent, and no segment is dropped before its entries are sent.
  mutating func end(lastSequence: UInt64, presenceEntries: UInt64, hasUnreliable: Bool, hasNewSegment: Bool) {
    let hasMore = lastSequence - beganAfter > presenceEntries || hasUnreliable || hasNewSegment
    beganAfter = lastSequence
    if hasMore {
      content = .entries(withPresence: presenceEntries > 0)
    } else {
      content = presenceEntries > 0 ? .presence : .nothing
    }
  }
}
