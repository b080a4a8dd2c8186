internal import Wire

/// An entry as it stands in a segment: written by this target, so it can always be cut.
struct StoredEntry {
  private let entry: GatewayEntry
  let start: Int

  init(_ bytes: Span<UInt8>, at offset: Int) {
    do throws(WireError) {
      entry = try GatewayEntry.parse(bytes, at: offset)
    } catch {
      preconditionFailure("the log holds whole entries: \(error)")
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

  /// The key that the entry is kept under in a snapshot; nil when a snapshot does without it.
  func kept(_ index: RetentionIndex) -> RetainedKey? {
    switch flags.retention {
    case .none:
      return nil
    case .append, .replace:
      // With `existing` still set it changed nothing, and is not held.
      let key = retainedKey
      return !flags.contains(.existing) && index.isRetained(key, sequence: sequence) ? key : nil
    case .remove:
      let key = retainedKey
      return index.needsRemoval(key, sequence: sequence) ? key : nil
    }
  }
}

extension Segment {
  /// Every entry of the segment, in order.
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
