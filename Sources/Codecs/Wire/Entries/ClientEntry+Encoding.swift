extension ClientEntry {
  /// Appends an entry as a client sends it.
  ///
  /// The function does not check the rules for entries, so that tests can send invalid entries. It writes `key` if the
  /// retention of `flags` is not `none`, and `targets` if `flags` contains `.targeted`. It truncates `type` and `targets` to
  /// the range of their length fields.
  package static func append(
    to bytes: inout [UInt8], flags: EntryFlags, clientSequence: UInt32, key: EntryKey = .zero,
    targets: [ParticipantNumber] = [], type: Span<UInt8>, payload: Span<UInt8>
  ) {
    let type = type.extracting(first: 255)
    let targets = targets.prefix(Int(UInt16.max))
    let isRetained = flags.retention != .none
    let isTargeted = flags.contains(.targeted)
    var length = fixedLength - 4 + type.count + payload.count
    if isRetained { length += EntryKey.length }
    if isTargeted { length += 2 + 4 * targets.count }

    bytes.append(bigEndian: UInt32(truncatingIfNeeded: length))
    bytes.append(flags.rawValue)
    bytes.append(UInt8(type.count))
    bytes.append(bigEndian: clientSequence)
    if isRetained { key.append(to: &bytes) }
    if isTargeted {
      bytes.append(bigEndian: UInt16(targets.count))
      for target in targets { bytes.append(bigEndian: target) }
    }
    bytes.append(type)
    bytes.append(payload)
  }
}
