internal import Wire

/// Which key space a key is in: client entries and system entries never touch one another (the wire, system entries).
struct RetainedKey: Hashable {
  var key: EntryKey
  var isSystem: Bool
}

/// What is held under each key, known by sequence alone: an entry of a held key is held when it is not older than
/// the key's first held entry. So nothing points at entries, and a key costs the same however often it was appended to.
struct RetentionIndex {
  /// A key that is held.
  struct Retained {
    /// The sequence of the first held entry: the latest `replace`, or the first `append`.
    var start: UInt64
    /// Bytes of the held entries.
    var bytes: Int
    /// Bytes of them in each base segment.
    var usage = SegmentUsage()
  }

  /// What a key that was replaced or removed left behind in base segments, until these are rewritten.
  struct Tombstone {
    /// The base segments that hold dead entries of the key.
    var segments: Set<UInt32>
    /// The sequence of the `remove` that a catch-up needs, because dead entries of the key come before it.
    var removedAt: UInt64?
    /// Where that `remove` is kept, once it is in the base, and how long it is.
    var removal: (segment: UInt32, bytes: Int)?
  }

  private var retained = KeyTable<Retained>()
  private(set) var tombstones: [RetainedKey: Tombstone] = [:]
  /// Bytes of all held entries.
  private(set) var byteCount = 0

  func isRetained(_ key: RetainedKey) -> Bool { retained[key] != nil }

  func isRetained(_ key: RetainedKey, sequence: UInt64) -> Bool {
    guard let entry = retained[key] else { return false }
    return sequence >= entry.start
  }

  /// How many bytes the held entries would grow by.
  func growth(_ retention: Retention, key: RetainedKey, length: Int) -> Int {
    switch retention {
    case .none: 0
    case .append: length
    case .replace: length - (retained[key]?.bytes ?? 0)
    case .remove: -(retained[key]?.bytes ?? 0)
    }
  }

  /// Takes an entry into the state, and tells which base segments hold bytes that died of it.
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
      // The `replace` itself wipes what came before it, so an older `remove` is no longer needed.
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

  /// Notes that an entry goes into a base segment, if a catch-up needs it.
  ///
  /// - Parameters:
  ///   - entry: as it stands in a segment.
  ///   - place: gives the number of the base segment; called only for an entry that is needed.
  /// - Returns: whether it is needed.
  mutating func store(_ entry: StoredEntry, in place: () -> UInt32) -> Bool {
    let sequence = entry.sequence
    switch entry.flags.retention {
    case .none:
      return false
    case .append, .replace:
      // With `existing` still set it changed nothing, and is not held.
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

  /// Takes a held entry that stands in a base segment already, and nowhere else.
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

  /// Whether a catch-up needs the `remove` with this sequence.
  func needsRemoval(_ key: RetainedKey, sequence: UInt64) -> Bool {
    tombstones[key]?.removedAt == sequence
  }

  /// A base segment is about to be rewritten: what the index knows of it, for this key, is taken back.
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
