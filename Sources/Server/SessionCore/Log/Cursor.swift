/// Where a socket is in a session's segments. The segment's number is absolute, so it stays valid when older ones go.
package struct Cursor: Hashable, Sendable, BitwiseCopyable {
  package var segment: UInt32
  /// The byte in the segment: every member has one of these, and no segment is nearly so long. For the flush loop, which is in
  /// another module, where the getter of `offset` would be a call for each member.
  package var rawOffset: UInt32

  /// The same byte, as all others count.
  package var offset: Int {
    get { Int(rawOffset) }
    set { rawOffset = UInt32(newValue) }
  }

  package init(segment: UInt32, offset: Int) {
    self.segment = segment
    rawOffset = UInt32(offset)
  }
}
