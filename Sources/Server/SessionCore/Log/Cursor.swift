/// A position in a session's segments. The segment's number is absolute, so it stays valid when older segments are dropped.
package struct Cursor: Hashable, Sendable, BitwiseCopyable {
  package var segment: UInt32
  /// The byte in the segment, in four bytes, because there is one per member and no segment is nearly so long. The flush loop
  /// uses it: it is in another module, where the getter of `offset` would be a call per member.
  package var rawOffset: UInt32

  /// The same byte as an `Int`.
  package var offset: Int {
    get { Int(rawOffset) }
    set { rawOffset = UInt32(newValue) }
  }

  package init(segment: UInt32, offset: Int) {
    self.segment = segment
    rawOffset = UInt32(offset)
  }
}
