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
    threads: RequestThreads = .shared, _ adjust: (inout RequestPatience) -> Void = { _ in }
  ) throws -> GatewayAPI {
    var patience = RequestPatience()
    patience.firstPause = .milliseconds(2)
    patience.longestPause = .milliseconds(50)
    patience.brief = Patience.limit
    patience.offer = Patience.limit
    patience.download = Patience.limit
    patience.upload = Patience.limit
    adjust(&patience)
    return GatewayAPI(
      try LocalGateway.address(of: socket), patience: patience, threads: threads, cache: cache)
  }

  /// Asks once, and gives up soon.
  static func impatient(
    _ socket: SocketAddress, _ adjust: (inout RequestPatience) -> Void = { _ in }
  ) throws -> GatewayAPI {
    try quick(socket) { patience in
      patience.brief = .zero
      patience.offer = .zero
      patience.download = .zero
      patience.upload = .zero
      adjust(&patience)
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
