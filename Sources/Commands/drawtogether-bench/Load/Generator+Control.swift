internal import WebSocket
internal import Wire

extension Generator {
  /// Handles a control message. The function tells the type of the message from three letters near its beginning, and does not
  /// decode every message: `joined` messages are long, and `committed` messages are frequent.
  func handleControl(_ message: Span<UInt8>, of link: Link) throws(BenchError) {
    guard !options.isPeer, message.count > 6 else { return }
    switch (message[2], message[4], message[5]) {
    case (UInt8(ascii: "j"), _, _):
      break
    case (UInt8(ascii: "c"), UInt8(ascii: "m"), _):
      if link.followsCommitted, case .committed(let sequence) = try decode(message) {
        link.committed = sequence
      }
    case (UInt8(ascii: "c"), UInt8(ascii: "t"), _):
      if case .catchUp(let kind, _, _) = try decode(message) {
        link.caughtUpBy = kind == .snapshot ? .snapshot : .tail
        if kind == .snapshot { link.retained?.clear() }
      }
    case (UInt8(ascii: "c"), UInt8(ascii: "u"), _):
      becomeLive(link)
    case (UInt8(ascii: "e"), _, _):
      if case .error(let refusal) = try decode(message) { throw .refused(refusal.detail) }
    default:
      break
    }
  }

  /// Answers a ping with a pong that has the same payload (RFC 6455 §5.5.3).
  func answerPing(_ payload: Span<UInt8>, over link: Link) {
    var frame: [UInt8] = []
    FrameWriter.append(.pong, payload: payload, maskingKey: MaskingKey(4, 3, 2, 1), to: &frame)
    send(frame, over: link)
  }

  private func decode(_ message: Span<UInt8>) throws(BenchError) -> GatewayControl {
    do throws(WireError) {
      return try GatewayControl.decode(message)
    } catch {
      throw .protocolViolation(WireText.decode(message))
    }
  }
}

/// Decodes text from a server.
enum WireText {
  /// Decodes UTF-8 bytes to text; replaces invalid bytes with U+FFFD.
  static func decode(_ bytes: Span<UInt8>) -> String {
    unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
