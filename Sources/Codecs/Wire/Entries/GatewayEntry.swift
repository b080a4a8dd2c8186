/// Where the parts of an entry from the gateway lie in its message: offsets, so that nothing is copied.
package struct GatewayEntry: Sendable, Equatable {
  /// Length, flags, length of the type, sequence, sender and client sequence: what every entry has.
  package static let fixedLength = 22

  /// How the entry is ordered, delivered and kept.
  package let flags: EntryFlags
  /// Its place in the session's order; 0 when unreliable or part of the state at N.
  package let sequence: UInt64
  /// Who sent it; 0 is the gateway itself.
  package let sender: ParticipantNumber
  /// Its sender's own number for it; 0 is none.
  package let clientSequence: UInt32
  /// The key it is retained under; zero when it is not.
  package let key: EntryKey
  /// The bytes of the message type.
  package let type: Range<Int>
  /// The bytes of the payload.
  package let payload: Range<Int>
  /// Where the next entry begins.
  package let end: Int

  /// Cuts the entry that begins at `offset` out of a binary message, without judging it.
  ///
  /// - Throws: when the message cannot be cut here: it ends within the entry, or the entry within its header.
  package static func parse(
    _ bytes: Span<UInt8>, at offset: Int
  ) throws(WireError) -> GatewayEntry {
    let available = bytes.count - offset
    guard available >= 4 else { throw .entryLengthCutShort(have: max(available, 0)) }
    let length = Int(bytes.uint32(at: offset))
    guard length >= fixedLength - 4 else {
      throw .entryTooShort(length: length, needed: fixedLength - 4)
    }
    guard length <= available - 4 else {
      throw .entryRunsOver(length: length, available: available - 4)
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

  /// Bytes before the payload: all of an entry but that.
  package static func headerLength(flags: EntryFlags, typeLength: Int) -> Int {
    fixedLength + typeLength + (flags.retention == .none ? 0 : EntryKey.length)
  }

  /// Appends an entry as the gateway sends it; allocates nothing but the array's own growth.
  ///
  /// `key` is written when `flags` retain. Type (at most 255 bytes) and payload (below 4 GiB) have been
  /// checked when they came in; a longer type is a fault of ours and traps.
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
  /// Appends an integer in big-endian order; the room was asked for.
  @inline(__always)
  fileprivate mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    var shift = Integer.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
