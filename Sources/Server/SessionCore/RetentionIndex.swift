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
  struct Held {
    /// The sequence of the first held entry: the latest `replace`, or the first `append`.
    var start: UInt64
    /// Bytes of the held entries.
    var bytes: Int
    /// Bytes of them in each base segment.
    var spans = Spans()
  }

  /// What a key that was replaced or removed left behind in base segments, until these are rewritten.
  struct Residue {
    /// The base segments that hold dead entries of the key.
    var segments: Set<UInt32>
    /// The sequence of the `remove` that a catch-up needs, because dead entries of the key come before it.
    var removedAt: UInt64?
    /// Where that `remove` is kept, once it is in the base, and how long it is.
    var tombstone: (segment: UInt32, bytes: Int)?
  }

  private var held = KeyTable<Held>()
  private(set) var residues: [RetainedKey: Residue] = [:]
  /// Bytes of all held entries.
  private(set) var byteCount = 0

  func isHeld(_ key: RetainedKey) -> Bool { held[key] != nil }

  func isHeld(_ key: RetainedKey, sequence: UInt64) -> Bool {
    guard let entry = held[key] else { return false }
    return sequence >= entry.start
  }

  /// How many bytes the held entries would grow by.
  func growth(_ retention: Retention, key: RetainedKey, length: Int) -> Int {
    switch retention {
    case .none: 0
    case .append: length
    case .replace: length - (held[key]?.bytes ?? 0)
    case .remove: -(held[key]?.bytes ?? 0)
    }
  }

  /// Takes an entry into the state, and tells which base segments hold bytes that died of it.
  mutating func apply(
    _ retention: Retention, key: RetainedKey, sequence: UInt64, length: Int, died: (UInt32, Int) -> Void
  ) {
    switch retention {
    case .none:
      break
    case .append:
      byteCount += length
      held.update(key, default: Held(start: sequence, bytes: 0)) { $0.bytes += length }
    case .replace:
      let old = held.update(key) { value in
        defer { value = Held(start: sequence, bytes: length) }
        return value
      }
      if let old { forget(key, old, died) }
      // The `replace` itself wipes what came before it, so an older `remove` is no longer needed.
      dropTombstone(of: key, died)
      byteCount += length
    case .remove:
      let old = held.update(key) { value in
        defer { value = nil }
        return value
      }
      guard let old else { return }
      forget(key, old, died)
      guard residues[key] != nil else { return }
      dropTombstone(of: key, died)
      residues[key]?.removedAt = sequence
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
      return held.update(entry.retainedKey) { value in
        guard let start = value?.start, sequence >= start else { return false }
        value?.spans.add(entry.length, in: place())
        return true
      }
    case .remove:
      let key = entry.retainedKey
      guard needsRemoval(key, sequence: sequence) else { return false }
      residues[key]?.tombstone = (place(), entry.length)
      return true
    }
  }

  /// Takes a held entry that stands in a base segment already, and nowhere else.
  mutating func restore(
    _ retention: Retention, key: RetainedKey, sequence: UInt64, length: Int, in segment: UInt32,
    died: (UInt32, Int) -> Void
  ) {
    if retention == .replace { apply(.remove, key: key, sequence: sequence, length: 0, died: died) }
    byteCount += length
    held.update(key, default: Held(start: sequence, bytes: 0)) { value in
      value.bytes += length
      value.spans.add(length, in: segment)
    }
  }

  /// Whether a catch-up needs the `remove` with this sequence.
  func needsRemoval(_ key: RetainedKey, sequence: UInt64) -> Bool {
    residues[key]?.removedAt == sequence
  }

  /// A base segment is about to be rewritten: what the index knows of it, for this key, is taken back.
  mutating func willRewrite(_ key: RetainedKey, in segments: Set<UInt32>, died: (UInt32, Int) -> Void) {
    held.update(key) { $0?.spans.remove(segments) }
    guard var residue = residues[key] else { return }
    residue.segments.subtract(segments)
    if let tombstone = residue.tombstone, segments.contains(tombstone.segment) { residue.tombstone = nil }
    if residue.segments.isEmpty {
      if let tombstone = residue.tombstone { died(tombstone.segment, tombstone.bytes) }
      residues[key] = nil
    } else {
      residues[key] = residue
    }
  }

  private mutating func forget(_ key: RetainedKey, _ old: Held, _ died: (UInt32, Int) -> Void) {
    byteCount -= old.bytes
    guard !old.spans.isEmpty else { return }
    var residue = residues[key] ?? Residue(segments: [])
    old.spans.forEach { segment, bytes in
      residue.segments.insert(segment)
      died(segment, bytes)
    }
    residues[key] = residue
  }

  private mutating func dropTombstone(of key: RetainedKey, _ died: (UInt32, Int) -> Void) {
    guard !residues.isEmpty else { return }
    guard let tombstone = residues[key]?.tombstone else {
      residues[key]?.removedAt = nil
      return
    }
    died(tombstone.segment, tombstone.bytes)
    residues[key]?.tombstone = nil
    residues[key]?.removedAt = nil
  }
}
