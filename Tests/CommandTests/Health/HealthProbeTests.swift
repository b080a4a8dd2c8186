import Gateway
import FoundationEssentials
import Synchronization
import Testing
import Networking
import Platform
import TestSupport

@testable import drawtogether

/// Results of the health check for various answers.
@Suite("HealthProbe checks if the configured gateway answers with 200")
struct HealthProbeTests {
  /// Accepts one connection on loopback, reads the head of a request, sends a fixed answer, and closes.
  private final class Answerer: Sendable {
    let port: UInt16
    private let thread: SystemThread
    private let request: Request

    /// The received request.
    private final class Request: Sendable {
      let text = Mutex("")
    }

    init(_ answer: String, tls: TLSServerContext? = nil) throws {
      let listener = try Listener(on: SocketAddress("127.0.0.1:0"))
      port = listener.address.port
      let request = Request()
      self.request = request
      thread = try SystemThread(name: "answerer") {
        let received = try? Self.answerOnce(listener, Array(answer.utf8), tls?.makeConnection())
        request.text.withLock { $0 = received ?? "" }
      }
    }

    /// Waits until the answer was sent, and returns the request.
    func finish() -> String {
      thread.join()
      return request.text.withLock { $0 }
    }

    private static func answerOnce(
      _ listener: Listener, _ answer: [UInt8], _ tls: TLSConnection?
    ) throws -> String {
      _ = try Socket(listener.descriptor).wait(until: .readable, atMost: .seconds(10))
      guard case .accepted(let connection, peer: _) = listener.accept() else { return "" }
      let socket = Socket(connection.rawValue)
      var buffer = [UInt8](repeating: 0, count: 16_384)
      var received: [UInt8] = []
      var out: [UInt8] = []
      while !String(decoding: received, as: UTF8.self).hasSuffix("\r\n\r\n") {
        _ = try socket.wait(until: .readable, atMost: .seconds(10))
        guard case .received(let count) = socket.receive(into: &buffer) else { return "" }
        if let tls {
          _ = try tls.receive(buffer.span.extracting(0..<count), plaintext: &received, ciphertextOut: &out)
          _ = socket.send(out.span)
          out = []
        } else {
          received.append(contentsOf: buffer[..<count])
        }
      }
      if let tls { try tls.encrypt(answer.span, into: &out) } else { out = answer }
      _ = socket.send(out.span)
      _ = consume connection
      return String(decoding: received, as: UTF8.self)
    }
  }

  private func configuration(http: UInt16? = nil, https: UInt16? = nil) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.http = http.map { ListenAddress(host: "127.0.0.1", port: $0) }
    configuration.https = https.map { ListenAddress(host: "127.0.0.1", port: $0) }
    return configuration
  }

  @Test("A gateway that answers 200 is healthy. The request's `Host` is the host of the public URL")
  func well() throws {
    let answerer = try Answerer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    var configuration = configuration(http: answerer.port)
    configuration.publicURL = WebOrigin("https://draw.example:444")
    try HealthProbe.check(configuration)
    #expect(
      answerer.finish()
        == "GET /healthz HTTP/1.1\r\nHost: draw.example:444\r\nUser-Agent: drawtogether/\(Product.version)\r\n"
        + "Connection: close\r\n\r\n")
  }

  @Test(
    "A gateway that answers anything other than 200, or not in HTTP, is not healthy",
    arguments: [
      ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", CommandError.unhealthy(status: 503)),
      ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .unhealthy(status: 404)),
      ("SSH-2.0-OpenSSH_9.2\r\n", .notHTTP), ("", .noAnswer), ("HTTP/1.1 200", .noAnswer),
    ])
  func unwell(_ answer: String, _ fault: CommandError) throws {
    let answerer = try Answerer(answer)
    #expect(throws: fault) { try HealthProbe.check(configuration(http: answerer.port)) }
    _ = answerer.finish()
  }

  @Test("If http is off, the probe uses TLS and does not check the names of the certificate")
  func overTLS() throws {
    let folder = TemporaryFolder()
    let names = AlternativeNames(hosts: ["elsewhere.example"], addresses: [])
    let certificate = try SelfSignedCertificate.loadOrCreate(in: folder.path, now: .now(), names: names)
    let context = try TLSServerContext(
      certificatePath: certificate.certificatePath, keyPath: certificate.keyPath)
    let answerer = try Answerer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", tls: context)
    try HealthProbe.check(configuration(https: answerer.port))
    #expect(answerer.finish().hasPrefix("GET /healthz HTTP/1.1\r\nHost: localhost:\(answerer.port)\r\n"))
  }

  @Test("A plain-text answer from an https port is reported as a TLS error")
  func noTLS() throws {
    let listener = try Listener(on: SocketAddress("127.0.0.1:0"))
    let port = listener.address.port
    let thread = try SystemThread(name: "answerer") {
      _ = try? Socket(listener.descriptor).wait(until: .readable, atMost: .seconds(10))
      guard case .accepted(let connection, peer: _) = listener.accept() else { return }
      _ = Socket(connection.rawValue).send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span)
      _ = consume connection
    }
    let fault = #expect(throws: CommandError.self) {
      try HealthProbe.check(configuration(https: port))
    }
    thread.join()
    guard case .tls = fault else {
      Issue.record("\(String(describing: fault)) is not about TLS")
      return
    }
  }

  @Test("The probe fails if nothing listens, if no answer arrives in time, or if the configured port is 0")
  func absent() throws {
    let closed = try Listener(on: SocketAddress("127.0.0.1:0")).address.port
    let refused = #expect(throws: CommandError.self) {
      try HealthProbe.check(configuration(http: closed))
    }
    #expect(refused?.description == "the gateway cannot be reached (connect: Connection refused)")
    let silent = try Listener(on: SocketAddress("127.0.0.1:0"))
    #expect(throws: CommandError.timeout(limit: .milliseconds(20))) {
      try HealthProbe.check(configuration(http: silent.address.port), within: .milliseconds(20))
    }
    #expect(throws: CommandError.portUnknown) { try HealthProbe.check(configuration(http: 0)) }
  }

  @Test(
    "If the gateway listens on all addresses, the health probe connects to loopback",
    arguments: ["0.0.0.0", "localhost"])
  func wildcard(_ host: String) throws {
    let answerer = try Answerer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    var configuration = GatewayConfiguration()
    configuration.http = ListenAddress(host: host, port: answerer.port)
    try HealthProbe.check(configuration)
    _ = answerer.finish()
  }
}
