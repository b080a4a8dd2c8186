internal import Wire

/// A key with its key space. Entries of clients and entries of the gateway (system entries) have separate key spaces, so their
/// keys never collide.
struct RetainedKey: Hashable {
  var key: EntryKey
  var isSystem: Bool
}

/// An index of the retained entries of each key. It stores only sequences: an entry is retained if it is not older than the first
/// retained entry of its key. The index does not refer to entries, so the memory of a key does not depend on the number of its
/// entries.
struct RetentionIndex {
  /// A key with retained entries.
  struct Retained {
    /// The sequence of the first retained entry: the latest `replace`, or the first `append`.
    var start: UInt64
    /// Bytes of the retained entries.
    var bytes: Int
    /// Bytes of the retained entries in each snapshot segment.
    var usage = SegmentUsage()
  }

  /// The garbage of a key whose entries were replaced or removed, until the snapshot segments with this garbage are rewritten.
  struct Tombstone {
    /// The snapshot segments that contain garbage: replaced or removed entries of the key.
    var segments: Set<UInt32>
    /// The sequence of a `remove` that a snapshot needs, because the snapshot segments still contain entries of the key from
    /// before this `remove` (garbage).
    var removedAt: UInt64?
    /// The snapshot segment that contains this `remove`, and the length of the `remove`; nil while no snapshot segment contains
    /// the `remove`.
    var removal: (segment: UInt32, bytes: Int)?
  }

  private var retained = KeyTable<Retained>()
  private(set) var tombstones: [RetainedKey: Tombstone] = [:]
  /// Bytes of all retained entries.
  private(set) var byteCount = 0

  func isRetained(_ key: RetainedKey) -> Bool { retained[key] != nil }

  func isRetained(_ key: RetainedKey, sequence: UInt64) -> Bool {
    guard let entry = retained[key] else { return false }
    return sequence >= entry.start
  }

  /// Returns the number of bytes by which an entry would increase the retained bytes.
  func growth(_ retention: Retention, key: RetainedKey, length: Int) -> Int {
    switch retention {
    case .none: 0
    case .append: length
    case .replace: length - (retained[key]?.bytes ?? 0)
    case .remove: -(retained[key]?.bytes ?? 0)
    }
  }

  /// Applies an entry. Reports each snapshot segment with bytes that become garbage, and the number of these bytes.
  mutating func apply(
    _ retention: Retention, key: RetainedKey, sequence: UInt64, length: Int,
    markGarbage: (UInt32, Int) -> Void
  ) {
    switch retention {
    case .none:
      break
    case .append:
      byteCount += length
      retained.update(key, default: Retained(start: sequence, bytes: 0)) { $0.bytes += length }
    case .replace:
      let old = retained.update(key) { value in
        defer { value = Retained(start: sequence, bytes: length) }
        return value
      }
      if let old { forget(key, old, markGarbage) }
      // The `replace` itself removes the earlier entries, so an older `remove` is not needed any more.
      dropRemoval(of: key, markGarbage)
      byteCount += length
    case .remove:
      let old = retained.update(key) { value in
        defer { value = nil }
        return value
      }
      guard let old else { return }
      forget(key, old, markGarbage)
      guard tombstones[key] != nil else { return }
      dropRemoval(of: key, markGarbage)
      tombstones[key]?.removedAt = sequence
    }
  }

  /// Records that an entry is copied into a snapshot segment. Does nothing if no snapshot needs the entry.
  ///
  /// - Parameters:
  ///   - entry: an entry in a segment.
  ///   - place: returns the number of the snapshot segment; called only for an entry that is needed.
  /// - Returns: true if the entry is needed.
  mutating func store(_ entry: StoredEntry, in place: () -> UInt32) -> Bool {
    let sequence = entry.sequence
    switch entry.flags.retention {
    case .none:
      return false
    case .append, .replace:
      // An entry that has the flag `existing` in the log had no effect (see `EntryFlags.existing`), so it is not retained.
      guard !entry.flags.contains(.existing) else { return false }
      return retained.update(entry.retainedKey) { value in
        guard let start = value?.start, sequence >= start else { return false }
        value?.usage.add(entry.length, in: place())
        return true
      }
    case .remove:
      let key = entry.retainedKey
      guard needsRemoval(key, sequence: sequence) else { return false }
      tombstones[key]?.removal = (place(), entry.length)
      return true
    }
  }

  /// Adds a retained entry that is only in a snapshot segment, not in the log.
  mutating func restore(
    _ retention: Retention, key: RetainedKey, sequence: UInt64, length: Int, in segment: UInt32,
    markGarbage: (UInt32, Int) -> Void
  ) {
    if retention == .replace {
      apply(.remove, key: key, sequence: sequence, length: 0, markGarbage: markGarbage)
    }
    byteCount += length
    retained.update(key, default: Retained(start: sequence, bytes: 0)) { value in
      value.bytes += length
      value.usage.add(length, in: segment)
    }
  }

  /// Returns true if a snapshot needs the `remove` with this sequence.
  func needsRemoval(_ key: RetainedKey, sequence: UInt64) -> Bool {
    tombstones[key]?.removedAt == sequence
  }

  /// Removes everything that the index stores about a key in the given snapshot segments, because these segments are about to be
  /// rewritten.
  mutating func willRewrite(_ key: RetainedKey, in segments: Set<UInt32>, markGarbage: (UInt32, Int) -> Void)
  {
    retained.update(key) { $0?.usage.remove(segments) }
    guard var tombstone = tombstones[key] else { return }
    tombstone.segments.subtract(segments)
    if let removal = tombstone.removal, segments.contains(removal.segment) { tombstone.removal = nil }
    if tombstone.segments.isEmpty {
      if let removal = tombstone.removal { markGarbage(removal.segment, removal.bytes) }
      tombstones[key] = nil
    } else {
      tombstones[key] = tombstone
    }
  }

  private mutating func forget(_ key: RetainedKey, _ old: Retained, _ markGarbage: (UInt32, Int) -> Void) {
    byteCount -= old.bytes
    guard !old.usage.isEmpty else { return }
    var tombstone = tombstones[key] ?? Tombstone(segments: [])
    old.usage.forEach { segment, bytes in
      tombstone.segments.insert(segment)
      markGarbage(segment, bytes)
    }
    tombstones[key] = tombstone
  }

  private mutating func dropRemoval(of key: RetainedKey, _ markGarbage: (UInt32, Int) -> Void) {
    guard !tombstones.isEmpty else { return }
    guard let removal = tombstones[key]?.removal else {
      tombstones[key]?.removedAt = nil
      return
    }
    markGarbage(removal.segment, removal.bytes)
    tombstones[key]?.removal = nil
    tombstones[key]?.removedAt = nil
  }
}
