/// Where a socket is in a session's segments. The segment's number is absolute, so it stays valid when older ones go.
package struct Cursor: Hashable, Sendable, BitwiseCopyable {
  package var segment: UInt32
  // Every member has one, and a segment is never nearly so long.
  @usableFromInline var place: UInt32

  /// The byte in the segment.
  @inlinable package var offset: Int {
    get { Int(place) }
    set { place = UInt32(newValue) }
  }

  package init(segment: UInt32, offset: Int) {
    self.segment = segment
    place = UInt32(offset)
  }
}
