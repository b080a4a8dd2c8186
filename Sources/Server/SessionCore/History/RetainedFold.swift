internal import Wire

/// The result of applying entries one after another: the entries that are retained at the end.
///
/// To save memory, this value stores one sequence for each key, and no entries. So the caller reads the entries twice: it passes
/// all entries to `apply`, and then again to `ranges`, which finds those that are still retained.
package struct RetainedFold {
  /// The sequence of the first retained entry of each key.
  private var starts = KeyTable<UInt64>()

  /// Creates a fold of no entries.
  package init() {}

  /// Applies entries in rising sequence, as on the wire. Entries with the sequence 0 change nothing.
  ///
  /// - Throws: `RecordError` for bytes that are not entries.
  package mutating func apply(_ entries: Span<UInt8>) throws(RecordError) {
    var at = 0
    while at < entries.count {
      let entry = try GatewayEntry.parse(entries, at: at, before: entries.count, of: .run)
      at = entry.end
      guard let key = entry.foldKey else { continue }
      switch entry.flags.retention {
      case .none: break
      case .append: starts.update(key) { $0 = $0 ?? entry.sequence }
      case .replace: starts.update(key) { $0 = entry.sequence }
      case .remove: starts.update(key) { $0 = nil }
      }
    }
  }

  /// Returns the ranges of the retained entries among `entries`, which were passed to `apply`.
  ///
  /// - Throws: `RecordError` for bytes that are not entries.
  package func ranges(in entries: Span<UInt8>) throws(RecordError) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var at = 0
    while at < entries.count {
      let entry = try GatewayEntry.parse(entries, at: at, before: entries.count, of: .run)
      let start = at
      at = entry.end
      guard let key = entry.foldKey, entry.flags.retention != .remove, let first = starts[key],
        entry.sequence >= first
      else { continue }
      ranges.append(start..<entry.end)
    }
    return ranges
  }
}

extension GatewayEntry {
  /// The key of an entry that changes the retained entries; nil for other entries.
  fileprivate var foldKey: RetainedKey? {
    guard sequence > 0, flags.retention != .none, !flags.contains(.existing) else { return nil }
    return RetainedKey(key: key, isSystem: flags.contains(.system))
  }
}
