import FoundationEssentials
import Storage
import Synchronization
import Testing
import Networking
import Wire

@testable import Gateway

/// A gateway for one test. The gateway runs in this process, on free ports of the loopback interface.
///
/// The gateway runs until the last reference to this object is released; then the folders are removed. Each connection to the
/// gateway has a reference.
final class RunningGateway: Sendable {
  let gateway: Gateway
  let http: SocketAddress
  let https: SocketAddress
  let trust: TLSClientContext
  let folder: String
  /// True if the data folder is removed together with this object. False after a restart, because the next gateway uses the
  /// folder.
  private let ownsFolder = Atomic(true)
  private let hasStopped = Atomic(false)
  private let adjustment: @Sendable (inout GatewayConfiguration) -> Void
  private let reactors: Int

  /// Starts a gateway. If `largeFileBytes` is not 0, its page has a file `large.txt` of this size. Limits that would
  /// disturb tests are high, unless `adjust` changes them.
  init(
    reactors: Int = 1, largeFileBytes: Int = 0, in folder: String? = nil, disk: TroubledDisk? = nil,
    clock: GatewayClock = .ofThisMachine,
    _ adjust: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }
  ) throws {
    self.reactors = reactors
    adjustment = adjust
    let folder =
      folder ?? FileManager.default.temporaryDirectory.path + "/drawtogether-gateway-\(UUID().uuidString)"
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder + "/public/js", withIntermediateDirectories: true)
    try Data(Self.page.utf8).write(to: URL(filePath: folder + "/public/index.html"))
    try Data(Self.script.utf8).write(to: URL(filePath: folder + "/public/js/main.js"))
    if largeFileBytes > 0 {
      try Data(Self.largeFile(bytes: largeFileBytes)).write(to: URL(filePath: folder + "/public/large.txt"))
    }
    var configuration = GatewayConfiguration()
    configuration.http = ListenAddress(host: "127.0.0.1", port: 0)
    configuration.https = ListenAddress(host: "127.0.0.1", port: 0)
    configuration.dataDirectory = folder + "/data"
    configuration.publicDirectory = folder + "/public"
    configuration.reactors = reactors
    configuration.limits.sessionsPerAddressPerMinute = 10_000
    configuration.limits.entriesPerSecond = 1_000_000
    configuration.limits.bytesPerSecond = 1 << 30
    configuration.limits.unsavedSessionBytes = 1 << 30
    configuration.limits.removalDelaySeconds = 0
    adjust(&configuration)
    gateway = try Gateway(
      configuration: configuration, log: Log(level: .error, format: .text), clock: clock
    ) { folder in
      disk.map { $0.over(folder) } ?? folder
    }
    let bound = try gateway.start()
    http = try #require(bound.http)
    https = try #require(bound.https)
    trust = try TLSClientContext(trust: .certificates(path: folder + "/data/tls-cert.pem"))
  }

  deinit {
    stop()
    guard ownsFolder.load(ordering: .relaxed) else { return }
    // If the removal fails, the folder stays in the system's temporary folder.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Stops the gateway immediately, without a drain, and returns when it has stopped.
  func stop() {
    guard !hasStopped.exchange(true, ordering: .relaxed) else { return }
    gateway.stop()
    gateway.waitUntilStopped()
  }

  /// The way in which a test ends a gateway.
  enum End: CaseIterable {
    /// A clean stop: everything is written, and all clients are asked to reconnect.
    case drained
    /// A stop without a drain, like a kill: only data that was already written is on the disk.
    case cut
  }

  /// Ends the gateway, and starts another one on the same folder.
  func restart(
    _ end: End, disk: TroubledDisk? = nil, clock: GatewayClock = .ofThisMachine,
    _ adjust: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> RunningGateway {
    if !hasStopped.exchange(true, ordering: .relaxed) {
      switch end {
      case .drained: gateway.drain()
      case .cut: gateway.stop()
      }
      gateway.waitUntilStopped()
    }
    ownsFolder.store(false, ordering: .relaxed)
    let earlier = adjustment
    return try RunningGateway(reactors: reactors, in: folder, disk: disk, clock: clock) {
      earlier(&$0)
      adjust(&$0)
    }
  }

  /// Creates a session over a connection of its own.
  func makeSession(isSecure: Bool = false) throws -> SessionID {
    try HTTPClient(self, isSecure: isSecure).makeSession()
  }

  /// Creates a session on one reactor. The gateway chooses the reactor, so this may take several attempts.
  func makeSession(on reactor: Int) throws -> SessionID {
    for _ in 0..<200 {
      let session = try makeSession()
      if session.reactor(of: reactors) == reactor { return session }
    }
    throw ClientError.outOfPatience(waitingFor: "a session on reactor \(reactor)")
  }

  /// Returns the content of `large.txt`. Each line contains its own offset.
  static func largeFile(bytes: Int) -> [UInt8] {
    let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 4000)
    var file: [UInt8] = []
    while file.count < bytes { file += Array("\n\(file.count) ".utf8) + filling }
    return Array(file[..<bytes])
  }

  static let page = "<!doctype html><title>Draw</title>"
  static let script = "export const answer=42;\n"
}
