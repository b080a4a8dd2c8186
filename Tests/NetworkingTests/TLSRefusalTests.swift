import Testing
import Networking
import TestSupport

@Suite("Refusals of a TLS server")
struct TLSRefusalTests {
  private let contexts: TLSFixture.Contexts

  init() throws {
    contexts = try TLSFixture.Contexts()
  }

  struct Refusal: CustomTestStringConvertible {
    let rule: String
    let bytes: [UInt8]
    /// The fatal alert that is sent before the connection is closed; `nil` for none.
    let alert: UInt8?
    var testDescription: String { rule }
  }

  @Test(
    "Refused first bytes of a client are answered with the expected alert (RFC 8446 §6), or with none if they are not TLS",
    arguments: [
      Refusal(rule: "RFC 8996: TLS 1.0", bytes: ClientHello(version: 0x0301).record, alert: 70),
      Refusal(rule: "RFC 8996: TLS 1.1", bytes: ClientHello(version: 0x0302).record, alert: 70),
      Refusal(
        rule: "RFC 7301 §3.2: only h2 is offered", bytes: ClientHello(protocols: ["h2"]).record, alert: 120),
      Refusal(rule: "a suite without AEAD", bytes: ClientHello(suite: 0xc013).record, alert: 40),
      Refusal(rule: "a suite without forward secrecy", bytes: ClientHello(suite: 0x009c).record, alert: 40),
      Refusal(rule: "an unsupported group", bytes: ClientHello(groups: [0x0019]).record, alert: 40),
      Refusal(
        rule: "RFC 8446 §5.1: data before the handshake", bytes: [23, 3, 3, 0, 1, 0x41], alert: 10),
      Refusal(
        rule: "RFC 8446 §5.1: a record above the maximum length", bytes: [22, 3, 1, 0xff, 0xff, 1], alert: 22),
      Refusal(
        rule: "RFC 8446 §4.1.2: a ClientHello that ends early", bytes: [22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3],
        alert: 50
      ),
      Refusal(rule: "RFC 8446 §5.1: an empty record", bytes: [22, 3, 1, 0, 0], alert: 10),
      Refusal(
        rule: "RFC 8446 §4: a message other than a ClientHello", bytes: [22, 3, 1, 0, 6, 2], alert: 10),
      Refusal(
        rule: "a ClientHello that announces 16 MiB", bytes: [22, 3, 1, 64, 0, 1, 255, 255, 255], alert: 47),
      Refusal(
        rule: "a ClientHello that announces 16 KiB and one byte, in records of one byte",
        bytes: records([1, 0, 64, 0], of: 1), alert: 47),
      Refusal(
        rule: "16 KiB of records of one byte",
        bytes: records([1, 0, 32, 0] + [UInt8](repeating: 0, count: 2_800), of: 1), alert: 47),
      Refusal(rule: "RFC 6176: a ClientHello of SSL 2", bytes: [0x80, 46, 1, 3, 1], alert: nil),
      Refusal(rule: "bytes that are not TLS", bytes: Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), alert: nil),
    ])
  func refuses(_ refusal: Refusal) throws {
    for size in [1, 3, Int.max] {
      let server = try contexts.server().makeConnection()
      var plaintext: [UInt8] = []
      var answer: [UInt8] = []
      #expect(throws: TLSError.self) {
        for piece in TLSPair.pieces(of: refusal.bytes, size: size) {
          _ = try server.receive(piece.span, plaintext: &plaintext, ciphertextOut: &answer)
        }
      }
      #expect(plaintext.isEmpty && !server.isHandshakeComplete)
      if let alert = refusal.alert {
        #expect(answer.count == 7 && answer.first == 21 && answer.suffix(4) == [0, 2, 2, alert])
      }
    }
  }

  @Test(
    "If the first record is not TLS, the error names the record's type or version",
    arguments: [
      ([22, 2], .otherVersion(major: 2), "a record has the major version 2 instead of 3"),
      ([23, 3], .otherRecord(type: 23), "the first record is not of a TLS handshake (type 23)"),
      ([0x80, 46], .otherRecord(type: 0x80), "the first record is not of a TLS handshake (type 128)"),
    ] as [([UInt8], ClientHelloError, String)])
  func firstRecord(_ bytes: [UInt8], _ error: ClientHelloError, _ words: String) throws {
    let server = try contexts.server().makeConnection()
    var (plaintext, answer): ([UInt8], [UInt8]) = ([], [])
    #expect(throws: TLSError.invalidClientHello(error)) {
      _ = try server.receive(bytes.span, plaintext: &plaintext, ciphertextOut: &answer)
    }
    #expect("\(error)" == words)
  }

  /// Returns handshake records of `size` bytes each.
  private static func records(_ payload: [UInt8], of size: Int) -> [UInt8] {
    var records: [UInt8] = []
    for piece in TLSPair.pieces(of: payload, size: size) {
      records += [22, 3, 1, 0, UInt8(piece.count)] + piece
    }
    return records
  }

  @Test(
    "A ClientHello in records of one, two or three bytes is accepted like a ClientHello in a single record")
  func fragments() throws {
    let whole = ClientHello().record
    for size in 1...3 {
      let bytes = Self.records(Array(whole[5...]), of: size)
      for cut in [1, 4, 100, Int.max] {
        let server = try contexts.server().makeConnection()
        var (plaintext, answer): ([UInt8], [UInt8]) = ([], [])
        for piece in TLSPair.pieces(of: bytes, size: cut) {
          #expect(answer.isEmpty)
          #expect(server.isAwaitingHello)
          _ = try server.receive(piece.span, plaintext: &plaintext, ciphertextOut: &answer)
        }
        #expect(!server.isAwaitingHello)
        #expect(answer.first == 22 && answer[5] == 2)
      }
    }
  }

  @Test("The ClientHello messages that the other tests modify are accepted unmodified")
  func accepts() throws {
    for hello in [ClientHello(), ClientHello(protocols: ["h2", "http/1.1"]), ClientHello(groups: [0x0017])] {
      let server = try contexts.server().makeConnection()
      var plaintext: [UInt8] = []
      var answer: [UInt8] = []
      let bytes = hello.record
      _ = try server.receive(bytes.span, plaintext: &plaintext, ciphertextOut: &answer)
      // §7.4.1.3: a handshake record with a ServerHello
      #expect(answer.first == 22 && answer[5] == 2)
    }
  }

  @Test("A client rejects an unknown certificate, and a certificate for another name or address")
  func trust() throws {
    let others = try TLSFixture.Contexts()
    // X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
    for (context, host, code) in [
      (others, "localhost", 18), (contexts, "elsewhere.test", 62), (contexts, "127.0.0.2", 64),
    ] {
      for version in TLSVersion.allCases {
        var pair = TLSPair(
          client: try context.client(version...version).makeConnection(to: host),
          server: try contexts.server().makeConnection())
        #expect(throws: TLSError.certificateNotTrusted(code)) { try pair.exchange() }
        #expect(!pair.client.isHandshakeComplete)
        let error = #expect(throws: TLSError.self) { try pair.deliverToServer() }
        guard case .alertReceived = error else {
          Issue.record("the server does not receive the expected alert: \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test(
    "A client trusts a server under each name and each address in the server's certificate",
    arguments: ["localhost", "gateway.test", "127.0.0.1"])
  func names(_ host: String) throws {
    var pair = TLSPair(
      client: try contexts.client().makeConnection(to: host), server: try contexts.server().makeConnection())
    try pair.exchange()
    #expect(pair.client.isHandshakeComplete)
  }

  @Test("If a file is not a certificate or a key, or does not match the other file, the error names the file")
  func files() throws {
    let directory = contexts.directory
    let other = try TLSFixture.Contexts()
    try directory.write("no certificate", to: "broken.pem")
    let broken = directory.path + "/broken.pem"
    let (certificate, key) = (contexts.certificate.certificatePath, contexts.certificate.keyPath)
    let missing = directory.path + "/missing.pem"
    for (certificatePath, keyPath, words) in [
      (missing, key, "cannot use the certificate in \(missing): No such file or directory"),
      (certificate, missing, "cannot use the private key in \(missing): No such file or directory"),
      (broken, key, "\(broken) contains no certificate in PEM"),
      (certificate, broken, "\(broken) contains no private key in PEM"),
      (
        certificate, other.certificate.keyPath,
        "the private key in \(other.certificate.keyPath) does not match the certificate"
      ),
    ] {
      let error = #expect(throws: CertificateError.self) {
        try TLSServerContext(certificatePath: certificatePath, keyPath: keyPath)
      }
      #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
    }
    let error = #expect(throws: CertificateError.self) {
      try TLSClientContext(trust: .certificates(path: missing))
    }
    #expect(error?.description == "cannot trust the certificates in \(missing): No such file or directory")
  }

  @Test("The first byte distinguishes a plain HTTP request from TLS")
  func plainText() {
    for method in ["GET", "POST", "get", "OPTIONS"] {
      #expect(TLSRecord.looksLikePlainHTTP(firstByte: Array(method.utf8)[0]))
    }
    for byte: UInt8 in [22, 0, 0x80, 0x40, 0x5b, 0x60, 0x7b, 255] {
      #expect(!TLSRecord.looksLikePlainHTTP(firstByte: byte))
    }
  }
}

/// The first message of a TLS 1.2 client (RFC 5246 §7.4.1.2), with parts that a test can change.
struct ClientHello {
  var version: UInt16 = 0x0303
  /// TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
  var suite: UInt16 = 0xc02b
  /// x25519 and secp256r1. TLS 1.2 requires that the curve of the certificate is in this list.
  var groups: [UInt16] = [0x001d, 0x0017]
  var protocols: [String] = []

  var record: [UInt8] {
    let hello = both(version) + [UInt8](repeating: 7, count: 32) + [0] + [0, 2] + both(suite) + [1, 0]
    let body = hello + long(extensions)
    return [22, 3, 1] + long([1, 0] + long(body))
  }

  private var extensions: [UInt8] {
    // The extensions supported_groups, ec_point_formats and signature_algorithms (ecdsa_secp256r1_sha256, rsa_pss_rsae_sha256)
    var bytes =
      [0, 10] + long(long(groups.flatMap(both))) + [0, 11, 0, 2, 1, 0] + [0, 13, 0, 6, 0, 4, 4, 3, 8, 4]
    if !protocols.isEmpty {
      let names = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
      bytes += [0, 16] + long(long(names))
    }
    return bytes
  }

  private func both(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 255)]
  }

  private func long(_ bytes: [UInt8]) -> [UInt8] {
    both(UInt16(bytes.count)) + bytes
  }
}
