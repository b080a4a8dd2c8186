import TestSupport
import Testing
import Networking

@Suite("The OpenSSL client connects over a real socket")
struct OpenSSLClientTests {
  private let contexts: TLSFixture.Contexts
  private let closed = Queue<EchoServer.Ended>()
  private let server: EchoServer

  init() throws {
    contexts = try TLSFixture.Contexts()
    server = try EchoServer(context: try contexts.server(), closed: closed)
    try server.start()
  }

  @Test("The client verifies the certificate, exchanges data, and closes", arguments: TLSVersion.allCases)
  func talks(_ version: TLSVersion) throws {
    let client = try client(version, "-verify_return_error", "-verify_hostname", "localhost")
    client.write("over the wire\n")
    #expect(client.read(until: "\nover the wire\n").hasSuffix("over the wire\n"))
    try client.output()
    let ended = closed.next()
    #expect(ended.version == version)
    #expect(ended.negotiatedProtocol == "http/1.1")
    #expect(ended.hasPeerClosed && ended.error == nil)
    server.stop()
  }

  @Test("The client resumes its TLS session on the next connection", arguments: TLSVersion.allCases)
  func resumes(_ version: TLSVersion) throws {
    let file = contexts.directory.path + "/session.pem"
    // The server sends the ticket before the echoed data. So when the echoed data has arrived, the client has stored the
    // ticket.
    let first = try client(version, "-sess_out", file)
    first.write("echo\n")
    _ = first.read(until: "\necho\n")
    try first.output()
    #expect(!closed.next().wasResumed)
    let second = try client(version, "-sess_in", file)
    second.write("echo\n")
    _ = second.read(until: "\necho\n")
    try second.output()
    #expect(closed.next().wasResumed)
    server.stop()
  }

  @Test("The client cannot renegotiate (RFC 5746 §4.5)")
  func renegotiation() throws {
    let client = try client(.v1_2)
    client.write("echo\n")
    _ = client.read(until: "\necho\n")
    client.write("R\n")
    let error = #expect(throws: Command.Failed.self) { try client.output() }
    #expect(error?.output.contains("no renegotiation") == true, "\(String(describing: error))")
    #expect(closed.next().version == .v1_2)
    server.stop()
  }

  @Test(
    "The server refuses TLS versions and ciphers that it does not support",
    arguments: [
      (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], "alert protocol version"),
      (["-alpn", "h2"], "alert no application protocol"),
      (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"], "alert handshake failure"),
      (["-tls1_3", "-curves", "P-521"], "alert handshake failure"),
    ])
  func refused(options: [String], words: String) throws {
    let client = try Command("openssl", ["s_client", "-connect", server.address.description] + options)
    let error = #expect(throws: Command.Failed.self) { try client.output() }
    #expect(error?.output.contains(words) == true, "\(String(describing: error))")
    #expect(closed.next().error != nil)
    server.stop()
  }

  private func client(_ version: TLSVersion, _ options: String...) throws -> Command {
    try Command(
      "openssl",
      [
        "s_client", "-connect", server.address.description, "-CAfile", contexts.certificate.certificatePath,
        "-servername", "localhost", "-alpn", "http/1.1", version == .v1_2 ? "-tls1_2" : "-tls1_3",
      ] + options)
  }
}
