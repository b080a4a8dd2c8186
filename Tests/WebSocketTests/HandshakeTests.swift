import Testing
import WebSocket

@Suite("RFC 6455 §4: the opening handshake")
struct HandshakeTests {
  /// The request in RFC 6455 §1.3.
  static let fields: [HandshakeField] = [
    ("Host", "server.example.com"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Origin", "http://example.com"),
    ("Sec-WebSocket-Protocol", "chat, superchat"), ("Sec-WebSocket-Version", "13"),
  ]

  /// Returns the fields of the request in RFC 6455 §1.3, with changes. A field that `changes` names is replaced by one field for
  /// each of the new values. If `changes` has no value for the field, the field is removed.
  static func replacing(_ changes: [(name: String, values: [String])]) -> [HandshakeField] {
    let kept = fields.filter { field in !changes.contains { $0.name == field.name } }
    return kept + changes.flatMap { change in change.values.map { (change.name, $0) } }
  }

  @Test("RFC 6455 §1.3: the handshake in the RFC's example is accepted")
  func accepts() throws {
    let request = try UpgradeRequest.evaluate(method: "GET", minorVersion: 1, fields: Self.fields)
    #expect(request.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(request.subprotocols == ["chat", "superchat"])
    #expect(request.deflate == nil)
    #expect(
      request.responseFields(subprotocol: "chat").map { "\($0.name): \($0.value)" } == [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "Sec-WebSocket-Protocol: chat",
      ])
    #expect(request.responseFields().count == 3)
  }

  struct Variant: Sendable, CustomTestStringConvertible {
    let rule: String
    var method = "GET"
    var minorVersion = 1
    var changes: [(name: String, values: [String])] = []
    var error: UpgradeRequestError?
    var status = 101

    var testDescription: String { rule }
  }

  static let variants: [Variant] = [
    Variant(rule: "§4.2.1 3 the value of Upgrade in another case", changes: [("Upgrade", ["WebSocket"])]),
    Variant(
      rule: "RFC 9110 §7.8 websocket is one of several values of Upgrade",
      changes: [("Upgrade", ["h2c, websocket"])]),
    Variant(
      rule: "§4.2.1 4 upgrade is one of several values of Connection",
      changes: [("Connection", ["keep-alive, UPGRADE"])]),
    Variant(
      rule: "RFC 9110 §5.3 Connection in two fields", changes: [("Connection", ["keep-alive", "upgrade"])]),
    Variant(rule: "no subprotocol", changes: [("Sec-WebSocket-Protocol", [])]),
    Variant(rule: "§4.1 10 subprotocols in two fields", changes: [("Sec-WebSocket-Protocol", ["a", "b,c"])]),
    Variant(
      rule: "white space around the key",
      changes: [("Sec-WebSocket-Key", [" dGhlIHNhbXBsZSBub25jZQ==\t"])]),
    Variant(rule: "§4.1 2 POST", method: "POST", error: .methodNotGet, status: 405),
    Variant(rule: "§4.1 2 HTTP/1.0", minorVersion: 0, error: .httpVersionTooOld, status: 426),
    Variant(rule: "§4.2.1 3 no Upgrade", changes: [("Upgrade", [])], error: .notAnUpgrade, status: 426),
    Variant(
      rule: "§4.2.1 3 another value of Upgrade", changes: [("Upgrade", ["h2c"])], error: .notAnUpgrade,
      status: 426),
    Variant(
      rule: "§4.2.1 4 no Connection", changes: [("Connection", [])], error: .connectionWithoutUpgrade,
      status: 400),
    Variant(
      rule: "§4.2.1 4 another value of Connection", changes: [("Connection", ["keep-alive"])],
      error: .connectionWithoutUpgrade, status: 400),
    Variant(
      rule: "§4.4 no version", changes: [("Sec-WebSocket-Version", [])], error: .unsupportedVersion(""),
      status: 426),
    Variant(
      rule: "§4.4 version 8", changes: [("Sec-WebSocket-Version", ["8"])], error: .unsupportedVersion("8"),
      status: 426),
    Variant(
      rule: "§4.4 two versions", changes: [("Sec-WebSocket-Version", ["13", "8"])],
      error: .unsupportedVersion("13, 8"), status: 426),
    Variant(
      rule: "§4.2.1 5 no key", changes: [("Sec-WebSocket-Key", [])], error: .keyCount(0), status: 400),
    Variant(
      rule: "§11.3.1 two keys",
      changes: [("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="])],
      error: .keyCount(2), status: 400),
    Variant(
      rule: "§4.2.1 5 an empty key", changes: [("Sec-WebSocket-Key", [""])], error: .invalidKey(length: 0),
      status: 400),
    Variant(
      rule: "§4.2.1 5 a key of 15 bytes", changes: [("Sec-WebSocket-Key", ["AAAAAAAAAAAAAAAAAAAA"])],
      error: .invalidKey(length: 20), status: 400),
    Variant(
      rule: "§4.2.1 5 a key of 17 bytes", changes: [("Sec-WebSocket-Key", ["AAAAAAAAAAAAAAAAAAAAAAA="])],
      error: .invalidKey(length: 24), status: 400),
    Variant(
      rule: "§4.2.1 5 a key of 18 bytes", changes: [("Sec-WebSocket-Key", ["AAAAAAAAAAAAAAAAAAAAAAAA"])],
      error: .invalidKey(length: 24), status: 400),
    Variant(
      rule: "§4.2.1 5 a key that is not base64",
      changes: [("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25j*Q=="])],
      error: .invalidKey(length: 24), status: 400),
    Variant(
      rule: "§4.2.1 5 a key with padding inside",
      changes: [("Sec-WebSocket-Key", ["dGhlIHNh=XBsZSBub25jZQ=="])], error: .invalidKey(length: 24),
      status: 400),
    Variant(
      rule: "§4.2.1 5 a key with white space inside",
      changes: [("Sec-WebSocket-Key", ["dGhlIHNh XBsZSBub25jZQ=="])], error: .invalidKey(length: 24),
      status: 400),
    Variant(
      rule: "§4.1 10 a subprotocol named twice", changes: [("Sec-WebSocket-Protocol", ["a, b, a"])],
      error: .invalidSubprotocols, status: 400),
    Variant(
      rule: "§4.1 10 a subprotocol that is not a token", changes: [("Sec-WebSocket-Protocol", ["a b"])],
      error: .invalidSubprotocols, status: 400),
  ]

  @Test(
    "a server accepts a valid request, and refuses an invalid one with the expected error",
    arguments: variants)
  func evaluates(_ variant: Variant) {
    var found: UpgradeRequestError?
    do throws(UpgradeRequestError) {
      _ = try UpgradeRequest.evaluate(
        method: variant.method, minorVersion: variant.minorVersion, fields: Self.replacing(variant.changes))
    } catch {
      found = error
    }
    #expect(found == variant.error)
    guard let found else { return }
    #expect(found.status == variant.status)
    #expect(!found.reason.isEmpty)
    let isVersionNamed = found.responseFields.contains { $0 == ("Sec-WebSocket-Version", "13") }
    #expect(
      isVersionNamed == (variant.status == 426),
      "RFC 6455 §4.4: a response with status 426 names the supported version")
  }

  @Test("RFC 7692: compression is negotiated when the offers are in several fields")
  func deflate() throws {
    let offers = [
      "permessage-deflate; server_max_window_bits=8", "x, permessage-deflate; client_max_window_bits",
    ]
    let request = try UpgradeRequest.evaluate(
      method: "GET", minorVersion: 1, fields: Self.replacing([("Sec-WebSocket-Extensions", offers)]))
    let answer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    #expect(request.responseFields().contains { $0 == ("Sec-WebSocket-Extensions", answer) })
  }

  // MARK: - The client

  /// The key of §1.3 is the base64 of these bytes.
  static let attempt = UpgradeAttempt(
    subprotocols: ["chat", "superchat"], offersDeflate: true, nonce: Array("the sample nonce".utf8))

  @Test("RFC 6455 §4.1: a client's request has all required fields")
  func asks() {
    #expect(
      Self.attempt.requestFields.map { "\($0.name): \($0.value)" } == [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: chat, superchat",
        "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      ])
    let keys = (0..<4).map { _ in UpgradeAttempt().requestFields[2].value }
    #expect(Set(keys).count == 4, "a new key for each attempt")
    #expect(UpgradeAttempt().requestFields.count == 4)
  }

  struct Answer: Sendable, CustomTestStringConvertible {
    let rule: String
    var status = 101
    var changes: [(name: String, values: [String])] = []
    /// The negotiated subprotocol, or the expected error.
    let result: Result<String?, UpgradeResponseError>

    var testDescription: String { rule }
  }

  static let answer: [HandshakeField] = [
    ("upgrade", "websocket"), ("connection", "Upgrade"),
    ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
  ]

  static let answers: [Answer] = [
    Answer(rule: "no subprotocol is selected", result: .success(nil)),
    Answer(
      rule: "the value of Upgrade in another case", changes: [("upgrade", ["WebSocket"])],
      result: .success(nil)),
    Answer(
      rule: "an offered subprotocol is selected", changes: [("sec-websocket-protocol", ["superchat"])],
      result: .success("superchat")),
    Answer(rule: "another status", status: 410, result: .failure(.refused(status: 410))),
    Answer(rule: "no Upgrade", changes: [("upgrade", [])], result: .failure(.upgradeMissing)),
    Answer(
      rule: "another value of Upgrade", changes: [("upgrade", ["h2c"])], result: .failure(.upgradeMissing)),
    Answer(
      rule: "no upgrade in Connection", changes: [("connection", ["close"])],
      result: .failure(.connectionWithoutUpgrade)
    ),
    Answer(
      rule: "no Sec-WebSocket-Accept", changes: [("sec-websocket-accept", [])], result: .failure(.wrongAccept)
    ),
    Answer(
      rule: "the Sec-WebSocket-Accept of another key",
      changes: [("sec-websocket-accept", ["HSmrc0sMlYUkAGmm5OPpG2HaGWk="])], result: .failure(.wrongAccept)),
    Answer(
      rule: "a subprotocol that was not offered", changes: [("sec-websocket-protocol", ["other"])],
      result: .failure(.subprotocolNotOffered("other"))),
    Answer(
      rule: "two subprotocols", changes: [("sec-websocket-protocol", ["chat", "superchat"])],
      result: .failure(.subprotocolNotOffered("chat, superchat"))),
    Answer(
      rule: "an extension that was not offered", changes: [("sec-websocket-extensions", ["other"])],
      result: .failure(.unacceptableExtension("other"))),
  ]

  @Test(
    "RFC 6455 §4.1: a client accepts a valid response, and refuses an invalid one with the expected error",
    arguments: answers)
  func judges(_ example: Answer) {
    let kept = Self.answer.filter { field in !example.changes.contains { $0.name == field.name } }
    let fields: [HandshakeField] =
      kept + example.changes.flatMap { change in change.values.map { (change.name, $0) } }
    let result = Result { () throws(UpgradeResponseError) in
      try Self.attempt.check(status: example.status, fields: fields).subprotocol
    }
    #expect(result == example.result)
  }

  @Test("a response with compression is accepted only if the client offered it")
  func deflateNotOffered() {
    let value = "permessage-deflate; server_no_context_takeover"
    let attempt = UpgradeAttempt(nonce: Array("the sample nonce".utf8))
    let fields = Self.answer + [("sec-websocket-extensions", value)]
    #expect(throws: UpgradeResponseError.unacceptableExtension(value)) {
      try attempt.check(status: 101, fields: fields)
    }
    #expect(throws: Never.self) { try Self.attempt.check(status: 101, fields: fields) }
  }

  @Test("the client and the server of this module complete an opening handshake with each other")
  func both() throws {
    let attempt = UpgradeAttempt(subprotocols: ["drawtogether.v1"], offersDeflate: true)
    let request = try UpgradeRequest.evaluate(method: "GET", minorVersion: 1, fields: attempt.requestFields)
    let agreement = try attempt.check(
      status: 101, fields: request.responseFields(subprotocol: "drawtogether.v1"))
    #expect(agreement.subprotocol == "drawtogether.v1")
    #expect(agreement.deflate == request.deflate)
    #expect(agreement.deflate != nil)
  }
}
