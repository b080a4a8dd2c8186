internal import Wire

/// Which entries a session retains, known by a number for each key: 24 bytes a key, and none of the entries.
struct RetainedSet {
  /// Entries of the gateway itself have a key space of their own.
  struct Key: Hashable {
    let key: EntryKey
    let isSystem: Bool
  }

  /// From which sequence on the entries under a key are held.
  private var first: [Key: UInt64] = [:]

  /// How many keys are held.
  var count: Int { first.count }

  /// Takes note of the next entry in the order.
  mutating func apply(_ found: EntryScan.Found) {
    // With `existing` still set, it changed nothing.
    guard !found.entry.flags.contains(.existing) else { return }
    switch found.entry.flags.retention {
    case .none: break
    case .append: if first[found.key] == nil { first[found.key] = found.entry.sequence }
    case .replace: first[found.key] = found.entry.sequence
    case .remove: first[found.key] = nil
    }
  }

  /// Whether an entry is held after all that were applied.
  func holds(_ found: EntryScan.Found) -> Bool {
    switch found.entry.flags.retention {
    case .none, .remove: return false
    case .append, .replace:
      guard !found.entry.flags.contains(.existing), let first = first[found.key] else { return false }
      return found.entry.sequence >= first
    }
  }
}
