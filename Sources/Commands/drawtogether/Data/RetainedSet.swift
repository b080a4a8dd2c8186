internal import Wire

/// The set of entries that a session retains. For each key, it contains only the sequence of the first retained entry, so it
/// takes 24 bytes per key.
struct RetainedSet {
  /// A key; system entries have a separate key space.
  struct Key: Hashable {
    let key: EntryKey
    let isSystem: Bool
  }

  /// The first retained sequence of each key.
  private var first: [Key: UInt64] = [:]

  /// The number of keys.
  var count: Int { first.count }

  /// Applies the next entry in order.
  mutating func apply(_ found: EntryScan.Found) {
    // An entry that has the flag `existing` in the log had no effect (see `EntryFlags.existing`).
    guard !found.entry.flags.contains(.existing) else { return }
    switch found.entry.flags.retention {
    case .none: break
    case .append: if first[found.key] == nil { first[found.key] = found.entry.sequence }
    case .replace: first[found.key] = found.entry.sequence
    case .remove: first[found.key] = nil
    }
  }

  /// Returns true if the session still retains this entry. All entries must have been passed to `apply` before.
  func retains(_ found: EntryScan.Found) -> Bool {
    switch found.entry.flags.retention {
    case .none, .remove: return false
    case .append, .replace:
      guard !found.entry.flags.contains(.existing), let first = first[found.key] else { return false }
      return found.entry.sequence >= first
    }
  }
}
