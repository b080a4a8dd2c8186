/// A position in a session's segments. The segment's number is absolute, so it stays valid when older segments are dropped.
package struct Cursor: Hashable, Sendable, BitwiseCopyable {
  package var segment: UInt32
  /// The offset in the segment. It has four bytes, because there is one cursor per member and segments are small. The flush loop
  /// in another module reads this property, because the getter of `offset` would cost a function call per member.
  package var rawOffset: UInt32

  /// `rawOffset` as an `Int`.
  package var offset: Int {
    get { Int(rawOffset) }
    set { rawOffset = UInt32(newValue) }
  }

  package init(segment: UInt32, offset: Int) {
    self.segment = segment
    rawOffset = UInt32(offset)
  }
}
