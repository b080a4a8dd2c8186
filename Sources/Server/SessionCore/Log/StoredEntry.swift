internal import Wire

/// An entry in a segment. SessionCore wrote it, so parsing does not fail.
struct StoredEntry {
  private let entry: GatewayEntry
  let start: Int

  init(_ bytes: Span<UInt8>, at offset: Int) {
    do throws(WireError) {
      entry = try GatewayEntry.parse(bytes, at: offset)
    } catch {
      preconditionFailure("the log has whole entries: \(error)")
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

  /// Returns the key under which a snapshot contains the entry; nil if a snapshot does not need it.
  func kept(_ index: RetentionIndex) -> RetainedKey? {
    switch flags.retention {
    case .none:
      return nil
    case .append, .replace:
      // With `existing` still set it changed nothing, and is not retained.
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
