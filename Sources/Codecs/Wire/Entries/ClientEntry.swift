/// The parts of a client's entry as ranges of its message, so that nothing is copied.
package struct ClientEntry: Sendable, Equatable {
  /// The maximum number of targets of one entry.
  package static let maximumTargets = 1_000
  /// The maximum number of bytes of a binary message from a client: 1 MiB.
  package static let maximumMessageLength = 1_048_576
  /// The total length in bytes of the fields that every entry has: length, flags, length of the type and client sequence.
  package static let fixedLength = 10

  /// The flags: order, delivery and retention.
  package let flags: EntryFlags
  /// The number that the sender gave to the entry: 1, 2, 3 …; 0 for an unreliable entry.
  package let clientSequence: UInt32
  /// The key; zero if the retention of the entry is `none`.
  package let key: EntryKey
  /// The range of the targets' numbers, four bytes each; empty without targets.
  package let targets: Range<Int>
  /// The range of the bytes that contain the message type.
  package let type: Range<Int>
  /// The range of the bytes that contain the payload.
  package let payload: Range<Int>
  /// The index after this entry, where the next entry begins.
  package let end: Int

  /// Parses the entry at `offset` of a binary message, without checking the rules for entries.
  ///
  /// - Throws: `WireError` if the message ends before the end of the entry, or the entry ends before the end of its header.
  package static func parse(
    _ bytes: Span<UInt8>, at offset: Int
  ) throws(WireError) -> ClientEntry {
    let available = bytes.count - offset
    guard available >= 4 else { throw .entryLengthTruncated(have: max(available, 0)) }
    let length = Int(bytes.uint32(at: offset))
    guard length >= fixedLength - 4 else {
      throw .entryTooShort(length: length, needed: fixedLength - 4)
    }
    guard length <= available - 4 else {
      throw .entryExceedsMessage(length: length, available: available - 4)
    }
    let end = offset + 4 + length
    let flags = EntryFlags(rawValue: bytes[offset + 4])
    let typeLength = Int(bytes[offset + 5])
    let isRetained = flags.retention != .none
    let isTargeted = flags.contains(.targeted)

    var position = offset + fixedLength
    var needed = position + typeLength + (isRetained ? EntryKey.length : 0) + (isTargeted ? 2 : 0)
    guard needed <= end else { throw .entryTooShort(length: length, needed: needed - offset - 4) }
    var key = EntryKey.zero
    if isRetained {
      key = EntryKey(bytes, at: position)
      position += EntryKey.length
    }
    var targets = position..<position
    if isTargeted {
      let targetsLength = 4 * Int(bytes.uint16(at: position))
      needed += targetsLength
      guard needed <= end else { throw .entryTooShort(length: length, needed: needed - offset - 4) }
      position += 2
      targets = position..<position + targetsLength
      position += targetsLength
    }
    return ClientEntry(
      flags: flags, clientSequence: bytes.uint32(at: offset + 6), key: key, targets: targets,
      type: position..<position + typeLength, payload: position + typeLength..<end, end: end)
  }

  /// The number of targets, including duplicates.
  package var targetCount: Int { targets.count / 4 }

  /// Returns the target at `index`, which must be below `targetCount`. `bytes` is the message that contains the entry.
  package func target(at index: Int, in bytes: Span<UInt8>) -> ParticipantNumber {
    bytes.uint32(at: targets.lowerBound + 4 * index)
  }
}
