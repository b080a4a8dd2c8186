/// How much a peer may send at once, in bytes.
package struct MessageLimits: Equatable, Sendable {
  /// The payload of one frame, as it is on the wire.
  package var frameBytes: Int { Int(frame) }

  /// A whole message: assembled from its frames, and inflated if it was compressed.
  package var messageBytes: Int { Int(message) }

  /// The same for a text, which may be meant to be shorter.
  package var textBytes: Int { Int(text) }

  // Every socket has one of these.
  private let frame: UInt32
  private let message: UInt32
  private let text: UInt32

  /// Without a limit for single frames or texts, those of the message hold for them too.
  /// A message may have less than 4 GiB.
  package init(frameBytes: Int = .max, messageBytes: Int, textBytes: Int? = nil) {
    precondition(frameBytes >= 0 && messageBytes >= 0, "a limit is a number of bytes")
    precondition(messageBytes <= Int(UInt32.max), "a message is shorter than 4 GiB")
    frame = UInt32(clamping: frameBytes)
    message = UInt32(clamping: messageBytes)
    text = UInt32(clamping: min(messageBytes, textBytes ?? messageBytes))
  }

  /// For a whole message of this kind.
  func bytes(of kind: MessageKind) -> Int { kind == .text ? textBytes : messageBytes }

  /// What a message of `messageBytes` may take while it is compressed.
  package var compressedBytes: Int { Self.compressedBytes(of: messageBytes) }

  /// What a message of `count` bytes may take while it is compressed: a sixteenth more, for bytes that cannot be
  /// made smaller grow by five for each stored block, and the smallest that zlib makes hold 127.
  static func compressedBytes(of count: Int) -> Int {
    let room = count >> 4 + 64
    let (sum, overflows) = count.addingReportingOverflow(room)
    return overflows ? .max : sum
  }

  /// Checks the length that a data frame names, of a message of which `length` bytes have come.
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
