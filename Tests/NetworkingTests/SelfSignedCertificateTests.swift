import Testing
import Networking
import Primitives
import TestSupport

@Suite("A self-signed certificate is created once, and replaced if it is unusable")
struct SelfSignedCertificateTests {
  private let directory = TemporaryFolder()
  private let now = WallTime(secondsSince1970: 1_800_000_000)
  private let names = AlternativeNames(
    hosts: ["localhost", "gateway.test"],
    addresses: [IPAddress(v4: 0x7f00_0001), IPAddress(v6High: 0, low: 1)])

  @Test("The certificate is created once and then loaded; only the owner can read the key file")
  func keeps() throws {
    let made = try loadOrCreate(at: now)
    #expect(made.origin == .created(.missing))
    #expect(made.certificatePath == directory.path + "/tls-cert.pem")
    #expect(directory.names() == ["tls-cert.pem", "tls-key.pem"])
    #expect(directory.mode(of: "tls-key.pem") == 0o600)
    #expect(directory.mode(of: "tls-cert.pem") == 0o644)
    let certificate = try directory.text(of: "tls-cert.pem")
    let key = try directory.text(of: "tls-key.pem")
    #expect(certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    #expect(key.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    #expect(try loadOrCreate(at: now + .seconds(300 * 86_400)).origin == .loaded)
    #expect(try directory.text(of: "tls-cert.pem") == certificate)
    #expect(try directory.text(of: "tls-key.pem") == key)
  }

  @Test("OpenSSL's command shows the expected contents of the certificate")
  func contents() throws {
    let made = try loadOrCreate(at: now)
    let text = try Command("openssl", ["x509", "-in", made.certificatePath, "-noout", "-text"]).output()
    for line in [
      "Version: 3 (0x2)",
      "Signature Algorithm: ecdsa-with-SHA256",
      "Issuer: CN = DrawTogether",
      "Not Before: Jan 14 08:00:00 2027 GMT",
      "Not After : Feb 15 08:00:00 2028 GMT",
      "Subject: CN = DrawTogether",
      "NIST CURVE: P-256",
      "X509v3 Basic Constraints: critical\n                CA:FALSE",
      "X509v3 Key Usage: critical\n                Digital Signature",
      "X509v3 Extended Key Usage: \n                TLS Web Server Authentication",
      "DNS:localhost, DNS:gateway.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
    ] {
      #expect(text.contains(line), "\(line) is missing in\n\(text)")
    }
    let verified = try Command(
      "openssl",
      [
        "verify", "-x509_strict", "-attime", "1800000000", "-purpose", "sslserver", "-CAfile",
        made.certificatePath, made.certificatePath,
      ]
    ).output()
    #expect(verified.hasSuffix(": OK\n"))
  }

  @Test("Two self-signed certificates differ in serial number and key")
  func differs() throws {
    let other = TemporaryFolder()
    let first = try loadOrCreate(at: now)
    let second = try SelfSignedCertificate.loadOrCreate(in: other.path, now: now, names: names)
    let serials = try [first, second].map {
      try Command("openssl", ["x509", "-in", $0.certificatePath, "-noout", "-serial"]).output()
    }
    #expect(serials[0] != serials[1])
    // A serial number is random and has 159 bits. The first bit is 1, so the number has 20 octets, the maximum of RFC 5280
    // §4.1.2.2.
    #expect(serials.allSatisfy { $0.utf8.count == "serial=\n".utf8.count + 40 })
    #expect(try directory.text(of: "tls-key.pem") != other.text(of: "tls-key.pem"))
  }

  struct Spoilt: CustomTestStringConvertible {
    let reason: SelfSignedCertificate.Reason
    var day: Int64 = 1
    var certificate: String?
    var key: String?
    var testDescription: String { "\(reason)" }
  }

  @Test(
    "An unusable certificate is replaced by a new one",
    arguments: [
      Spoilt(reason: .unreadable, certificate: "nothing"),
      Spoilt(reason: .unreadable, certificate: ""),
      Spoilt(reason: .unreadable, key: "nothing"),
      Spoilt(reason: .notYetValid, day: -2),
      Spoilt(reason: .expired, day: 367),
      Spoilt(reason: .expired, day: 4000),
    ])
  func makesAgain(_ spoilt: Spoilt) throws {
    _ = try loadOrCreate(at: now)
    let former = try directory.text(of: "tls-cert.pem")
    if let certificate = spoilt.certificate { try directory.write(certificate, to: "tls-cert.pem") }
    if let key = spoilt.key { try directory.write(key, to: "tls-key.pem") }
    let later = now + .seconds(spoilt.day * 86_400)
    #expect(try loadOrCreate(at: later).origin == .created(spoilt.reason))
    #expect(try directory.text(of: "tls-cert.pem") != former)
    #expect(directory.mode(of: "tls-key.pem") == 0o600)
    #expect(try loadOrCreate(at: later).origin == .loaded)
    #expect(directory.names() == ["tls-cert.pem", "tls-key.pem"])
  }

  @Test("A certificate and a private key that do not match are replaced")
  func mismatched() throws {
    let other = TemporaryFolder()
    _ = try loadOrCreate(at: now)
    _ = try SelfSignedCertificate.loadOrCreate(in: other.path, now: now, names: names)
    try directory.write(other.text(of: "tls-key.pem"), to: "tls-key.pem")
    #expect(try loadOrCreate(at: now).origin == .created(.mismatched))
    #expect(try loadOrCreate(at: now).origin == .loaded)
  }

  @Test("The permissions of other users for an existing key file are removed")
  func restricts() throws {
    _ = try loadOrCreate(at: now)
    directory.setMode(0o644, of: "tls-key.pem")
    #expect(try loadOrCreate(at: now).origin == .loaded)
    #expect(directory.mode(of: "tls-key.pem") == 0o600)
  }

  @Test(
    "If the directory for the self-signed certificate is missing, the error contains the directory's path")
  func noDirectory() {
    let error = #expect(throws: CertificateError.self) {
      try SelfSignedCertificate.loadOrCreate(in: directory.path + "/none", now: now, names: names)
    }
    #expect(
      error?.description
        == "cannot store a certificate in \(directory.path)/none/tls-key.pem.new: open: No such file or directory"
    )
  }

  @Test("Invalid and duplicate host names are omitted from the certificate's alternative names")
  func alternativeNames() {
    let names = AlternativeNames(
      hosts: [
        "localhost", "a,DNS:evil.test", "", ".local", "a..b", "10.0.0.1", "ä.test", "localhost", "a_b",
        "x-1.test",
      ],
      addresses: [IPAddress(v4: 1), IPAddress(v6High: 0, low: 0xffff_0000_0001)])
    #expect(names.hosts == ["localhost", "x-1.test"])
    #expect(names.addresses == [IPAddress(v4: 1)])
    let own = AlternativeNames.ofThisMachine()
    #expect(own.hosts.first == "localhost")
    #expect(own.addresses.prefix(2) == [IPAddress(v4: 0x7f00_0001), IPAddress(v6High: 0, low: 1)])
    #expect(own.addresses.allSatisfy { !$0.isLinkLocal })
  }

  private func loadOrCreate(at time: WallTime) throws -> SelfSignedCertificate {
    try SelfSignedCertificate.loadOrCreate(in: directory.path, now: time, names: names)
  }
}
