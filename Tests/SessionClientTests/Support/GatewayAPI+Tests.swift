import FoundationEssentials
import Testing
import Networking
import Wire

@testable import SessionClient

/// Request clients for tests.
extension GatewayAPI {
  /// Creates a client with short retry delays and, by default, without the content cache of the process.
  static func withShortDelays(
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

  /// Creates a client that does not repeat failed requests.
  static func withoutRetries(
    _ socket: SocketAddress, _ adjust: (inout RequestTimeouts) -> Void = { _ in }
  ) throws -> GatewayAPI {
    try withShortDelays(socket) { timeouts in
      timeouts.shortRetry = .zero
      timeouts.creationRetry = .zero
      timeouts.downloadRetry = .zero
      timeouts.uploadRetry = .zero
      adjust(&timeouts)
    }
  }

  /// Adds an attachment with this content, and waits until the upload is complete.
  func put(_ content: Data, to session: SessionID, id: UUID = UUID()) async throws -> AttachmentObject {
    let upload = try await add(
      NewAttachment(id: id, contentType: "application/x-test", metadata: nil, content: content),
      to: session, as: nil)
    try await upload.finish()
    return try #require(try await attachments(of: session).first { $0.id == id })
  }
}
