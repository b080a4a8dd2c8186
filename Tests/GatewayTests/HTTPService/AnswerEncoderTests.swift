import HTTP
import Networking
import Primitives
import Testing
import Wire

@testable import Gateway

@Suite("AnswerEncoder adds the required header fields to each response")
struct AnswerEncoderTests {
  private static func head(
    _ line: String = "GET /api/limits HTTP/1.1", _ fields: [String] = []
  ) throws -> RequestHead {
    var reader = RequestReader()
    var position = 0
    let text = "\(line)\r\nHost: canvas.example\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n"
    guard case .head(let head)? = try reader.next(in: Array(text.utf8).span, at: &position) else {
      throw MessageError.headTooLarge(limit: 0)
    }
    return head
  }

  private static func lines(
    _ answer: Answer, for head: RequestHead? = nil, route: Route? = nil, isSecure: Bool = false,
    closes: Bool = false, _ adjust: (inout GatewayConfiguration) throws -> Void = { _ in }
  ) throws -> [String] {
    var configuration = GatewayConfiguration()
    try adjust(&configuration)
    let encoder = AnswerEncoder(
      configuration, time: { WallTime(secondsSince1970: 784_111_777) })
    let bytes = encoder.encode(answer, for: head, route: route, isSecure: isSecure, closes: closes)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
  }

  @Test("All responses have `Date`, and all except 204 have `Content-Length`")
  func common() throws {
    let lines = try Self.lines(.json(.ok, [1, 2, 3]), for: try Self.head())
    #expect(lines.contains("Date: Sun, 06 Nov 1994 08:49:37 GMT"))
    #expect(lines.contains("Content-Length: 3"))
    #expect(!lines.contains { $0.hasPrefix("Connection:") })
    #expect(try !Self.lines(Answer(.noContent)).contains { $0.hasPrefix("Content-Length") })
  }

  @Test(
    "`Connection` is `close` if the connection will be closed, and `keep-alive` if an HTTP/1.0 connection stays open"
  )
  func connection() throws {
    #expect(try Self.lines(Answer(.noContent), closes: true).contains("Connection: close"))
    let old = try Self.head("GET / HTTP/1.0")
    #expect(try Self.lines(Answer(.noContent), for: old).contains("Connection: keep-alive"))
  }

  @Test("RFC 6797 §7.2: Strict-Transport-Security is sent only over TLS, and only if it is turned on")
  func transportSecurity() throws {
    func isSent(isSecure: Bool, _ isOn: Bool) throws -> Bool {
      try Self.lines(Answer(.noContent), isSecure: isSecure) { $0.sendsStrictTransportSecurity = isOn }
        .contains { $0.hasPrefix("Strict-Transport-Security") }
    }
    #expect(try isSent(isSecure: true, true))
    #expect(try !isSent(isSecure: false, true))
    #expect(try !isSent(isSecure: true, false))
  }

  @Test(
    "Responses to an allowed origin have CORS fields; responses about attachments also expose the fields of uploads"
  )
  func crossOrigin() throws {
    let head = try Self.head(["Origin: https://friend.example"])
    let id = SessionID(high: 1, low: 2)
    func lines(_ route: Route) throws -> [String] {
      try Self.lines(Answer(.noContent), for: head, route: route) {
        $0.allowedOrigins = [try #require(WebOrigin("https://friend.example"))]
      }
    }
    let session = try lines(.session(id))
    #expect(session.contains("Access-Control-Allow-Origin: https://friend.example"))
    #expect(session.contains("Access-Control-Expose-Headers: Location, Retry-After, ETag"))
    let attachments = try lines(.attachments(id))
    #expect(
      attachments.contains { $0.hasPrefix("Access-Control-Expose-Headers:") && $0.contains("Upload-Offset") })
    #expect(attachments.contains("Content-Security-Policy: sandbox; default-src 'none'"))
    #expect(attachments.filter { $0.hasPrefix("Vary:") } == ["Vary: Origin"])
  }

  private static func head(_ fields: [String]) throws -> RequestHead {
    try head("GET / HTTP/1.1", fields)
  }
}
