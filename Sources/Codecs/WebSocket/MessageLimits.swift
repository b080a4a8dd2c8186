/// The limits for the messages of a peer, in bytes.
package struct MessageLimits: Equatable, Sendable {
  /// The maximum number of bytes of one frame's payload, as it is on the wire.
  package var frameBytes: Int { Int(frame) }

  /// The maximum number of bytes of a whole message: the sum of all its frames, after inflating a compressed message.
  package var messageBytes: Int { Int(message) }

  /// The maximum number of bytes of a whole text message. It may be smaller than `messageBytes`.
  package var textBytes: Int { Int(text) }

  // Small types, because every connection stores these limits.
  private let frame: UInt32
  private let message: UInt32
  private let text: UInt32

  /// Creates limits. Without `frameBytes`, only `messageBytes` limits a frame; without `textBytes`, only `messageBytes` limits a
  /// text. `messageBytes` must be below 4 GiB.
  package init(frameBytes: Int = .max, messageBytes: Int, textBytes: Int? = nil) {
    precondition(frameBytes >= 0 && messageBytes >= 0, "a limit must not be negative")
    precondition(messageBytes <= Int(UInt32.max), "the limit of a message must be below 4 GiB")
    frame = UInt32(clamping: frameBytes)
    message = UInt32(clamping: messageBytes)
    text = UInt32(clamping: min(messageBytes, textBytes ?? messageBytes))
  }

  /// Returns the limit of a whole message of this kind.
  func bytes(of kind: MessageKind) -> Int { kind == .text ? textBytes : messageBytes }

  /// The maximum number of bytes of a compressed message that inflates to `messageBytes`.
  package var compressedBytes: Int { Self.compressedBytes(of: messageBytes) }

  /// Returns the maximum number of bytes of a compressed message that inflates to `count` bytes: the sum of `count`, one
  /// sixteenth of `count`, and 64.
  ///
  /// Incompressible data is stored in blocks, and each block adds five bytes. The smallest blocks of zlib have 127 bytes, so the
  /// data grows by less than one sixteenth.
  static func compressedBytes(of count: Int) -> Int {
    let room = count >> 4 + 64
    let (sum, overflows) = count.addingReportingOverflow(room)
    return overflows ? .max : sum
  }

  /// Checks the length in a data frame's header. `length` is the number of earlier bytes of the same message.
  func check(
    frame: Int, after length: Int, of kind: MessageKind, isCompressed: Bool
  ) throws(ProtocolError) {
    guard frame <= frameBytes else { throw .frameTooLarge(length: frame, limit: frameBytes) }
    let (total, overflows) = length.addingReportingOverflow(frame)
    let limit = isCompressed ? Self.compressedBytes(of: bytes(of: kind)) : bytes(of: kind)
    guard !overflows, total <= limit else {
      throw .messageTooLarge(length: overflows ? .max : total, limit: limit)
    }
  }
}
