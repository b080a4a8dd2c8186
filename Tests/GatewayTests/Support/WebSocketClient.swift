import HTTP
import Testing
import Primitives
import WebSocket
import Wire
import TestSupport

/// A WebSocket client over one connection.
final class WebSocketClient {
  enum Message: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case pong([UInt8])
    case close(code: UInt16?, reason: String)
  }

  let stream: ByteStream
  private var reader: MessageReader
  private let inflater = Inflater()
  private var assembly: [UInt8] = []
  private var position = 0

  /// The way to send the frames in `behind`, which follow the upgrade request.
  enum Packets {
    /// The frames are sent with the request, in one packet.
    case one
    /// Each byte of the request and of the frames is sent in a separate packet.
    case byByte
    /// With TLS, the frames are sent in a separate TLS record. The first bytes of this record are sent with the request, and the
    /// other bytes after the response to the request.
    case cutRecord
  }

  /// Upgrades an HTTP connection, and sends frames after the request.
  init(
    upgrading http: HTTPClient, to path: String, offersDeflate: Bool = false, behind: [UInt8] = [],
    in packets: Packets = .one
  ) throws {
    stream = http.stream
    let attempt = UpgradeAttempt(subprotocols: ["drawtogether.v1"], offersDeflate: offersDeflate)
    var request = http.head("GET", path)
    request.removeLast(2)
    for (name, value) in attempt.requestFields { request += Array("\(name): \(value)\r\n".utf8) }
    request += Array("\r\n".utf8)
    var rest: [UInt8] = []
    switch packets {
    case .one: try stream.send(request + behind)
    case .byByte: for byte in request + behind { try stream.send([byte]) }
    case .cutRecord: rest = try stream.sendCut(request, behind)
    }
    let answer = try http.response()
    if !rest.isEmpty { try stream.sendRaw(rest) }
    let agreement = try attempt.check(
      status: answer.status, fields: answer.head.fields.map { (name: $0.name, value: $0.value) })
    #expect(agreement.subprotocol == "drawtogether.v1")
    reader = MessageReader(
      role: .client, limits: MessageLimits(messageBytes: 8 << 20), deflate: agreement.deflate)
  }

  convenience init(_ gateway: RunningGateway, session: SessionID, isSecure: Bool = false) throws {
    try self.init(
      upgrading: HTTPClient(gateway, isSecure: isSecure), to: Self.path(of: session))
  }

  static func path(of session: SessionID) -> String { "/api/sessions/\(session.text)/socket" }

  /// Returns a masked frame with a payload.
  static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameWriter.append(opcode, payload: payload.span, maskingKey: .random(), to: &bytes)
    return bytes
  }

  func send(_ opcode: Opcode, _ payload: [UInt8]) throws {
    try stream.send(Self.frame(opcode, payload))
  }

  func send(_ text: String) throws {
    try send(.text, Array(text.utf8))
  }

  /// Waits for the next message. Pings are answered; a violation of RFC 6455 fails the test.
  func next(by deadline: MonotonicTime = TestTimeout.deadline) throws -> Message {
    while true {
      let end = stream.unread.count
      while let event = try reader.next(in: &stream.unread, at: &position, upTo: end, inflater: inflater) {
        switch event {
        case .piece(let kind, let range, _, let isLast):
          assembly += stream.unread[range]
          guard isLast else { continue }
          defer { assembly = [] }
          return kind == .text ? .text(assembly) : .binary(assembly)
        case .message(let kind, let payload):
          return kind == .text ? .text(payload) : .binary(payload)
        case .ping(let payload): try send(.pong, payload)
        case .pong(let payload): return .pong(payload)
        case .close(let code, let reason): return .close(code: code?.rawValue, reason: reason)
        }
      }
      position = 0
      stream.unread.removeAll(keepingCapacity: true)
      try stream.receiveMore(by: deadline)
    }
  }

  /// Reads up to the close frame, answers it, and reads up to the end of the stream.
  /// - Returns: the close code; nil for a close frame without a code.
  func readClose() throws -> UInt16? {
    let deadline = TestTimeout.deadline
    while true {
      guard case .close(let code, _) = try next(by: deadline) else { continue }
      if let code { try send(.close, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]) }
      try stream.drainToEnd()
      return code
    }
  }
}
