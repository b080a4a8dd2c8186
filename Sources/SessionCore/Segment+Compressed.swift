/// Compresses a whole message as permessage-deflate does it, without a window kept from the one before (RFC 7692 §7.2.1).
package typealias MessageCompressor = (Span<UInt8>) -> [UInt8]

extension Segment {
  /// The frames before `end` for those who agreed on compression: each is compressed once, however many are sent it.
  ///
  /// - Returns: the segment that holds them, and where in it they end. A frame that cannot be made smaller is there as it is.
  func compressed(before end: Int, by compress: MessageCompressor) -> (segment: Segment, end: Int) {
    let twin = compressedTwin ?? Segment(number: number, capacity: 0)
    compressedTwin = twin
    let wanted = frameIndex(at: end)
    while twin.frames.count < wanted {
      let frame = frames[twin.frames.count]
      let payload = bytes.span.extracting(
        frameStart(twin.frames.count) + frame.headerLength..<frame.end)
      let smaller = compress(payload)
      if smaller.count < payload.count {
        twin.append(smaller.span, like: frame, isCompressed: true)
      } else {
        twin.append(payload, like: frame, isCompressed: false)
      }
    }
    return (twin, twin.frameStart(wanted))
  }
}
