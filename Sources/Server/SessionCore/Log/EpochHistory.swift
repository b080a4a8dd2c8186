package import Wire

/// The earlier epochs of a session, each with the last sequence that means the same in the present epoch.
///
/// After a crash, the log on disk is a prefix of the order of the broken epoch. A client that has applied entries of that
/// epoch up to a sequence in the prefix can continue with a tail of the present order.
package struct EpochHistory: Equatable, Sendable {
  /// An earlier epoch, and the end of the prefix that it shares with the present one.
  package struct Pair: Equatable, Sendable {
    /// The earlier epoch.
    package var epoch: String
    /// The last sequence of its order that the present order shares.
    package var through: UInt64
  }

  /// The number of pairs that are kept, the newest ones.
  package static let limit = 64

  /// The pairs, oldest epoch first.
  package private(set) var pairs: [Pair]

  /// A history of these pairs; the newest ones are kept.
  package init(_ pairs: [Pair] = []) {
    self.pairs = pairs.suffix(Self.limit)
  }

  /// Returns the last sequence that an earlier epoch shares with the present one; nil for an unknown epoch.
  package func lastCommonSequence(with epoch: String) -> UInt64? {
    // The lowest sequence counts: an epoch that is listed twice was cut twice.
    pairs.lazy.filter { $0.epoch == epoch }.map(\.through).min()
  }

  /// Adds the epoch that ended, whose order was read up to a sequence. No earlier epoch shares more than that.
  package mutating func end(_ epoch: String, at sequence: UInt64) {
    cap(at: sequence)
    pairs.removeAll { $0.epoch == epoch }
    pairs.append(Pair(epoch: epoch, through: sequence))
    if pairs.count > Self.limit { pairs.removeFirst(pairs.count - Self.limit) }
  }

  /// Lowers every pair to a sequence: the entries after it were not read, or not at their places.
  package mutating func cap(at sequence: UInt64) {
    for index in pairs.indices { pairs[index].through = min(pairs[index].through, sequence) }
  }

  /// Returns the pairs that can still serve a tail: those at or above `droppedThrough`, up to which no entry is kept any
  /// more.
  package func serving(tailsAfter droppedThrough: UInt64) -> EpochHistory {
    EpochHistory(pairs.filter { $0.through >= droppedThrough })
  }
}

extension EpochHistory.Pair: JSONWritable {
  /// Writes the pair as an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("epoch", epoch)
      writer.member("through", through)
    }
  }
}
