/// How much a peer may send at once. Both are bytes.
package struct MessageLimits: Equatable, Sendable {
  /// The payload of one frame, as it is on the wire.
  package let frameBytes: Int

  /// A whole message: assembled from its frames, and inflated if it was compressed.
  package let messageBytes: Int

  /// Without a limit for single frames, those of the message hold for them too.
  package init(frameBytes: Int = .max, messageBytes: Int) {
    precondition(frameBytes >= 0 && messageBytes >= 0, "a limit is a number of bytes")
    self.frameBytes = frameBytes
    self.messageBytes = messageBytes
  }

  /// What a message of `messageBytes` may take while it is compressed: a sixteenth more, for bytes that cannot be
  /// made smaller grow by five for each stored block, and the smallest that zlib makes hold 127.
  package var compressedBytes: Int {
    let room = messageBytes >> 4 + 64
    let (sum, overflows) = messageBytes.addingReportingOverflow(room)
    return overflows ? .max : sum
  }

  /// Checks the length that a data frame names, of a message of which `length` bytes have come.
  func check(frame: Int, after length: Int, isCompressed: Bool) throws(ProtocolError) {
    guard frame <= frameBytes else { throw .frameTooLarge(length: frame, limit: frameBytes) }
    let (total, overflows) = length.addingReportingOverflow(frame)
    let limit = isCompressed ? compressedBytes : messageBytes
    guard !overflows, total <= limit else {
      throw .messageTooLarge(length: overflows ? .max : total, limit: limit)
    }
  }
}
