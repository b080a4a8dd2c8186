package import Wire

/// The earlier epochs of a session, each with the last sequence that stands for the same entry in both epochs, the earlier and
/// the present one.
///
/// After a crash, the log on disk is a prefix of the entries of the interrupted epoch. A client that has applied entries of that
/// epoch up to a sequence in the prefix can continue with a tail of the present epoch.
package struct EpochHistory: Equatable, Sendable {
  /// An earlier epoch, and the end of the prefix that it shares with the present epoch.
  package struct Pair: Equatable, Sendable {
    /// The earlier epoch.
    package var epoch: String
    /// The last sequence that stands for the same entry in the earlier epoch and in the present epoch.
    package var through: UInt64
  }

  /// The maximum number of pairs in a history. If there are more, the oldest ones are dropped.
  package static let limit = 64

  /// The pairs, oldest epoch first.
  package private(set) var pairs: [Pair]

  /// Creates a history of these pairs. If there are more than `limit` pairs, only the newest ones are kept.
  package init(_ pairs: [Pair] = []) {
    self.pairs = pairs.suffix(Self.limit)
  }

  /// Returns the last sequence that an earlier epoch shares with the present one; nil for an unknown epoch.
  package func lastCommonSequence(with epoch: String) -> UInt64? {
    // An epoch that is listed twice lost entries twice, so its lowest sequence counts.
    pairs.lazy.filter { $0.epoch == epoch }.map(\.through).min()
  }

  /// Adds the epoch that ended. Its entries were read from disk up to `sequence`, so no earlier epoch shares entries beyond
  /// `sequence` with the present one.
  package mutating func end(_ epoch: String, at sequence: UInt64) {
    cap(at: sequence)
    pairs.removeAll { $0.epoch == epoch }
    pairs.append(Pair(epoch: epoch, through: sequence))
    if pairs.count > Self.limit { pairs.removeFirst(pairs.count - Self.limit) }
  }

  /// Lowers `through` of every pair to at most `sequence`. The entries after `sequence` were not read from disk, or they got
  /// other sequences than before.
  package mutating func cap(at sequence: UInt64) {
    for index in pairs.indices { pairs[index].through = min(pairs[index].through, sequence) }
  }

  /// Returns the pairs for which a tail can still be served: `through` is not below `droppedThrough`, the last sequence that the
  /// log has dropped.
  package func serving(tailsAfter droppedThrough: UInt64) -> EpochHistory {
    EpochHistory(pairs.filter { $0.through >= droppedThrough })
  }
}

extension EpochHistory.Pair: JSONWritable {
  /// Writes the pair as a JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("epoch", epoch)
      writer.member("through", through)
    }
  }
}
