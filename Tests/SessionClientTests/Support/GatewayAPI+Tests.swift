import FoundationEssentials
import Testing
import Networking
import Wire

@testable import SessionClient

/// A gateway's address behind which another one is told: of a proxy before it.
extension GatewayAPI {
  /// What asks there, with pauses that a test can wait for and, unless asked, without what others kept.
  static func quick(
    _ socket: SocketAddress, cache: ContentCache = ContentCache(limit: 0, itemLimit: 0),
    threads: RequestThreadPool = .shared, _ adjust: (inout RequestTimeouts) -> Void = { _ in }
  ) throws -> GatewayAPI {
    var timeouts = RequestTimeouts()
    timeouts.firstRetryDelay = .milliseconds(2)
    timeouts.maximumRetryDelay = .milliseconds(50)
    timeouts.shortRetry = TestTimeout.limit
    timeouts.creationRetry = TestTimeout.limit
    timeouts.downloadRetry = TestTimeout.limit
    timeouts.uploadRetry = TestTimeout.limit
    adjust(&timeouts)
    return GatewayAPI(
      try LocalGateway.address(of: socket), timeouts: timeouts, threads: threads, cache: cache)
  }

  /// Asks once, and gives up soon.
  static func impatient(
    _ socket: SocketAddress, _ adjust: (inout RequestTimeouts) -> Void = { _ in }
  ) throws -> GatewayAPI {
    try quick(socket) { timeouts in
      timeouts.shortRetry = .zero
      timeouts.creationRetry = .zero
      timeouts.downloadRetry = .zero
      timeouts.uploadRetry = .zero
      adjust(&timeouts)
    }
  }

  /// Adds a content and waits until all of it is there.
  func put(_ content: Data, to session: SessionID, id: UUID = UUID()) async throws -> AttachmentObject {
    let upload = try await add(
      NewAttachment(id: id, contentType: "application/x-test", metadata: nil, content: content),
      to: session, as: nil)
    try await upload.finish()
    return try #require(try await attachments(of: session).first { $0.id == id })
  }
}
