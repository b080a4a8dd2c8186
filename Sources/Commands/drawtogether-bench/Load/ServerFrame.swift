internal import WebSocket

/// The position of a server's frame in the received bytes. The parser checks only the opcode and the mask bit, because the
/// measured server is trusted.
struct ServerFrame: Equatable, Sendable {
  let opcode: Opcode
  let isFinal: Bool
  let isCompressed: Bool
  let payload: Range<Int>

  /// Parses the frame at `offset`, whose payload may be incomplete. Returns nil if the header is incomplete.
  @inline(__always)
  static func parse(_ bytes: Span<UInt8>, at offset: Int) throws(BenchError) -> ServerFrame? {
    let available = bytes.count - offset
    guard available >= 2 else { return nil }
    let first = bytes[offset]
    let second = bytes[offset + 1]
    guard let opcode = Opcode(rawValue: first & 0x0F), second & 0x80 == 0 else {
      throw .protocolViolation(
        "a frame begins with the bytes \(first) and \(second): it is masked, or its opcode is unknown")
    }
    var start = offset + 2
    var length = Int(second)
    if second >= 126 {
      let width = second == 126 ? 2 : 8
      guard available >= 2 + width else { return nil }
      length = 0
      for index in start..<start + width { length = length << 8 | Int(bytes[index]) }
      start += width
    }
    return ServerFrame(
      opcode: opcode, isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0,
      payload: start..<start + length)
  }
}
