import FoundationEssentials
import Storage
import Synchronization
import Testing
import Networking
import Wire

@testable import SessionClient
@testable import Gateway

/// A gateway of a test's own: in this process, on free ports of the loopback, with a folder that goes when it does.
///
/// It runs as long as somebody holds it.
final class LocalGateway: Sendable {
  /// How a gateway comes to its end in a test.
  enum End: CaseIterable {
    /// Everything is written, and everybody told to come back.
    case drained
    /// In the middle of everything: nothing that it had not written by then is on the disk.
    case cut
  }

  let gateway: Gateway
  let http: SocketAddress
  let https: SocketAddress
  let folder: String
  private let ownsFolder = Atomic(true)
  private let hasStopped = Atomic(false)
  private let adjustment: @Sendable (inout GatewayConfiguration) -> Void

  /// Starts it. Limits that only get in a test's way are wide, unless `adjust` says otherwise.
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
    // What cannot be removed stays in the temporary folder, and harms nobody.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Stops it, and returns when it has stopped.
  func stop(_ end: End = .cut) {
    guard !hasStopped.exchange(true, ordering: .relaxed) else { return }
    switch end {
    case .drained: gateway.drain()
    case .cut: gateway.stop()
    }
    gateway.waitUntilStopped()
  }

  /// Ends it, and starts another one on the same folder, at other ports.
  func restart(_ end: End) throws -> LocalGateway {
    stop(end)
    ownsFolder.store(false, ordering: .relaxed)
    return try LocalGateway(in: folder, adjustment)
  }

  /// Its own certificate.
  var certificates: String { folder + "/data/tls-cert.pem" }

  /// Where it is for a client.
  func address(isSecure: Bool = false) throws -> GatewayAddress {
    let url = try #require(URL(string: isSecure ? "https://\(https)" : "http://\(http)"))
    return try GatewayAddress(url, certificates: isSecure ? certificates : nil)
  }
}
