import FoundationEssentials
import Gateway
import Glibc
import Testing
import Networking
import Platform
import TestSupport

@testable import drawtogether

/// The program as a process: its ready line and its signals.
@Suite("The command `serve`")
struct ServingTests {
  /// The line of JSON that the program prints when the gateway accepts connections.
  private struct Ready: Decodable {
    let event: String
    let http: String?
    let https: String?
    let ms: Int
  }

  private let folder = TemporaryFolder()

  init() throws {
    try folder.write("<p>", to: "public/index.html")
  }

  private func start(_ arguments: String...) throws -> (ChildProcess, Ready) {
    let child = try ChildProcess(
      arguments: [
        "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--data", folder.path + "/data", "--public",
        folder.path + "/public", "--log-format", "json",
      ] + arguments)
    let ready = try JSONDecoder().decode(Ready.self, from: Data(child.outputLine().utf8))
    return (child, ready)
  }

  /// Returns the port of an address like `http://127.0.0.1:4000`.
  private func port(_ url: String?) throws -> UInt16 {
    try #require(url?.split(separator: ":").last.flatMap { UInt16($0) })
  }

  /// Sends text and returns the beginning of the answer.
  private func ask(_ text: String, over connection: borrowing OwnedDescriptor) throws -> String {
    let socket = Socket(connection.rawValue)
    _ = try socket.wait(until: .writable, atMost: .seconds(10))
    _ = socket.send(Array(text.utf8).span)
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !answer.contains(UInt8(ascii: "\n")) {
      _ = try socket.wait(until: .readable, atMost: .seconds(10))
      guard case .received(let count) = socket.receive(into: &buffer) else { break }
      answer.append(contentsOf: buffer[..<count])
    }
    return String(decoding: answer, as: UTF8.self)
  }

  @Test("The ready line has two URLs, the health check succeeds at both, and SIGTERM exits with code 0")
  func readyAndStopped() throws {
    let (child, ready) = try start()
    #expect(ready.event == "ready")
    #expect(ready.http?.hasPrefix("http://127.0.0.1:") == true)
    #expect(ready.https?.hasPrefix("https://127.0.0.1:") == true)
    try checkHealth(ready)
    child.send(SIGTERM)
    #expect(child.end() == 0)
  }

  /// Runs the health check over http and over https.
  private func checkHealth(_ ready: Ready) throws {
    var configuration = GatewayConfiguration()
    configuration.http = ListenAddress(host: "127.0.0.1", port: try port(ready.http))
    try HealthProbe.check(configuration)
    configuration.http = nil
    configuration.https = ListenAddress(host: "127.0.0.1", port: try port(ready.https))
    try HealthProbe.check(configuration)
  }

  @Test("The health check succeeds over http and https even if the limit of connections is reached")
  func healthAtLimit() throws {
    let (child, ready) = try start("--max-connections", "1")
    let connection = try Socket.connect(to: SocketAddress("127.0.0.1:\(try port(ready.http))"))
    let answer = try ask("GET /api/limits HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", over: connection)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    try checkHealth(ready)
    child.send(SIGTERM)
    #expect(child.end() == 0)
    _ = consume connection
  }

  @Test("SIGINT stops the gateway like SIGTERM")
  func interrupted() throws {
    let (child, _) = try start()
    child.send(SIGINT)
    #expect(child.end() == 0)
  }

  @Test("A second SIGTERM stops the gateway without waiting for an unresponsive client")
  func secondSignal() throws {
    let (child, ready) = try start("--echo")
    let connection = try Socket.connect(to: SocketAddress("127.0.0.1:\(try port(ready.http))"))
    let answer = try ask(
      "GET /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", over: connection
    )
    #expect(answer.hasPrefix("HTTP/1.1 101 "))
    child.send(SIGTERM)
    #expect(child.errorLine().contains("\"event\":\"draining\""))
    child.send(SIGTERM)
    #expect(child.errorLine().contains("\"event\":\"stopping at once\""))
    #expect(child.end() == 0)
    _ = consume connection
  }

  @Test("SIGHUP reloads the certificate; if the new certificate is invalid, the old one stays in use")
  func reload() throws {
    let (child, _) = try start()
    child.send(SIGHUP)
    #expect(child.errorLine().contains("\"event\":\"certificate reloaded\""))
    try Data("no certificate".utf8).write(to: URL(filePath: folder.path + "/data/tls-cert.pem"))
    child.send(SIGHUP)
    #expect(child.errorLine().contains("\"event\":\"certificate not reloaded\""))
    child.send(SIGTERM)
    #expect(child.end() == 0)
  }

  @Test("A second gateway on the same port reports the conflict and exits with code 1")
  func portInUse() throws {
    let (first, ready) = try start()
    let address = "127.0.0.1:\(try port(ready.http))"
    let second = try ChildProcess(
      arguments: [
        "--http", address, "--https", "off", "--data", folder.path + "/other", "--public",
        folder.path + "/public",
      ])
    #expect(
      second.errorLine()
        == "drawtogether: cannot listen on \(address): another program already listens on this address")
    #expect(second.end() == 1)
    first.send(SIGTERM)
    #expect(first.end() == 0)
  }
}
