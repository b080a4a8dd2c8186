import FoundationEssentials
import Gateway
import Testing
import Platform
import Wire

@testable import SessionClient

/// Refusals of a gateway and connection failures, with texts that name a remedy.
@Suite("Refusals of the gateway and connection failures are reported with their cause")
struct RefusalTests {
  private static let unknown = SessionID(high: 1, low: 2)

  private static func refusal(_ body: () async throws -> Void) async throws -> Refusal {
    let failure = try await #require(throws: SessionClientError.self) { try await body() }
    guard case .refused(let refusal) = failure else { throw failure }
    #expect(failure.description == "the gateway refused the request: \(refusal.detail)")
    return refusal
  }

  @Test("An unknown session and an ended session are reported differently")
  func sessions() async throws {
    let gateway = try LocalGateway()
    let api = GatewayAPI(try gateway.address())
    #expect(try await Self.refusal { _ = try await api.session(Self.unknown) }.code == .notFound)
    let member = try TestMember(try await gateway.makeSession(), at: gateway.address())
    member.membership.end()
    await member.membership.finish()
    let ended = member.membership.session
    #expect(try await Self.refusal { _ = try await api.session(ended) }.code == .ended)
    let content = TestContent.bytes(10, seed: 1)
    for session in [Self.unknown, ended] {
      let refusal = try await Self.refusal { _ = try await api.put(content, to: session) }
      #expect(refusal.httpStatus == (session == ended ? 410 : 404))
    }
    try await api.remove(UUID(), of: Self.unknown)
  }

  @Test(
    "The download of a file that is damaged on the gateway's disk is refused with this reason, and is not tried again"
  )
  func damaged() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let api = try GatewayAPI.withShortDelays(gateway.http)
    let object = try await api.put(TestContent.bytes(1_000, seed: 5), to: session)
    let digest = try #require(object.sha256)
    let file = "\(gateway.folder)/data/sessions/\(session.text)/attachments/\(digest)"
    try Data("other bytes".utf8).write(to: URL(filePath: file))
    let refusal = try await Self.refusal { _ = try await api.load(object, of: session) }
    #expect(refusal.damaged == true && refusal.httpStatus == 500)
  }

  @Test(
    "A participant that has left can create a successor; a second request returns the same successor; an unknown token gets 403"
  )
  func successor() async throws {
    let gateway = try LocalGateway()
    let api = GatewayAPI(try gateway.address())
    let old = try await gateway.makeSession()
    let member = try TestMember(old, at: gateway.address())
    let token = try #require(member.membership.token)
    await member.leave()
    var activity = Activity(identifier: "DrawTogether", title: "Anew", type: "generic")
    activity.payload = .object(["board": .integer(2)])
    let first = try await api.makeSession(activity, following: (old, token))
    let second = try await api.makeSession(.standard, following: (old, token))
    #expect(first.id == second.id && first.id != old && second.activity == activity)
    let stranger = Token(high: 3, low: 4)
    let refusal = try await Self.refusal {
      _ = try await api.makeSession(.standard, following: (old, stranger))
    }
    #expect(refusal.code == .tokenNeeded && refusal.httpStatus == 403)
  }

  @Test(
    "An upload whose size exceeds a limit is refused, and the refusal states the limit and the actual size")
  func limits() async throws {
    let gateway = try LocalGateway {
      $0.limits.attachmentBytes = 400_000
      $0.limits.sessionAttachmentBytes = 500_000
    }
    let api = try GatewayAPI.withShortDelays(gateway.http)
    let session = try await gateway.makeSession()
    let tooLarge = try await Self.refusal {
      _ = try await api.put(TestContent.bytes(400_001, seed: 1), to: session)
    }
    #expect(tooLarge.code == .attachmentTooLarge && tooLarge.limit == 400_000 && tooLarge.actual == 400_001)
    let first = try await api.put(TestContent.bytes(400_000, seed: 1), to: session)
    let overQuota = try await Self.refusal {
      _ = try await api.put(TestContent.bytes(200_000, seed: 2), to: session)
    }
    #expect(overQuota.code == .sessionQuota && overQuota.httpStatus == 413)
    for count in [5_000, 50_000] {
      let metadata = [UInt8](WireJSON.encode(JSONValue.string(String(repeating: "x", count: count))))
      let refusal = try await Self.refusal {
        _ = try await api.add(
          NewAttachment(contentType: "text/plain", metadata: metadata, content: Data([1])), to: session,
          as: nil)
      }
      #expect(refusal.limit == 4_096 && refusal.actual == UInt64(count + 2))
    }
    let otherLength = try await Self.refusal {
      _ = try await api.put(TestContent.bytes(7, seed: 1), to: session, id: first.id)
    }
    #expect(otherLength.detail.contains("already exists with 400000 bytes; the new content has 7"))
    let stranger = try await Self.refusal {
      _ = try await api.add(
        NewAttachment(contentType: "text/plain", metadata: nil, content: Data([1])), to: session,
        as: Token(high: 1, low: 1))
    }
    #expect(stranger.code == .tokenNeeded)
    #expect(try await api.attachments(of: session).map(\.id) == [first.id])
  }

  @Test(
    "If an attachment is removed during its upload, the upload fails, and the attachment cannot be loaded")
  func removed() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let proxy = try CuttingProxy(to: gateway.http, cutting: (1, 100_000...200_000))
    try proxy.start()
    defer { proxy.stop() }
    let api = try GatewayAPI.withShortDelays(proxy.address)
    let direct = try GatewayAPI.withShortDelays(gateway.http)
    let upload = try await api.add(
      NewAttachment(
        contentType: "text/plain", metadata: nil, content: TestContent.bytes(80_000_000, seed: 1)),
      to: session, as: nil)
    #expect(
      try await Self.refusal { _ = try await direct.load(upload.attachment, of: session) }.code == .notReady)
    try await direct.remove(upload.attachment.id, of: session)
    #expect(try await Self.refusal { try await upload.finish() }.code == .notFound)
    #expect(
      try await Self.refusal { _ = try await direct.load(upload.attachment, of: session) }.code == .notFound)
  }

  @Test("The error text names the address if its port is closed or its host name is unknown")
  func unreachable() async throws {
    let gateway = try LocalGateway()
    let address = gateway.http
    #expect(await GatewayAPI(try gateway.address()).isReady())
    gateway.stop()
    let api = try GatewayAPI.withoutRetries(address)
    #expect(await !api.isReady())
    let failure = try await #require(throws: SessionClientError.self) { try await api.session(Self.unknown) }
    #expect(failure.description == "http://\(address) (\(address)) cannot be reached: Connection refused")
    let nowhere = try GatewayAddress(#require(URL(string: "http://gateway.invalid:8080")))
    var timeouts = RequestTimeouts()
    timeouts.shortRetry = .zero
    let lost = try await #require(throws: SessionClientError.self) {
      try await GatewayAPI(nowhere, timeouts: timeouts).session(Self.unknown)
    }
    guard case .unreachable(let words) = lost else { throw lost }
    #expect(words.hasPrefix("http://gateway.invalid:8080 names a host that was not found: "))
  }

  @Test("The error text names the cause if a certificate is untrusted or if only one side uses TLS")
  func trust() async throws {
    let (gateway, other) = try (LocalGateway(), LocalGateway())
    for certificates in [nil, other.certificates] {
      let address = try LocalGateway.address(of: gateway.https, isSecure: true, certificates: certificates)
      let failure = try await #require(throws: SessionClientError.self) {
        try await GatewayAPI(address).session(Self.unknown)
      }
      guard case .notTrusted(let words) = failure else { throw failure }
      #expect(words.hasPrefix("https://\(gateway.https) is not trusted: "))
      #expect(words.contains(certificates ?? "DRAWTOGETHER_GATEWAY_CERTIFICATES"))
    }
    let missing = try LocalGateway.address(
      of: gateway.https, isSecure: true, certificates: gateway.folder + "/none.pem")
    let unusable = try await #require(throws: SessionClientError.self) {
      try await GatewayAPI(missing).session(Self.unknown)
    }
    guard case .notTrusted(let words) = unusable else { throw unusable }
    #expect(words.contains(gateway.folder + "/none.pem"))
    var withoutRetries = RequestTimeouts()
    withoutRetries.shortRetry = .zero
    let plain = try LocalGateway.address(of: gateway.http, isSecure: true)
    let mute = try await #require(throws: SessionClientError.self) {
      try await GatewayAPI(plain, timeouts: withoutRetries).session(Self.unknown)
    }
    guard case .noGateway(let question) = mute else { throw mute }
    #expect(question.hasSuffix("does its address begin with http://?"))
    let insecure = try await #require(throws: SessionClientError.self) {
      try await GatewayAPI.withoutRetries(gateway.https).session(Self.unknown)
    }
    #expect(insecure.description.contains("Open https://\(gateway.https)/"))
  }
}
