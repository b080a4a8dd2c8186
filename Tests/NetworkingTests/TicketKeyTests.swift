import Testing
import Networking

@Suite("The keys of session tickets")
struct TicketKeyTests {
  private let contexts: TLSFixture.Contexts

  init() throws {
    contexts = try TLSFixture.Contexts()
  }

  /// Connects and returns the session that the client may resume.
  private func session(
    _ server: TLSServerContext, _ client: TLSClientContext, resuming session: TLSSession? = nil
  ) throws -> (next: TLSSession, wasResumed: Bool) {
    var pair = TLSPair(
      client: client.makeConnection(to: "localhost", resuming: session), server: server.makeConnection())
    try pair.exchange()
    #expect(pair.client.isHandshakeComplete && pair.server.wasResumed == pair.client.wasResumed)
    // A session without a close_notify cannot be resumed.
    pair.client.close(into: &pair.toServer)
    return (try #require(pair.client.session), pair.server.wasResumed)
  }

  @Test("A ticket is valid while its key is one of the three newest keys", arguments: TLSVersion.allCases)
  func rotation(_ version: TLSVersion) throws {
    let server = try contexts.server()
    let client = try contexts.client(version...version)
    let (ticket, _) = try session(server, client)
    #expect(try session(server, client, resuming: ticket).wasResumed)
    for age in 1...4 {
      #expect(server.rotateTicketKeys())
      #expect(try session(server, client, resuming: ticket).wasResumed == (age < 3), "after \(age) new keys")
    }
    let (fresh, _) = try session(server, client)
    #expect(try session(server, client, resuming: fresh).wasResumed)
  }

  @Test(
    "A client that resumes with a ticket of an old key gets a ticket of the newest key",
    arguments: TLSVersion.allCases)
  func renewal(_ version: TLSVersion) throws {
    let server = try contexts.server()
    let client = try contexts.client(version...version)
    var ticket = try session(server, client).next
    for _ in 0..<6 {
      #expect(server.rotateTicketKeys())
      let resumed = try session(server, client, resuming: ticket)
      #expect(resumed.wasResumed)
      ticket = resumed.next
    }
  }

  @Test("After the certificate is replaced, neither the old nor the new context resumes earlier sessions")
  func replacement() throws {
    let former = try contexts.server()
    let client = try contexts.client()
    let holder = TLSServerContextHolder(former)
    let (ticket, _) = try session(holder.current, client)
    holder.replace(with: try contexts.server())
    #expect(try !session(holder.current, client, resuming: ticket).wasResumed)
    #expect(try !session(former, client, resuming: ticket).wasResumed)
  }
}
