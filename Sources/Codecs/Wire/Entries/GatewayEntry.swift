/// An entry that a gateway sent. Its parts are ranges of bytes in the message that contains the entry, so nothing is copied.
package struct GatewayEntry: Sendable, Equatable {
  /// The total length in bytes of the fields that every entry has: length, flags, length of the type, sequence, sender and
  /// client sequence.
  package static let fixedLength = 22

  /// The flags: order, delivery and retention.
  package let flags: EntryFlags
  /// The position in the session's order; 0 for an unreliable entry, and for the entries at the beginning of a snapshot that
  /// describe the state of the session.
  package let sequence: UInt64
  /// The participant who sent the entry; 0 for the gateway itself.
  package let sender: ParticipantNumber
  /// The number that the sender gave to the entry; 0 for none.
  package let clientSequence: UInt32
  /// The key; zero if the retention of the entry is `none`.
  package let key: EntryKey
  /// The range of the message type.
  package let type: Range<Int>
  /// The range of the payload.
  package let payload: Range<Int>
  /// The index after this entry, where the next entry begins.
  package let end: Int

  /// Parses the entry at `offset` of a binary message, without checking the rules for entries.
  ///
  /// - Throws: `WireError` if the message ends before the end of the entry, or the entry ends before the end of its header.
  package static func parse(
    _ bytes: Span<UInt8>, at offset: Int
  ) throws(WireError) -> GatewayEntry {
    let available = bytes.count - offset
    guard available >= 4 else { throw .entryLengthTruncated(have: max(available, 0)) }
    let length = Int(bytes.uint32(at: offset))
    guard length >= fixedLength - 4 else {
      throw .entryTooShort(length: length, needed: fixedLength - 4)
    }
    guard length <= available - 4 else {
      throw .entryExceedsMessage(length: length, available: available - 4)
    }
    let flags = EntryFlags(rawValue: bytes[offset + 4])
    let header = headerLength(flags: flags, typeLength: Int(bytes[offset + 5]))
    guard header <= length + 4 else { throw .entryTooShort(length: length, needed: header - 4) }
    let isRetained = flags.retention != .none
    let payload = offset + header
    return GatewayEntry(
      flags: flags, sequence: bytes.uint64(at: offset + 6), sender: bytes.uint32(at: offset + 14),
      clientSequence: bytes.uint32(at: offset + 18),
      key: isRetained ? EntryKey(bytes, at: offset + fixedLength) : .zero,
      type: payload - Int(bytes[offset + 5])..<payload, payload: payload..<offset + 4 + length,
      end: offset + 4 + length)
  }

  /// Returns the number of bytes of an entry before its payload.
  package static func headerLength(flags: EntryFlags, typeLength: Int) -> Int {
    fixedLength + typeLength + (flags.retention == .none ? 0 : EntryKey.length)
  }

  /// Appends an entry as the gateway sends it. Allocates memory only for the growth of the array.
  ///
  /// `key` is written if the retention of `flags` is not `none`. The type (at most 255 bytes) and the payload (below 4 GiB)
  /// were checked on receipt; a longer type is an internal error and traps.
  package static func append(
    to bytes: inout [UInt8], flags: EntryFlags, sequence: UInt64, sender: ParticipantNumber,
    clientSequence: UInt32, key: EntryKey = .zero, type: Span<UInt8>, payload: Span<UInt8>
  ) {
    let header = headerLength(flags: flags, typeLength: type.count)
    let length = header + payload.count
    bytes.append(addingCapacity: length) { output in
      output.append(bigEndian: UInt32(length - 4))
      output.append(flags.rawValue)
      output.append(UInt8(type.count))
      output.append(bigEndian: sequence)
      output.append(bigEndian: sender)
      output.append(bigEndian: clientSequence)
      if flags.retention != .none {
        output.append(bigEndian: key.high)
        output.append(bigEndian: key.low)
      }
    }
    bytes.append(type)
    bytes.append(payload)
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends an integer in big-endian order. The caller has reserved the capacity.
  @inline(__always)
  fileprivate mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    var shift = Integer.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
