import FoundationEssentials
import Testing
import Networking
import Platform
import Wire

@testable import SessionClient

/// Servers that are not gateways, and faulty gateways.
@Suite("Servers whose responses are invalid, slow or missing")
struct InvalidServerTests {
  struct Answer: CustomTestStringConvertible {
    let text: String
    let failure: String

    var testDescription: String { text.isEmpty ? "nothing" : String(text.prefix(40)) }
  }

  private static let session = SessionID(high: 1, low: 2)

  /// Reads a request up to the empty line after its head.
  static func readHead(_ stream: BlockingStream) throws -> String {
    var bytes: [UInt8] = []
    while true {
      bytes += try stream.receive()
      let text = String(decoding: bytes, as: UTF8.self)
      if text.contains("\r\n\r\n") { return text }
    }
  }

  @Test(
    "Invalid responses are reported with an error text",
    arguments: [
      Answer(text: "", failure: "closed the connection without a response"),
      Answer(text: "HTTP/1.1 200 OK\r\nContent-Le", failure: "in the middle of the response"),
      Answer(
        text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", failure: "in the middle of the response"),
      Answer(text: "SSH-2.0-OpenSSH_9\r\n", failure: "is not a gateway: The first line is not a status line"),
      Answer(
        text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", failure: "its JSON response cannot be decoded"
      ),
      Answer(
        text: "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
        failure: "The body of 99999999 bytes is over the limit of 1048576."),
      Answer(
        text: "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nNo",
        failure: "is not a gateway: it responds with 404 Not Found"),
      Answer(
        text: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", failure: "a proxy in front of"),
      Answer(
        text: "HTTP/1.1 308 Permanent Redirect\r\nLocation: https://127.0.0.1/x\r\nContent-Length: 0\r\n\r\n",
        failure: "requires https: use its address https://127.0.0.1"),
      Answer(
        text: "HTTP/1.1 302 Found\r\nLocation: https://login.example/x\r\nContent-Length: 0\r\n\r\n",
        failure: "redirects to https://login.example, which may be the gateway's address"),
      Answer(
        text: "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
        failure: "redirects, but a gateway never redirects (302 Found)"),
      Answer(
        text: "HTTP/1.1 451 No\r\nContent-Type: application/problem+json\r\nContent-Length: 45\r\n\r\n"
          + #"{"code":"not-here","detail":"Not here, sir."} "#,
        failure: "the gateway refused the request: Not here, sir. (not-here)"),
    ])
  func answers(_ answer: Answer) async throws {
    let server = try ScriptedServer { _, stream in
      _ = try Self.readHead(stream)
      try stream.send(Array(answer.text.utf8))
    }
    defer { server.stop() }
    let api = try GatewayAPI.withoutRetries(server.address)
    let failure = try await #require(throws: SessionClientError.self) { try await api.session(Self.session) }
    #expect(failure.description.contains(answer.failure))
  }

  @Test("A request to a server that sends no response times out, and `isReady` returns false")
  func silence() async throws {
    let server = try ScriptedServer { _, stream in
      _ = try Self.readHead(stream)
      // Reads until the client closes the connection.
      try stream.drain()
    }
    defer { server.stop() }
    let api = try GatewayAPI.withoutRetries(server.address) {
      $0.response = .milliseconds(30)
      $0.readiness = .milliseconds(30)
    }
    let failure = try await #require(throws: SessionClientError.self) { try await api.session(Self.session) }
    #expect(failure.description.contains("sent no response within"))
    let waiting = try GatewayAPI.withoutRetries(server.address) { $0.readiness = .milliseconds(30) }
    #expect(await !waiting.isReady())
  }

  @Test("An upload to a server that reads no bytes times out")
  func stalledBody() async throws {
    // The kernel accepts the connection and fills its buffers; no program reads them.
    let listener = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
    let api = try GatewayAPI.withoutRetries(listener.address) { $0.stall = .milliseconds(30) }
    let run = try UploadTransfer(
      of: NewAttachment(
        contentType: "text/plain", metadata: nil, content: TestContent.bytes(30_000_000, seed: 1)),
      to: Self.session, as: nil, by: api)
    let failure = try await #require(throws: SessionClientError.self) { try await run.send(from: 0) }
    #expect(failure.description.contains("accepted less than 4096 bytes in"))
  }

  /// The HTTP exchange in which a server reports an upload's offset.
  enum Place: CaseIterable {
    case creation
    case head
    case mismatch
    case end
  }

  @Test(
    "A server that states an upload offset above the upload's size is reported as not being a gateway",
    arguments: [21, UInt64.max], Place.allCases)
  func impossibleOffset(_ offset: UInt64, _ place: Place) async throws {
    let content = TestContent.bytes(20, seed: 1)
    let id = UUID()
    let server = try ScriptedServer { _, stream in
      let head = try Self.readHead(stream)
      let answer: (status: String, fields: String, body: String)
      switch head.prefix(while: { $0 != " " }) {
      case "POST":
        let object = AttachmentObject(
          id: id, name: "a", contentType: "text/plain", size: 20, sha256: nil, metadata: nil,
          participant: nil, state: .uploading, offset: place == .creation ? offset : 0,
          createdAt: Date(timeIntervalSince1970: 0), url: "")
        answer = ("201 Created", "", String(decoding: object.encoded(), as: UTF8.self))
      case "HEAD": answer = ("200 OK", "Upload-Offset: \(offset)\r\n", "")
      default:
        let problem = #"{"code":"offset-mismatch","detail":"No.","offset":\#(offset)}"#
        answer =
          switch place {
          case .end: ("204 No Content", "Upload-Offset: \(offset)\r\n", "")
          case .mismatch: ("409 Conflict", "Content-Type: application/problem+json\r\n", problem)
          // For `creation` and `head`, the response to an earlier request has already reported the invalid offset.
          case .creation, .head: ("503 Service Unavailable", "", "")
          }
      }
      let length = answer.status.hasPrefix("204") ? "" : "Content-Length: \(answer.body.utf8.count)\r\n"
      try stream.send(
        Array("HTTP/1.1 \(answer.status)\r\n\(answer.fields)\(length)\r\n\(answer.body)".utf8))
      try stream.drain()
    }
    defer { server.stop() }
    let api = try GatewayAPI.withShortDelays(server.address)
    let attachment = NewAttachment(id: id, contentType: "text/plain", metadata: nil, content: content)
    let failure = try await #require(throws: SessionClientError.self) {
      try await api.add(attachment, to: Self.session, as: nil).finish()
    }
    guard case .noGateway(let words) = failure else { throw failure }
    #expect(words.contains("\(offset) received bytes for an upload of 20 bytes"))
  }

  /// A download above the limit: the attachment's stated size, a response field, and the expected words of the error.
  struct Large: CustomTestStringConvertible {
    var size: UInt64?
    var field = ""
    let words: String

    var testDescription: String { "\(String(describing: size)) \(field.prefix(30))" }
  }

  @Test(
    "A download above the limit fails, whether or not the attachment or Content-Length states its size",
    arguments: [
      Large(words: "the limit is 100000"),
      Large(field: "Content-Length: 100001\r\n", words: "has 100001 bytes or more; the limit is 100000"),
      Large(
        field: "Content-Length: 18446744073709551615\r\n", words: "or more; the limit is 100000"),
      Large(size: 100_001, words: "has 100001 bytes or more; the limit is 100000"),
      Large(size: .max, words: "the limit is 100000"),
      Large(size: 99_999, words: "bytes for an attachment of 99999 bytes"),
    ])
  func largeContent(_ large: Large) async throws {
    let server = try ScriptedServer { _, stream in
      _ = try Self.readHead(stream)
      try stream.send(Array("HTTP/1.1 200 OK\r\n\(large.field)\r\n".utf8))
      // The response has no end.
      while true { try stream.send([UInt8](repeating: 7, count: 65_536)) }
    }
    defer { server.stop() }
    let api = try GatewayAPI.withoutRetries(server.address)
    var object = try InterruptedTransferTests.object(Data(), sha256: nil)
    object.size = large.size
    let failure = try await #require(throws: SessionClientError.self) {
      try await api.load(object, of: Self.session, limit: 100_000)
    }
    #expect(failure.description.contains(large.words), "\(failure)")
    if large.size ?? 0 > 100_000 { #expect(server.count == 0) }
  }

  @Test("A response that arrives too slowly, byte by byte, times out", arguments: [false, true])
  func trickle(hasHead: Bool) async throws {
    let server = try ScriptedServer { _, stream in
      _ = try Self.readHead(stream)
      try stream.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n".utf8))
      if hasHead { try stream.send(Array("\r\n".utf8)) }
      // Bytes keep arriving, but much more slowly than the client requires.
      let silent = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
      while true {
        try stream.send(Array((hasHead ? "a" : "A: b\r\n").utf8))
        _ = try Socket(silent.descriptor).wait(until: .readable, atMost: .milliseconds(3))
      }
    }
    defer { server.stop() }
    let api = try GatewayAPI.withoutRetries(server.address) {
      $0.response = hasHead ? TestTimeout.limit : .milliseconds(30)
      $0.stall = hasHead ? .milliseconds(30) : TestTimeout.limit
    }
    let failure = try await #require(throws: SessionClientError.self) { try await api.session(Self.session) }
    #expect(
      failure.description.contains(
        hasHead ? "sent less than 4096 bytes of its response in" : "sent no response within"))
  }

  @Test("A name lookup without an answer times out, and delays no requests to other hosts")
  func hangingNames() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let isOver = Guarded(false)
    let asked = Guarded<[String]>([])
    let lookups = AddressResolver { (name) throws(AddressError) in
      asked.withLock { $0.append(name) }
      // Behaves like a resolver whose DNS servers do not answer.
      try? TestTimeout.block(until: "the end of the test") { isOver.withLock { $0 } }
      throw .hostHasNoAddress
    }
    let threads = RequestThreadPool(limit: 2, transferLimit: 1)
    let (socket, times) = (gateway.http, RequestTimeouts())
    func api(_ host: String, within limit: Duration) throws -> GatewayAPI {
      var times = times
      times.connect = limit
      times.shortRetry = .zero
      let url = try #require(URL(string: "http://\(host):\(socket.port)"))
      return try GatewayAPI(GatewayAddress(url), timeouts: times, threads: threads, lookups: lookups)
    }
    let names = ["one.example", "two.example", "three.example"]
    let hanging = try names.flatMap { name in
      let api = try api(name, within: TestTimeout.limit)
      return (0..<3).map { _ in Task { try await api.session(session) } }
    }
    try await TestTimeout.wait(for: "all names to be looked up") { asked.withLock { $0.count } == 3 }
    #expect(try await api("127.0.0.1", within: .seconds(10)).session(session).id == session)
    let brief = try api("one.example", within: .milliseconds(5))
    let failure = try await #require(throws: SessionClientError.self) { try await brief.session(session) }
    #expect(failure.description.contains("the address of http://one.example:\(socket.port) was not resolved"))
    for task in hanging { task.cancel() }
    for task in hanging { await #expect(throws: SessionClientError.cancelled) { try await task.value } }
    #expect(asked.withLock { $0.count } == 3, "one thread for each name")
    isOver.withLock { $0 = true }
  }

  @Test(
    "If the server refuses a request before the client has sent the whole body, the client reads the refusal and stops sending"
  )
  func earlyAnswer() async throws {
    let received = Guarded(0)
    let problem = #"{"code":"attachment-too-large","detail":"Enough.","limit":5,"actual":7}"#
    let server = try ScriptedServer { _, stream in
      _ = try Self.readHead(stream)
      try stream.send(
        Array(
          ("HTTP/1.1 413 Content Too Large\r\nContent-Type: application/problem+json\r\nConnection: close\r\n"
            + "Content-Length: \(problem.utf8.count)\r\n\r\n\(problem)").utf8))
      while true {
        let count = try stream.receive().count
        received.withLock { $0 += count }
      }
    }
    defer { server.stop() }
    let api = try GatewayAPI.withoutRetries(server.address)
    let run = try UploadTransfer(
      of: NewAttachment(
        contentType: "text/plain", metadata: nil, content: TestContent.bytes(30_000_000, seed: 1)),
      to: Self.session, as: nil, by: api)
    let failure = try await #require(throws: SessionClientError.self) { try await run.send(from: 0) }
    guard case .refused(let refusal) = failure else { throw failure }
    #expect(refusal.code == .attachmentTooLarge && refusal.limit == 5 && refusal.actual == 7)
    #expect(received.withLock { $0 } < 20_000_000)
  }
}
