/// Big-endian integers, the format of every integer on the wire.
extension Span where Element == UInt8 {
  /// Returns the two bytes at `offset`. Traps if one of the bytes is outside the span; the callers check the length first.
  @inlinable
  package func uint16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }

  /// Returns the four bytes at `offset`. Traps if one of the bytes is outside the span; the callers check the length first.
  @inlinable
  package func uint32(at offset: Int) -> UInt32 {
    UInt32(uint16(at: offset)) << 16 | UInt32(uint16(at: offset + 2))
  }

  /// Returns the eight bytes at `offset`. Traps if one of the bytes is outside the span; the callers check the length first.
  @inlinable
  package func uint64(at offset: Int) -> UInt64 {
    UInt64(uint32(at: offset)) << 32 | UInt64(uint32(at: offset + 4))
  }
}

extension [UInt8] {
  /// Appends an integer in big-endian order.
  @inlinable
  package mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    var shift = Integer.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends all bytes of a span in one copy.
  @inlinable
  package mutating func append(_ bytes: Span<UInt8>) {
    // SAFETY: only the closure reads the buffer.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
