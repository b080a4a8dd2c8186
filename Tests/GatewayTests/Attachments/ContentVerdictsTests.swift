import FoundationEssentials
import Glibc
import Storage
import Testing
import Networking
import Wire
import TestSupport

@testable import Gateway

/// The recorded results of content checks, with the identities (`ContentMark`) of real files.
@Suite("A verdict on a content applies only to the file that was checked")
final class ContentVerdictsTests {
  private let path =
    FileManager.default.temporaryDirectory.path + "/drawtogether-verdicts-\(UUID().uuidString)"
  private let folder: AttachmentFolder
  private let digest: String
  private let content: ContentID

  init() throws {
    let session = SessionID(high: 1, low: 2)
    folder = try DataFolder(opening: path).attachments(of: session)
    try folder.make()
    digest = Content.digest([1, 2, 3])
    content = ContentID(session: session, digest: digest)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Creates the file of the content, or replaces it, and returns the identity of the new file.
  private func place() throws -> ContentMark {
    let id = UUID()
    let file = try folder.createUpload(id)
    try file.append([1, 2, 3].span)
    _ = try file.finish(syncs: false)
    return try #require(try folder.place(id, as: digest, syncs: false))
  }

  private func finding(_ mark: ContentMark?, in verdicts: ContentVerdicts) -> ContentFinding {
    ContentFinding(damage: .missing, mark: mark, revision: verdicts.revision(of: content))
  }

  @Test("A verdict applies to the file that was checked, and not to its replacement")
  func marks() throws {
    let verdicts = ContentVerdicts()
    let (first, second) = (try place(), try place())
    #expect(first != second)
    #expect(try folder.openContent(digest).mark == second)
    #expect(verdicts.verdict(on: content, first) == nil)
    verdicts.noteIntact(content, first, asOf: 0)
    #expect(verdicts.verdict(on: content, first) == .intact)
    #expect(verdicts.verdict(on: content, second) == nil)
    #expect(verdicts.verdict(on: content, nil) == nil)
    #expect(verdicts.noteDamaged(content, finding(nil, in: verdicts)) == .noted)
    #expect(verdicts.verdict(on: content, nil) == .damaged && verdicts.isDamaged(content))
    #expect(verdicts.verdict(on: content, second) == nil)
  }

  @Test("The same damage is recorded only once; a new file that replaces a damaged content counts as intact")
  func damage() throws {
    let verdicts = ContentVerdicts()
    let mark = try place()
    #expect(verdicts.noteDamaged(content, finding(mark, in: verdicts)) == .noted)
    #expect(verdicts.noteDamaged(content, finding(mark, in: verdicts)) == .known)
    let placed = try place()
    verdicts.notePlaced(content, placed)
    #expect(!verdicts.isDamaged(content) && verdicts.verdict(on: content, placed) == .intact)
  }

  @Test("The result of a content check is dropped if the file was replaced during the check")
  func placedMeanwhile() throws {
    let verdicts = ContentVerdicts()
    let mark = try place()
    let found = finding(mark, in: verdicts)
    let placed = try place()
    verdicts.notePlaced(content, placed)
    #expect(verdicts.noteDamaged(content, found) == .superseded)
    verdicts.noteIntact(content, mark, asOf: found.revision)
    #expect(verdicts.verdict(on: content, placed) == .intact)
  }

  @Test("If there are more verdicts than the limit allows, the oldest verdicts are forgotten")
  func limit() throws {
    let verdicts = ContentVerdicts(limit: 10)
    let mark = try place()
    let contents = (0..<100).map { ContentID(session: SessionID(high: 0, low: $0), digest: digest) }
    for content in contents { verdicts.notePlaced(content, mark) }
    #expect(contents.map { verdicts.verdict(on: $0, mark) != nil } == (0..<100).map { $0 >= 90 })
    // After nine more verdicts on the last content, this content still has a verdict: the newest one.
    for _ in 0..<9 { verdicts.notePlaced(contents[99], mark) }
    #expect(verdicts.verdict(on: contents[99], mark) == .intact)
  }

  @Test("Many verdicts on the same content count as one verdict: the newest")
  func repeated() throws {
    let verdicts = ContentVerdicts(limit: 10)
    let mark = try place()
    let contents = (0..<11).map { ContentID(session: SessionID(high: 0, low: $0), digest: digest) }
    for content in contents.prefix(10) { verdicts.notePlaced(content, mark) }
    for _ in 0..<100 { verdicts.notePlaced(contents[0], mark) }
    #expect(contents.prefix(10).allSatisfy { verdicts.verdict(on: $0, mark) == .intact })
    verdicts.notePlaced(contents[10], mark)
    #expect(contents.map { verdicts.verdict(on: $0, mark) != nil } == (0..<11).map { $0 != 1 })
  }

  @Test("Verdicts of intact contents and verdicts of damaged contents do not displace each other")
  func kinds() throws {
    let verdicts = ContentVerdicts(limit: 10)
    let mark = try place()
    #expect(verdicts.noteDamaged(content, finding(nil, in: verdicts)) == .noted)
    let others = (0..<11).map { ContentID(session: SessionID(high: 0, low: $0), digest: digest) }
    for other in others { verdicts.notePlaced(other, mark) }
    #expect(verdicts.isDamaged(content) && verdicts.verdict(on: others[0], mark) == nil)
    for other in others {
      let finding = ContentFinding(damage: .missing, mark: nil, revision: verdicts.revision(of: other))
      #expect(verdicts.noteDamaged(other, finding) == .noted)
    }
    #expect(!verdicts.isDamaged(content) && !verdicts.isDamaged(others[0]) && verdicts.isDamaged(others[1]))
    verdicts.notePlaced(others[1], mark)
    #expect(!verdicts.isDamaged(others[1]) && verdicts.verdict(on: others[1], mark) == .intact)
  }
}

extension OverSockets {
  @Suite("ContentVerifier verifies each content once, with limits on the waiting requests")
  struct ContentVerifierTests {
    /// Starts a gateway that has not verified any attachment of a session.
    private static func fresh(
      _ bytes: [UInt8], idleSeconds: Int = 0
    ) throws -> (gateway: RunningGateway, session: SessionID, attachment: UUID) {
      let first = try RunningGateway(RunningGateway.forgetful)
      let (session, id) = (try first.makeSession(), UUID())
      #expect(try JournalClient(first, session).add(id, bytes).status == 201)
      let gateway = try first.restart(.drained) { $0.limits.sessionIdleSeconds = idleSeconds }
      return (gateway, session, id)
    }

    @Test("Content is verified once, even if its session is unloaded and loaded again")
    func once() async throws {
      let bytes = Content.bytes(2_500_000, seed: 7)
      let (gateway, session, id) = try Self.fresh(bytes)
      let client = try JournalClient(gateway, session)
      #expect(try client.http.ask("HEAD", client.path(of: id)).status == 200)
      for _ in 0..<2 {
        try await gateway.wait(for: "the session is unloaded", of: session) { $0 == nil }
        // The thread that verifies contents is blocked, so only verified content can be read.
        let hold = Hold(on: gateway.gateway.shared.fileThreads.verifying)
        defer { hold.release() }
        #expect(try client.read(id).body == bytes)
        let unchanged = try client.http.ask(
          "GET", client.path(of: id), ["If-None-Match": "\"\(Content.digest(bytes))\""])
        #expect(unchanged.status == 304)
      }
    }

    @Test(
      "A full verification queue accepts a new client's request, and refuses a waiting request of another client"
    )
    func full() async throws {
      let gateway = try RunningGateway(RunningGateway.forgetful)
      let session = SessionID(high: 0, low: 1)
      // 64 requests from each of 16 addresses, and one from another address.
      let asks = (0..<1_025).map { number -> (content: ContentID, address: UInt32) in
        let digest = Content.digest([UInt8(number / 64), UInt8(number % 64)])
        return (ContentID(session: session, digest: digest), UInt32(number / 64 + 1))
      }
      var outcomes: [ContentVerifier.Outcome] = []
      for check in await gateway.gateway.shared.verifier.start(asks) { outcomes.append(await check.value) }
      let refusals = outcomes.compactMap { outcome -> Refusal? in
        guard case .refused(let refusal) = outcome else { return nil }
        return refusal
      }
      #expect(refusals.map(\.code) == [.tooMany] && refusals.first?.retryAfterMs == 2_000)
      guard case .damaged = outcomes[1_024] else {
        Issue.record("The request of the new client has the outcome \(outcomes[1_024])")
        return
      }
    }

    @Test("The verification of a content continues while the session of the content is unloaded")
    func survives() async throws {
      let bytes = Content.bytes(2_500_000, seed: 8)
      let (gateway, session, id) = try Self.fresh(bytes, idleSeconds: TestTimeout.briefSeconds)
      let client = try JournalClient(gateway, session)
      let hold = Hold(on: gateway.gateway.shared.fileThreads.verifying)
      try client.stream.send(client.http.head("GET", client.path(of: id)))
      try await gateway.wait(for: "the session is loaded", of: session) { $0 != nil }
      try await gateway.wait(for: "the session is unloaded", of: session) { $0 == nil }
      hold.release()
      let answer = try client.http.response()
      #expect(answer.status == 200 && answer.body == bytes)
    }
  }
}

extension ContentVerifier {
  /// Requests the verification of all contents before the first verification begins.
  fileprivate func start(_ asks: [(content: ContentID, address: UInt32)]) -> [Task<Outcome, Never>] {
    asks.map { ask in
      Task { await self.verify(ask.content, size: 1, for: IPAddress(v4: ask.address)) }
    }
  }
}
