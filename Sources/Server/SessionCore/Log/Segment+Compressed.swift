/// Compresses a whole message for permessage-deflate, without the window of the previous message (RFC 7692 §7.2.1).
package typealias MessageCompressor = (Span<UInt8>) -> [UInt8]

extension Segment {
  /// The number of bytes that are compressed first, as a sample: if they do not shrink by at least an eighth, the segment gets
  /// no compressed form.
  private static let sampleBytes = 4096

  /// Returns the frames before `end` for subscribers that accept compression. Each frame is compressed once for all subscribers.
  ///
  /// - Returns: the compressed segment, and the offset at which these frames end in the compressed segment; this segment itself
  ///   if compression is not worthwhile. A frame that does not shrink is copied uncompressed.
  func compressed(before end: Int, by compress: MessageCompressor) -> (segment: Segment, end: Int) {
    guard !isIncompressible else { return (self, end) }
    let twin = compressedTwin ?? Segment(number: number, capacity: 0)
    compressedTwin = twin
    let wanted = frameIndex(at: end)
    while twin.frames.count < wanted {
      let frame = frames[twin.frames.count]
      if twin.frames.isEmpty {
        let start = frameStart(0) + frame.headerLength
        let sample = Array(bytes[start..<min(frame.end, start + Self.sampleBytes)])
        guard isWorthIt(compress(sample.span).count, of: sample.count) else { return giveUp(end) }
      }
      let payload = bytes.span.extracting(
        frameStart(twin.frames.count) + frame.headerLength..<frame.end)
      let smaller = compress(payload)
      if smaller.count < payload.count {
        twin.append(smaller.span, like: frame, isCompressed: true)
      } else {
        twin.append(payload, like: frame, isCompressed: false)
      }
    }
    guard wanted == 0 || isWorthIt(twin.bytes.count, of: frameStart(wanted)) else { return giveUp(end) }
    return (twin, twin.frameStart(wanted))
  }

  private func isWorthIt(_ count: Int, of whole: Int) -> Bool { count <= whole - whole / 8 }

  /// Marks the segment as incompressible, and drops its compressed form. Subscribers that are already receiving the compressed
  /// form continue with it.
  private func giveUp(_ end: Int) -> (segment: Segment, end: Int) {
    isIncompressible = true
    compressedTwin = nil
    return (self, end)
  }
}
