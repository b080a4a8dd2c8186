import HTTP
import Testing
import Platform
import Wire
import TestSupport

/// An HTTP/1.1 client over one connection.
final class HTTPClient {
  struct Response {
    var interim: [Int] = []
    var head: ResponseHead
    var body: [UInt8] = []

    var status: Int { head.status.code }
    var text: String { String(decoding: body, as: UTF8.self) }
    func field(_ name: String) -> String? { head.fields.first(name) }
  }

  let stream: ByteStream
  let host: String
  private var reader = ResponseReader()

  init(_ gateway: RunningGateway, isSecure: Bool = false, bodyLimit: Int = 1 << 20) throws {
    reader.bodyLimit = bodyLimit
    stream = try ByteStream(to: gateway, isSecure: isSecure)
    host = "\(isSecure ? gateway.https : gateway.http)"
  }

  /// Returns the head of a request as bytes.
  func head(_ method: String, _ path: String, _ fields: KeyValuePairs<String, String> = [:]) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// Sends a request and waits for the response.
  func ask(
    _ method: String, _ path: String, _ fields: KeyValuePairs<String, String> = [:], body: [UInt8]? = nil
  ) throws -> Response {
    var bytes = head(method, path, fields)
    if let body {
      bytes.removeLast(2)
      bytes += Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }
    try stream.send(bytes)
    return try response(to: method)
  }

  /// Waits for the next response, which must belong to a request with this method.
  func response(to method: String = "GET") throws -> Response {
    reader.expect(method == "HEAD" ? .head : .get)
    let deadline = TestTimeout.deadline
    var interim: [Int] = []
    var response: Response?
    while true {
      let unread = stream.unread
      var position = 0
      while let event = try reader.next(in: unread.span, at: &position) {
        switch event {
        case .interim(let head): interim.append(head.status.code)
        case .head(let head):
          response = Response(interim: interim, head: head)
          if head.status == .switchingProtocols {
            stream.unread.removeFirst(position)
            return Response(interim: interim, head: head)
          }
        case .body(let range): response?.body += unread[range]
        case .end:
          stream.unread.removeFirst(position)
          return try #require(response)
        }
      }
      stream.unread = []
      try stream.receiveMore(by: deadline)
    }
  }

  /// Creates a session. The gateway chooses a reactor for the session, and transfers this connection to that reactor.
  func makeSession() throws -> SessionID {
    let answer = try ask("POST", "/api/sessions", body: [])
    guard answer.status == 201 else { throw ClientError.answered(status: answer.status) }
    let location = try #require(answer.field("Location"))
    return try #require(SessionID(location.split(separator: "/").last ?? ""))
  }

  /// Returns a client whose connection belongs to the given reactor of a gateway.
  ///
  /// The function creates a session over a new connection. The gateway chooses a reactor for the session, and transfers the
  /// connection to this reactor. If it is not the given reactor, the function tries again with another connection.
  static func on(
    reactor: Int, of gateway: RunningGateway, reactors: Int = 2, isSecure: Bool = false,
    bodyLimit: Int = 1 << 20
  ) throws -> HTTPClient {
    for _ in 0..<200 {
      let client = try HTTPClient(gateway, isSecure: isSecure, bodyLimit: bodyLimit)
      if try client.makeSession().reactor(of: reactors) == reactor { return client }
    }
    throw ClientError.outOfPatience(waitingFor: "a connection on reactor \(reactor)")
  }
}

extension SessionID {
  /// Returns the number of the reactor that owns this session in a gateway with `reactors` reactors.
  func reactor(of reactors: Int) -> Int { Int(low % UInt64(reactors)) }
}
