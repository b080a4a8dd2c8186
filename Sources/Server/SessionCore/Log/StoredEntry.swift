internal import Wire

/// An entry in a segment. SessionCore wrote the bytes of the segment, so parsing cannot fail.
struct StoredEntry {
  private let entry: GatewayEntry
  let start: Int

  init(_ bytes: Span<UInt8>, at offset: Int) {
    do throws(WireError) {
      entry = try GatewayEntry.parse(bytes, at: offset)
    } catch {
      preconditionFailure("a segment contains an entry that cannot be parsed: \(error)")
    }
    start = offset
  }

  var flags: EntryFlags { entry.flags }
  var sequence: UInt64 { entry.sequence }
  var sender: ParticipantNumber { entry.sender }
  var end: Int { entry.end }
  var length: Int { entry.end - start }

  var retainedKey: RetainedKey {
    RetainedKey(key: entry.key, isSystem: entry.flags.contains(.system))
  }

  /// Returns the key of the entry; nil if a snapshot does not need the entry.
  func kept(_ index: RetentionIndex) -> RetainedKey? {
    switch flags.retention {
    case .none:
      return nil
    case .append, .replace:
      // An entry that has the flag `existing` in the log had no effect (see `EntryFlags.existing`), so it is not retained.
      let key = retainedKey
      return !flags.contains(.existing) && index.isRetained(key, sequence: sequence) ? key : nil
    case .remove:
      let key = retainedKey
      return index.needsRemoval(key, sequence: sequence) ? key : nil
    }
  }
}

extension Segment {
  /// Calls the closure with every entry of the segment, in order.
  func forEachEntry(_ body: (StoredEntry) -> Void) {
    var at = 0
    for frame in frames {
      at += frame.headerLength
      while at < frame.end {
        let entry = StoredEntry(bytes.span, at: at)
        body(entry)
        at = entry.end
      }
    }
  }
}
