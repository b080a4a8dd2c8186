import FoundationEssentials
import Synchronization
import Networking
import Platform
import WebSocket
import Wire

/// A server with a scripted reaction to each connection, on a thread of its own.
final class ScriptedServer: Sendable {
  /// The reaction to a connection, given the connection's number (from 0) and its stream.
  typealias Script = @Sendable (_ number: Int, _ stream: BlockingStream) throws -> Void

  let address: SocketAddress
  private let listener: Listener
  private let thread = Guarded<SystemThread?>(nil)
  private let isStopping = Atomic(false)
  private let served = Atomic(0)

  /// The number of accepted connections.
  var count: Int { served.load(ordering: .acquiring) }

  init(_ script: @escaping Script) throws {
    listener = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
    address = listener.address
    let started = try SystemThread(name: "test-server") { [listener, self] in
      while !isStopping.load(ordering: .acquiring) {
        // The wait is short, so that the thread soon sees `isStopping`.
        guard (try? Socket(listener.descriptor).wait(until: .readable, atMost: .milliseconds(5))) == true,
          case .accepted(let descriptor, _) = listener.accept()
        else { continue }
        let number = served.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        // Errors of a script are ignored: the test checks the client's side of the connection.
        try? script(number, BlockingStream(owning: descriptor))
      }
    }
    thread.withLock { $0 = started }
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    thread.withLock { $0 }?.join()
  }

  /// Reads an upgrade request and accepts it, without compression.
  static func upgrade(_ stream: BlockingStream) throws {
    var head: [UInt8] = []
    while !String(decoding: head, as: UTF8.self).hasSuffix("\r\n\r\n") { head += try stream.receive() }
    try stream.send(agreement(to: head))
  }

  /// Returns the 101 response to an upgrade request, without compression.
  static func agreement(to head: [UInt8]) throws -> [UInt8] {
    var fields: [HandshakeField] = []
    for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields.append(
        (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " })))
    }
    fields.removeAll { $0.name == "Sec-WebSocket-Extensions" }
    let request = try UpgradeRequest.evaluate(method: "GET", minorVersion: 1, fields: fields)
    var answer = "HTTP/1.1 101 Switching Protocols\r\n"
    for (name, value) in request.responseFields(subprotocol: "drawtogether.v1") {
      answer += "\(name): \(value)\r\n"
    }
    return Array((answer + "\r\n").utf8)
  }

  /// Returns a message in one frame.
  static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameWriter.append(opcode, payload: payload.span, to: &bytes)
    return bytes
  }

  /// The gateway's messages after a join to an empty session, with high limits.
  static var welcome: [UInt8] {
    var limits = Limits()
    limits.entriesPerSecond = 1_000_000
    limits.bytesPerSecond = 1 << 30
    let joined = Joined(
      participant: Participant(id: UUID(), number: 1, name: "Ada", color: "#112233"),
      token: Token(high: 1, low: 2), epoch: "e", sequence: 0, committed: 0, acknowledged: 0, resumed: false,
      session: SessionObject(
        id: SessionID(high: 1, low: 2), link: "/s/", activity: .standard, createdAt: Date(), participants: 1,
        sequence: 0),
      limits: limits)
    return [
      GatewayControl.joined(joined), .catchUp(.snapshot, epoch: "e", sequence: 0), .caughtUp(sequence: 0),
    ].flatMap { frame(.text, $0.encoded()) }
  }
}
