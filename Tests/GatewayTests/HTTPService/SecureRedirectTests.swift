import HTTP
import Testing
import Networking

@testable import Gateway

@Suite("Plain-text requests for the page are redirected to https")
struct SecureRedirectTests {
  private func redirect(_ publicURL: String? = nil, isOn: Bool = true) -> SecureRedirect {
    var configuration = GatewayConfiguration()
    configuration.redirectsToHTTPS = isOn
    configuration.publicURL = publicURL.flatMap { WebOrigin($0) }
    return SecureRedirect(configuration)
  }

  /// Returns the client of a request. A request with `X-Forwarded-For` counts as sent by a trusted proxy.
  private func client(_ head: RequestHead, isSecure: Bool = false) -> ForwardedClient {
    let proxies = head.fields.first("X-Forwarded-For") == nil ? 0 : 1
    return ForwardedClient(
      of: head, from: IPAddress(v4: 0x0A00_0001), isSecure: isSecure, behind: proxies)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var publicURL: String?
    let host: String
    var target = "/"
    var port: UInt16? = 8443
    let location: String?
    var testDescription: String { "\(publicURL ?? "") \(host) \(target) \(port ?? 0)" }
  }

  @Test(
    "A redirect leads to the requested host with the https port, or to the public URL",
    arguments: [
      Case(host: "draw.example:8080", location: "https://draw.example:8443/"),
      Case(host: "draw.example", port: 443, location: "https://draw.example/"),
      Case(host: "DRAW.example", port: 443, location: "https://draw.example/"),
      Case(host: "[::1]:8080", target: "/s/abc?x=%2F#", location: nil),
      Case(host: "[::1]:8080", target: "/s/abc?x=%2F", location: "https://[::1]:8443/s/abc?x=%2F"),
      Case(
        host: "127.0.0.1:1", target: "http://draw.example:8080/js/main.js?",
        location: "https://draw.example:8443/js/main.js?"),
      Case(host: "draw.example", port: nil, location: nil),
      Case(publicURL: "https://draw.example", host: "draw.example:8080", location: "https://draw.example/"),
      Case(
        publicURL: "https://draw.example", host: "draw.example", port: nil, location: "https://draw.example/"),
      Case(
        publicURL: "https://draw.example:444", host: "draw.example", target: "/a?b",
        location: "https://draw.example:444/a?b"),
      Case(publicURL: "https://draw.example", host: "other.example", location: nil),
    ])
  func targets(_ given: Case) throws {
    guard let head = RequestHead(.get, given.target, fields: ["Host": given.host]) else {
      #expect(given.location == nil)
      return
    }
    let target = redirect(given.publicURL).target(
      of: head, Route(head.path), from: client(head), httpsPort: given.port)
    #expect(target == given.location)
  }

  @Test("A secure request is not redirected, and if redirects are turned off, no request is redirected")
  func notRedirected() throws {
    let head = try #require(RequestHead(.get, "/", fields: ["Host": "draw.example"]))
    #expect(redirect().target(of: head, .file, from: client(head, isSecure: true), httpsPort: 8443) == nil)
    #expect(redirect(isOn: false).target(of: head, .file, from: client(head), httpsPort: 8443) == nil)
  }

  @Test(
    "Behind a trusted proxy, the scheme and the host that the proxy names decide about a redirect",
    arguments: [
      ("http", nil, "https://inside.example/x"), ("http", "draw.example:80", "https://draw.example/x"),
      ("https", nil, nil), ("https", "draw.example", nil),
    ] as [(String, String?, String?)])
  func forwarded(_ scheme: String, _ host: String?, _ location: String?) throws {
    var fields: FieldList = ["Host": "inside.example:8080", "X-Forwarded-For": "192.0.2.1"]
    fields.append("X-Forwarded-Proto", scheme)
    if let host { fields.append("X-Forwarded-Host", host) }
    let head = try #require(RequestHead(.get, "/x", fields: fields))
    for port in [nil, 8443] as [UInt16?] {
      #expect(redirect().target(of: head, .file, from: client(head), httpsPort: port) == location)
    }
  }

  @Test(
    "Behind proxies, only requests that the proxies report as plain text are redirected",
    arguments: [
      ([:], 1), (["X-Forwarded-Proto": "https"], 1), (["X-Forwarded-Proto": "http"], 1),
      (["X-Forwarded-For": "192.0.2.1"], 1),
      (["X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http", "Forwarded": "for=192.0.2.2"], 1),
      (["X-Forwarded-For": "192.0.2.1, 192.0.2.2", "X-Forwarded-Proto": "http"], 2),
    ] as [(FieldList, Int)])
  func unknownScheme(_ fields: FieldList, _ proxies: Int) throws {
    var fields = fields
    fields.append("Host", "inside.example:8080")
    let head = try #require(RequestHead(.get, "/x", fields: fields))
    let client = ForwardedClient(of: head, from: IPAddress(v4: 0x0A00_0001), isSecure: false, behind: proxies)
    for url in [nil, "https://inside.example"] {
      #expect(redirect(url).target(of: head, .file, from: client, httpsPort: 8443) == nil)
    }
  }

  @Test(
    "API requests, WebSockets, health checks and metrics are not redirected",
    arguments: [
      (.post, "/api/sessions"), (.get, "/api/limits"), (.get, "/api/sessions/AbCdEfGhIjKlMnOpQrStUw/socket"),
      (.get, "/healthz"), (.get, "/readyz"), (.get, "/metrics"), (.options, "/"), (.post, "/"),
    ] as [(HTTP.Method, String)])
  func otherRoutes(_ method: HTTP.Method, _ target: String) throws {
    let head = try #require(RequestHead(method, target, fields: ["Host": "draw.example"]))
    #expect(redirect().target(of: head, Route(head.path), from: client(head), httpsPort: 8443) == nil)
  }
}
