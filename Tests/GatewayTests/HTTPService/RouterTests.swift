import HTTP
import Networking
import Testing
import Wire

@testable import Gateway

@Suite("The router of HTTP requests")
struct RouterTests {
  private static let session = "/api/sessions/\(SessionID(high: 1, low: 2).text)"
  private static let attachments = "\(session)/attachments"

  struct Request: CustomTestStringConvertible {
    let line: String
    var fields: [String] = []
    let cause: Router.Cause?
    var status = 0

    var testDescription: String { "\(line) \(fields.joined(separator: ", "))" }
  }

  private static func head(_ request: Request) throws -> RequestHead {
    let fields = (["Host: canvas.example"] + request.fields).map { $0 + "\r\n" }.joined()
    var reader = RequestReader()
    var position = 0
    let bytes = Array("\(request.line) HTTP/1.1\r\n\(fields)\r\n".utf8)
    guard case .head(let head)? = try reader.next(in: bytes.span, at: &position) else {
      throw MessageError.headTooLarge(limit: 0)
    }
    return head
  }

  private static var configuration: GatewayConfiguration {
    get throws {
      var configuration = GatewayConfiguration()
      configuration.publicURL = WebOrigin("https://canvas.example")
      configuration.allowedOrigins = [try #require(WebOrigin("https://friend.example"))]
      configuration.redirectsToHTTPS = true
      return configuration
    }
  }

  @Test(
    "The router decides from the request head alone whether it answers the request immediately or accepts it",
    arguments: [
      Request(line: "GET /", cause: .plainText, status: 308),
      Request(line: "GET /api/limits", cause: nil),
      Request(line: "GET \(session)", cause: nil),
      Request(line: "BREW \(session)", cause: .unknownMethod, status: 501),
      Request(line: "PUT \(session)", cause: .methodNotAllowed, status: 405),
      Request(
        line: "POST /api/sessions", fields: ["Origin: https://foe.example"], cause: .foreignOrigin,
        status: 403),
      Request(line: "GET /api/limits", fields: ["Origin: https://foe.example"], cause: nil),
      Request(
        line: "GET \(session)/socket", fields: ["Origin: https://foe.example"], cause: .foreignOrigin,
        status: 403),
      Request(line: "GET /echo", fields: ["Origin: https://foe.example"], cause: nil),
      Request(line: "POST /api/sessions", fields: ["Origin: https://friend.example"], cause: nil),
      Request(
        line: "OPTIONS /api/sessions", fields: ["Origin: https://friend.example"], cause: .options,
        status: 204),
      Request(
        line: "POST /api/sessions", fields: ["Content-Length: \(Router.bodyBytes)"], cause: nil),
      Request(
        line: "POST /api/sessions", fields: ["Content-Length: \(Router.bodyBytes + 1)"], cause: .longBody,
        status: 413),
      Request(line: "POST \(attachments)", fields: ["Content-Length: 999999999"], cause: nil),
      Request(
        line: "POST \(attachments)/6F9619FF-8B86-D011-B42D-00C04FC964FF",
        fields: ["Tus-Resumable: 1.0.0", "X-HTTP-Method-Override: PATCH"], cause: nil),
    ])
  func causes(_ request: Request) throws {
    let router = Router(try Self.configuration)
    let head = try Self.head(request)
    let client = ForwardedClient(of: head, from: IPAddress(v4: 1), isSecure: false, behind: 0)
    let answered = router.immediateAnswer(to: head, Route(head.path), from: client, httpsPort: 443)
    #expect(answered?.cause == request.cause)
    if request.cause != nil { #expect(answered?.answer.head.status.code == request.status) }
  }

  @Test(
    "With a public URL, requests for another host are refused, except health checks",
    arguments: ["/api/limits", "/healthz"])
  func otherHost(_ path: String) throws {
    let router = Router(try Self.configuration)
    var head = try Self.head(Request(line: "GET \(path)", cause: nil))
    head.fields.set("Host", "other.example")
    let client = ForwardedClient(of: head, from: IPAddress(v4: 1), isSecure: true, behind: 0)
    let answered = router.immediateAnswer(to: head, Route(path), from: client, httpsPort: nil)
    #expect(answered?.cause == (path == "/healthz" ? nil : .misdirected))
  }
}
