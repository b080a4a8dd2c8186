package import FoundationEssentials

/// The 16-byte key of retained entries: the UUID of an object.
@frozen @usableFromInline
package struct EntryKey: Hashable, Sendable, BitwiseCopyable {
  /// The length of a key on the wire in bytes.
  package static let length = 16
  /// The value that stands for no key.
  @inlinable
  package static var zero: EntryKey { EntryKey(high: 0, low: 0) }

  /// The first eight bytes.
  @usableFromInline
  package let high: UInt64
  /// The last eight bytes.
  @usableFromInline
  package let low: UInt64

  /// Creates a key from its two halves.
  @inlinable
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the 16 bytes at `offset`. Traps if the span ends before these bytes end, so callers check the length first.
  package init(_ bytes: Span<UInt8>, at offset: Int) {
    high = bytes.uint64(at: offset)
    low = bytes.uint64(at: offset + 8)
  }

  /// Creates a key from the bytes of a UUID. The bytes keep the order that they have in the UUID's text.
  package init(_ uuid: UUID) {
    let bytes = uuid.uuid
    high = Self.word(bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7)
    low = Self.word(
      bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15)
  }

  /// The key as a UUID.
  package var uuid: UUID {
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
        byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }

  /// Appends the 16 bytes of this key to an array.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: high)
    bytes.append(bigEndian: low)
  }

  private static func word(
    _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8, _ g: UInt8, _ h: UInt8
  ) -> UInt64 {
    let first = UInt64(a) << 56 | UInt64(b) << 48 | UInt64(c) << 40 | UInt64(d) << 32
    let last = UInt64(e) << 24 | UInt64(f) << 16 | UInt64(g) << 8 | UInt64(h)
    return first | last
  }
}
