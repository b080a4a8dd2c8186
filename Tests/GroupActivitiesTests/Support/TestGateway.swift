import SessionClient
import FoundationEssentials
import GroupActivities
import Testing
import Platform
import Wire

@testable import Gateway

/// A gateway in the test's process, with a temporary data folder, and participants in its sessions. When the object is
/// released, the gateway stops and its folder is removed.
final class TestGateway: Sendable {
  private let gateway: Gateway
  private let folder: String
  let url: URL

  init(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) throws {
    folder = FileManager.default.temporaryDirectory.path + "/drawtogether-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/public", withIntermediateDirectories: true)
    try Data("<!doctype html><title>Draw</title>".utf8).write(
      to: URL(filePath: folder + "/public/index.html"))
    var configuration = GatewayConfiguration()
    configuration.http = ListenAddress(host: "127.0.0.1", port: 0)
    configuration.https = nil
    configuration.dataDirectory = folder + "/data"
    configuration.publicDirectory = folder + "/public"
    configuration.reactors = 1
    configuration.limits.sessionsPerAddressPerMinute = 10_000
    adjust(&configuration)
    gateway = try Gateway(configuration: configuration, log: Log(level: .error, format: .text)) { $0 }
    let http = try #require(try gateway.start().http)
    url = try #require(URL(string: "http://\(http)"))
    try GroupActivitiesGateway.use(url)
  }

  deinit {
    gateway.stop()
    gateway.waitUntilStopped()
    // A folder that cannot be removed stays in the system's temporary folder.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Creates a session as the page does, and returns its link.
  func makeLink(_ activity: Activity = .standard) async throws -> URL {
    let api = GatewayAPI(try GatewayAddress(url))
    return SessionLink(session: try await api.makeSession(activity).id, at: api.gateway).url
  }

  /// Returns a session for a new participant. The participant has not joined the session yet.
  func session(at link: URL) async throws -> GroupSession<DrawTogether> {
    try await GroupActivitiesGateway.session(at: link)
  }

  /// Returns the session of a new participant that has joined.
  func join(_ link: URL) async throws -> GroupSession<DrawTogether> {
    let session = try await self.session(at: link)
    session.join()
    try await session.waitForState(.joined)
    return session
  }
}
