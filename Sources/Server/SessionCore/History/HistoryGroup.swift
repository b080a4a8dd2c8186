package import Wire

/// Consecutive entries of a session's history that were stored at the same time.
///
/// The history contains the entries that changed the retained entries, and the entries of the gateway. It contains no targeted
/// entries, because other participants must not see them, and no messages without retention.
package struct HistoryGroup: Equatable, Sendable {
  /// The approximate maximum number of bytes of entries in a group. Only a single larger entry exceeds it.
  package static let groupBytes = 65_536

  /// The first sequence that the group covers. The group may have no entry with this sequence.
  package let first: UInt64
  /// The last sequence that the group covers.
  package private(set) var last: UInt64
  /// The time at which the entries were stored, in milliseconds since 1970; nil if unknown.
  package var time: UInt64?
  /// The entries as on the wire.
  package private(set) var entries: [UInt8] = []
  /// The number of entries of each sender.
  package private(set) var senders: [ParticipantNumber: Int] = [:]

  private init(first: UInt64, time: UInt64?) {
    self.first = first
    last = first
    self.time = time
  }

  /// The number of entries.
  package var entryCount: Int { senders.values.reduce(0, +) }

  /// Returns the entries of a run as groups in rising sequence.
  ///
  /// - Parameters:
  ///   - body: the body of a `run` record.
  ///   - sequence: entries up to this sequence are skipped.
  ///   - time: the time of the run in milliseconds since 1970; nil if unknown.
  /// - Returns: the groups. Together they cover all sequences of the run after `sequence`.
  /// - Throws: `RecordError` for a run that no session wrote.
  package static func groups(
    inRun body: Span<UInt8>, after sequence: UInt64, time: UInt64?
  ) throws(RecordError) -> [HistoryGroup] {
    var groups: [HistoryGroup] = []
    var reached = sequence
    var frames = RunFrames()
    while let frame = try frames.next(in: body) {
      var at = frame.entries.lowerBound
      while at < frame.entries.upperBound {
        let entry = try GatewayEntry.parse(body, at: at, before: frame.entries.upperBound, of: .run)
        let start = at
        at = entry.end
        guard entry.sequence > reached else { continue }
        reached = entry.sequence
        let belongs = frame.targets == nil && entry.belongsToHistory
        if groups.last.map({ belongs && $0.isFull(with: entry.end - start) }) ?? true {
          groups.append(HistoryGroup(first: entry.sequence, time: time))
        }
        groups[groups.count - 1].last = entry.sequence
        guard belongs else { continue }
        groups[groups.count - 1].entries.append(body.extracting(start..<entry.end))
        groups[groups.count - 1].senders[entry.sender, default: 0] += 1
      }
    }
    return groups
  }

  private func isFull(with length: Int) -> Bool {
    !entries.isEmpty && entries.count + length > Self.groupBytes
  }

  /// Appends the group in the form in which it is sent: a system entry of type `history` with the sequences and the time, then the
  /// entries.
  package func append(to bytes: inout [UInt8]) {
    HistoryMark.range(first: first, last: last, time: time).append(to: &bytes)
    bytes.append(entries.span)
  }
}

/// A system entry of type `history`, which describes the entries that follow it. Its sequence is 0.
package enum HistoryMark: Equatable, Sendable {
  /// The following entries are all entries of the history from the sequence `first` to the sequence `last`. They were stored at
  /// `time`, in milliseconds since 1970; nil if unknown.
  case range(first: UInt64, last: UInt64, time: UInt64?)
  /// The following entries are retained entries at `sequence`. The entry with this sequence was stored at `time`, in milliseconds
  /// since 1970; nil if unknown.
  case state(sequence: UInt64, time: UInt64?)

  /// Appends the entry as on the wire.
  package func append(to bytes: inout [UInt8]) {
    var writer = JSONWriter()
    writer.object { writer in
      switch self {
      case .range(let first, let last, let time):
        writer.member("from", first)
        writer.member("to", last)
        writer.member("time", time)
      case .state(let sequence, let time):
        writer.member("state", sequence)
        writer.member("time", time)
      }
    }
    GatewayEntry.append(
      to: &bytes, flags: [.reliable, .system], sequence: 0, sender: 0, clientSequence: 0,
      type: SystemType.history.utf8.span, payload: writer.bytes.span)
  }
}

extension GatewayEntry {
  /// True if the entry changed the retained entries, or the gateway itself sent it.
  fileprivate var belongsToHistory: Bool {
    guard flags.contains(.reliable), flags.intersection([.targeted, .existing]).isEmpty else { return false }
    return flags.retention != .none || flags.contains(.system)
  }
}
