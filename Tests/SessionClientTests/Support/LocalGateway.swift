import FoundationEssentials
import Storage
import Synchronization
import Testing
import Networking
import Wire

@testable import SessionClient
@testable import Gateway

/// A gateway in the test's process, on free loopback ports, with a folder of its own.
///
/// The gateway runs until the last reference to this object is released.
final class LocalGateway: Sendable {
  /// The way in which a test stops a gateway.
  enum End: CaseIterable {
    /// The gateway saves all entries, and asks all clients to reconnect later.
    case drained
    /// The gateway stops immediately: unsaved entries are lost.
    case cut
  }

  let gateway: Gateway
  let http: SocketAddress
  let https: SocketAddress
  let folder: String
  private let ownsFolder = Atomic(true)
  private let hasStopped = Atomic(false)
  private let adjustment: @Sendable (inout GatewayConfiguration) -> Void

  /// Starts a gateway. Limits that would disturb tests are high, unless `adjust` sets them.
  init(
    in folder: String? = nil, _ adjust: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }
  ) throws {
    adjustment = adjust
    let folder =
      folder ?? FileManager.default.temporaryDirectory.path + "/drawtogether-client-\(UUID().uuidString)"
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder + "/public", withIntermediateDirectories: true)
    try Data("<!doctype html><title>Draw</title>".utf8).write(
      to: URL(filePath: folder + "/public/index.html"))
    var configuration = GatewayConfiguration()
    configuration.http = ListenAddress(host: "127.0.0.1", port: 0)
    configuration.https = ListenAddress(host: "127.0.0.1", port: 0)
    configuration.dataDirectory = folder + "/data"
    configuration.publicDirectory = folder + "/public"
    configuration.reactors = 1
    configuration.limits.sessionsPerAddressPerMinute = 10_000
    configuration.limits.entriesPerSecond = 1_000_000
    configuration.limits.bytesPerSecond = 1 << 30
    configuration.limits.unsavedSessionBytes = 1 << 30
    adjust(&configuration)
    gateway = try Gateway(configuration: configuration, log: Log(level: .error, format: .text)) { $0 }
    let bound = try gateway.start()
    http = try #require(bound.http)
    https = try #require(bound.https)
  }

  deinit {
    stop()
    guard ownsFolder.load(ordering: .relaxed) else { return }
    // A folder that cannot be removed stays among the temporary files.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Stops the gateway, and returns when it has stopped.
  func stop(_ end: End = .cut) {
    guard !hasStopped.exchange(true, ordering: .relaxed) else { return }
    switch end {
    case .drained: gateway.drain()
    case .cut: gateway.stop()
    }
    gateway.waitUntilStopped()
  }

  /// Stops the gateway, and starts another one on the same folder, on new ports.
  func restart(_ end: End) throws -> LocalGateway {
    stop(end)
    ownsFolder.store(false, ordering: .relaxed)
    return try LocalGateway(in: folder, adjustment)
  }

  /// The path of the gateway's own certificate.
  var certificates: String { folder + "/data/tls-cert.pem" }

  /// The address for clients.
  func address(isSecure: Bool = false) throws -> GatewayAddress {
    let url = try #require(URL(string: isSecure ? "https://\(https)" : "http://\(http)"))
    return try GatewayAddress(url, certificates: isSecure ? certificates : nil)
  }
}
