import HTTP
import Testing

@testable import Gateway

@Suite("Referrers of the gateway's own page and of other sites")
struct OriginsTests {
  private func isElsewhere(_ referrer: String?, forwarded: String? = nil, publicURL: String? = nil) throws
    -> Bool
  {
    var configuration = GatewayConfiguration()
    configuration.publicURL = publicURL.flatMap { WebOrigin($0) }
    var fields: FieldList = ["Host": "gateway.test"]
    if let referrer { fields.append("Referer", referrer) }
    let head = try #require(RequestHead(.get, "/", fields: fields))
    return Origins(configuration).isCrossSiteReferral(
      head, forwarded: forwarded.flatMap { Authority($0) })
  }

  @Test(
    "A referrer counts as the gateway's own page if its host and port are those of the request",
    arguments: [
      ("https://google.com/", true), ("http://gateway.test:8080/", true),
      ("https://gateway.test/s/a?b", false), ("https://gateway.test:443/", false),
      ("HTTPS://GATEWAY.TEST", false), ("about:client", true), ("", true), ("//gateway.test/", false),
      ("https://gateway.test.example/", true), ("https://user@gateway.test/", true), (nil, false),
    ])
  func requestedHost(_ referrer: String?, _ isElsewhere: Bool) throws {
    #expect(try self.isElsewhere(referrer) == isElsewhere)
  }

  @Test(
    "A referrer with the forwarded host or the host of the public URL counts as the gateway's own page",
    arguments: [
      ("https://draw.example:8443/s/a", false), ("https://gateway.test/", false),
      ("https://draw.example/", true), ("https://evil.example:8443/", true),
    ])
  func forwardedHost(_ referrer: String, _ isElsewhere: Bool) throws {
    #expect(try self.isElsewhere(referrer, forwarded: "draw.example:8443") == isElsewhere)
    #expect(try self.isElsewhere(referrer, publicURL: "https://draw.example:8443") == isElsewhere)
  }
}
