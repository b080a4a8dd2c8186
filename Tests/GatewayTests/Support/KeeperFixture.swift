import FoundationEssentials
import Testing
import Networking
import Platform
import Primitives

@testable import Gateway

/// A folder with certificates, a settable time, and the log of a certificate keeper.
final class KeeperFixture: Sendable {
  struct Pair {
    let certificate, key: String
    let fingerprint: SHA256Digest
  }

  let folder = FileManager.default.temporaryDirectory.path + "/drawtogether-keeper-\(UUID().uuidString)"
  private let executor: BlockingExecutor
  private let logged = Guarded<[String]>([])
  private let time = Guarded((now: MonotonicTime.now(), date: WallTime.now()))

  init() throws {
    executor = try BlockingExecutor(name: "certificates")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    executor.stop()
    // If this fails, the folder stays in the temporary folder.
    try? FileManager.default.removeItem(atPath: folder)
  }

  var now: MonotonicTime { time.withLock { $0.now } }
  var date: WallTime { time.withLock { $0.date } }

  func advance(_ duration: Duration) {
    time.withLock { $0 = ($0.now + duration, $0.date + duration) }
  }

  /// The lines of the log.
  var lines: [String] { logged.withLock { $0 } }
  /// The value of the field `event` in each line of the log.
  var events: [String] {
    lines.map { line in String(line.split(separator: "event=\"")[1].prefix { $0 != "\"" }) }
  }

  /// Creates a new certificate and its key.
  func pair() throws -> Pair {
    let directory = folder + "/made-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let made = try SelfSignedCertificate.loadOrCreate(
      in: directory, now: date, names: AlternativeNames(hosts: ["localhost"], addresses: []))
    let context = try TLSServerContext(certificatePath: made.certificatePath, keyPath: made.keyPath)
    return Pair(
      certificate: try String(contentsOfFile: made.certificatePath, encoding: .utf8),
      key: try String(contentsOfFile: made.keyPath, encoding: .utf8),
      fingerprint: context.certificate.fingerprint)
  }

  /// Writes a certificate and its key into a subfolder.
  func put(_ pair: Pair, in name: String) throws -> CertificateSource {
    try FileManager.default.createDirectory(atPath: folder + "/\(name)", withIntermediateDirectories: true)
    try write(pair.certificate, over: "\(name)/tls-cert.pem")
    try write(pair.key, over: "\(name)/tls-key.pem")
    return .files(certificate: folder + "/\(name)/tls-cert.pem", key: folder + "/\(name)/tls-key.pem")
  }

  /// Overwrites a file in place.
  func write(_ text: String, over name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/\(name)"))
  }

  func keep(_ source: CertificateSource) throws -> CertificateKeeper {
    let log = Log(
      level: .info, format: .text, clock: { LogTime(millisecondsSince1970: 0) },
      output: { line in self.logged.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    return CertificateKeeper(try source.read(), from: source, log: log, on: executor, now: now)
  }

  /// Advances the time by the interval between checks, and makes the keeper check the files.
  func check(_ keeper: CertificateKeeper) async {
    advance(CertificateKeeper.checkInterval)
    await keeper.check(now: now, date: date)
  }

  /// Performs a TLS handshake in memory. Returns the client's session, and true if the server resumed `session`.
  func connect(
    _ client: TLSClientContext, _ server: TLSServerContext, resuming session: TLSSession? = nil
  ) throws -> (session: TLSSession?, wasResumed: Bool) {
    let (one, other) = (client.makeConnection(to: "localhost", resuming: session), server.makeConnection())
    var toServer: [UInt8] = []
    var toClient: [UInt8] = []
    var unused: [UInt8] = []
    repeat {
      let received = toClient
      toClient = []
      _ = try one.receive(received.span, plaintext: &unused, ciphertextOut: &toServer)
      let sent = toServer
      toServer = []
      _ = try other.receive(sent.span, plaintext: &unused, ciphertextOut: &toClient)
    } while !toClient.isEmpty
    #expect(one.isHandshakeComplete && other.isHandshakeComplete)
    // Without `close_notify`, the TLS session cannot be resumed.
    defer { one.close(into: &unused) }
    return (one.session, other.wasResumed)
  }
}
