import SessionCore
import Wire

/// A socket between a client and a session, with the bytes in flight in both directions.
final class SimulatedSocket {
  /// A message to the gateway.
  enum Uplink {
    case control(ClientControl)
    case entries([UInt8])
    case close
  }

  /// A message to the client.
  enum Message {
    case text([UInt8])
    case binary([UInt8])
    case close(code: UInt16, reason: [UInt8])
  }

  let subscriber: Subscriber
  /// The maximum number of bytes in flight to the client.
  let capacity: Int
  var uplink: [Uplink] = []
  private(set) var downlink: [UInt8] = []
  /// True when the client has dropped the socket. The gateway may not know this yet.
  var isDropped = false
  /// True when no more bytes are delivered. Client and gateway may not know this yet.
  var isDead = false
  /// True when the gateway has closed the socket.
  var isClosing = false
  private var stream: [UInt8] = []

  init(connection: UInt64, capacity: Int) {
    subscriber = Subscriber(connection: connection)
    self.capacity = capacity
  }

  /// The number of bytes of entries in flight to the gateway.
  var waiting: Int {
    uplink.reduce(0) { sum, message in
      if case .entries(let bytes) = message { sum + bytes.count } else { sum }
    }
  }

  /// Sends bytes to the client, up to the capacity.
  func send(_ bytes: ArraySlice<UInt8>) -> Int {
    if isDead || isDropped { return bytes.count }
    let count = min(bytes.count, max(0, capacity - downlink.count))
    downlink.append(contentsOf: bytes.prefix(count))
    return count
  }

  /// Breaks the connection. The first `up` messages on the way to the gateway and the first `down` bytes on the way to the client
  /// still arrive. All later messages and bytes are lost.
  func cut(keeping up: Int, _ down: Int) {
    isDead = true
    uplink.removeLast(max(0, uplink.count - up))
    downlink.removeLast(max(0, downlink.count - down))
  }

  /// Reads bytes, and returns the whole messages in them.
  func read(_ count: Int) throws -> [Message] {
    let taken = downlink.prefix(count)
    stream += taken
    downlink.removeFirst(taken.count)
    var messages: [Message] = []
    while let message = try next() { messages.append(message) }
    return messages
  }

  /// Returns the next message, if its frame is complete. Parses only unfragmented and unmasked frames (RFC 6455).
  private func next() throws -> Message? {
    guard stream.count >= 2 else { return nil }
    var length = Int(stream[1])
    var header = 2
    if length >= 126 {
      header = length == 126 ? 4 : 10
      guard stream.count >= header else { return nil }
      length = stream[2..<header].reduce(0) { $0 << 8 | Int($1) }
    }
    guard stream.count >= header + length else { return nil }
    let opcode = stream[0] & 0xF
    let payload = Array(stream[header..<header + length])
    stream.removeFirst(header + length)
    switch opcode {
    case 1: return .text(payload)
    case 2: return .binary(payload)
    case 8: return .close(code: UInt16(payload[0]) << 8 | UInt16(payload[1]), reason: Array(payload[2...]))
    default: throw Violation("a frame with opcode \(opcode)")
    }
  }
}
