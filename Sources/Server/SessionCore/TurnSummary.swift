package import Primitives

/// The kind of content of a turn for the members at the tail.
package enum TurnContent: Equatable, Sendable {
  case nothing
  /// The turn contains only changes of presence.
  case presence
  /// Content that must be sent immediately: entries, unreliable frames, or a new segment. Changes of presence may be sent later.
  case entries(withPresence: Bool)
}

/// The results of a turn.
package struct TurnResult {
  /// The kind of content of the turn.
  package let content: TurnContent
  package let effects: [Effect]
  /// The waiting subscribers that have new output.
  package let waitersWithOutput: [Subscriber]
  /// The bytes of the log that are not on disk; nil if the store has nothing to write.
  package let unsavedBytes: Int?
}

/// The state of a session after a flush.
package struct SessionStatus {
  package let counters: SessionCounters
  package let memberCount: Int
  /// The number of bytes of the log and of the snapshot segments.
  package let logBytes: Int
  /// True when `endTurn` has work to do.
  package let needsTurn: Bool
  package let deadlines: SessionDeadlines
}

/// The times at which a session has work to do without an event.
package struct SessionDeadlines {
  /// The next time at which `tick` or `expiredUploads` has work to do; nil if there is none.
  package let next: MonotonicTime?
  /// The time at which the session expires; nil while it has active participants.
  package let expiry: MonotonicTime?
  /// True if no participant is active, joined or waiting.
  package let isUnused: Bool
}

/// Computes the content of each turn, and collects the effects of its end.
struct TurnSummary {
  /// The kind of content of the turn that ended last.
  private(set) var content = TurnContent.nothing
  /// The effects that the shell has not fetched yet.
  var effects: [Effect] = []
  /// The newest sequence when the turn began.
  private var beganAfter: UInt64 = 0

  /// Ends a turn.
  ///
  /// - Parameters:
  ///   - lastSequence: the newest sequence.
  ///   - presenceEntries: the number of `participants` entries in the turn.
  ///   - hasUnreliable: true when the turn has unreliable frames.
  ///   - hasNewSegment: true when the turn began a new segment of the log. The content of such a turn is sent immediately. So
  ///     only the newest segment has entries that wait to be sent, and no segment is dropped before its entries are sent.
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
