/// Where a socket is in a session's segments. The segment's number is absolute, so it stays valid when older ones go.
package struct Cursor: Hashable, Sendable, BitwiseCopyable {
  package var segment: UInt32
  package var offset: Int

  package init(segment: UInt32, offset: Int) {
    self.segment = segment
    self.offset = offset
  }
}
