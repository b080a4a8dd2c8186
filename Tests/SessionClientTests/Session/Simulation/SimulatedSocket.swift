import SessionCore
import Wire

/// A socket between a participant's harness and a session, with what is on its way in both directions.
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
  /// How many bytes the way to the client holds before the gateway has to wait.
  let capacity: Int
  var uplink: [Uplink] = []
  private(set) var downlink: [UInt8] = []
  /// The client has let go of it; the gateway may not know.
  var isLetGo = false
  /// Nothing passes any more; neither end may know.
  var isDead = false
  /// The gateway has let go of it.
  var isClosing = false
  private var stream: [UInt8] = []

  init(connection: UInt64, capacity: Int) {
    subscriber = Subscriber(connection: connection)
    self.capacity = capacity
  }

  /// How many bytes of entries are still on their way up.
  var waiting: Int {
    uplink.reduce(0) { sum, message in
      if case .entries(let bytes) = message { sum + bytes.count } else { sum }
    }
  }

  /// Offers bytes to the way; it takes what it has room for.
  func send(_ bytes: ArraySlice<UInt8>) -> Int {
    if isDead || isLetGo { return bytes.count }
    let count = min(bytes.count, max(0, capacity - downlink.count))
    downlink.append(contentsOf: bytes.prefix(count))
    return count
  }

  /// Loses what is under way behind some point, and all that comes.
  func cut(keeping up: Int, _ down: Int) {
    isDead = true
    uplink.removeLast(max(0, uplink.count - up))
    downlink.removeLast(max(0, downlink.count - down))
  }

  /// The whole messages in the next bytes that the client reads.
  func read(_ count: Int) throws -> [Message] {
    let taken = downlink.prefix(count)
    stream += taken
    downlink.removeFirst(taken.count)
    var messages: [Message] = []
    while let message = try next() { messages.append(message) }
    return messages
  }

  /// Cuts a gateway's frames: the least that RFC 6455 wants.
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
