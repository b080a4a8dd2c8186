import FoundationEssentials
import Synchronization
import Testing
import Transport
import Wire

@testable import Gateway

/// A gateway of a test's own: in this process, on free ports of the loopback, with folders that go when it does.
///
/// It runs as long as somebody holds it; every connection to it does.
final class RunningGateway: Sendable {
  let gateway: Gateway
  let http: SocketAddress
  let https: SocketAddress
  let trust: TLSClientContext
  let folder: String
  private let hasStopped = Atomic(false)

  /// Starts it, with a file `js/large.js` of that many bytes if any. Limits that only get in a test's way are wide, unless
  /// `adjust` says otherwise.
  init(
    reactors: Int = 1, largeFileBytes: Int = 0, _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws {
    folder = FileManager.default.temporaryDirectory.path + "/drawtogether-gateway-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/public/js", withIntermediateDirectories: true)
    try Data(Self.page.utf8).write(to: URL(filePath: folder + "/public/index.html"))
    try Data(Self.script.utf8).write(to: URL(filePath: folder + "/public/js/main.js"))
    if largeFileBytes > 0 {
      try Data(Self.largeFile(bytes: largeFileBytes)).write(to: URL(filePath: folder + "/public/js/large.js"))
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
    adjust(&configuration)
    gateway = try Gateway(configuration: configuration, log: Log(level: .error, format: .text))
    let bound = try gateway.start()
    http = try #require(bound.http)
    https = try #require(bound.https)
    trust = try TLSClientContext(trust: .certificates(path: folder + "/data/tls-cert.pem"))
  }

  deinit {
    stop()
    // What cannot be removed stays in the temporary folder, and harms nobody.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Stops it at once, and returns when it has stopped.
  func stop() {
    guard !hasStopped.exchange(true, ordering: .relaxed) else { return }
    gateway.stop()
    gateway.waitUntilStopped()
  }

  /// A new session, made over a connection of its own.
  func makeSession(isSecure: Bool = false) throws -> SessionID {
    try HTTPClient(self, isSecure: isSecure).makeSession()
  }

  /// What is in `js/large.js`: lines that tell where they are.
  static func largeFile(bytes: Int) -> [UInt8] {
    let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 4000)
    var file: [UInt8] = []
    while file.count < bytes { file += Array("\n// \(file.count) ".utf8) + filling }
    return Array(file[..<bytes])
  }

  static let page = "<!doctype html><title>Draw</title>"
  static let script = "export const answer = 42;\n"
}
