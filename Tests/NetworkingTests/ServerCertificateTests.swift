import Glibc
import Testing
import Networking
import Platform
import Primitives
import TestSupport

/// Keys and chains like those of certificate authorities, created by OpenSSL's command.
@Suite("Server certificates and keys, as certificate authorities issue them")
struct ServerCertificateTests {
  private let directory = TemporaryFolder()

  @discardableResult
  private func openssl(_ arguments: String...) throws -> String {
    try Command("openssl", arguments).output()
  }

  private func path(_ name: String) -> String { directory.path + "/" + name }

  /// Creates a root authority, an intermediate authority, and a certificate for `localhost` that the intermediate authority
  /// signs. `kind` contains the OpenSSL arguments that choose the key algorithm of this certificate.
  private func makeChain(_ kind: [String]) throws {
    try directory.write("basicConstraints=critical,CA:TRUE\n", to: "ca.ext")
    try directory.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n", to: "leaf.ext")
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9", "-subj",
      "/CN=Root", "-keyout", path("root.key"), "-out", path("root.pem"))
    for (name, issuer, extensions, kind) in [
      ("middle", "root", "ca.ext", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
      ("leaf", "middle", "leaf.ext", kind),
    ] {
      try Command(
        "openssl",
        ["req", "-new", "-newkey"] + kind + [
          "-nodes", "-subj", "/O=Größe/CN=\(name)", "-utf8", "-keyout", path("\(name).key"), "-out",
          path("\(name).csr"),
        ]
      ).output()
      try openssl(
        "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(issuer).pem"), "-CAkey",
        path("\(issuer).key"),
        "-set_serial", "7", "-days", "8", "-extfile", path(extensions), "-out", path("\(name).pem"))
    }
    try directory.write(directory.text(of: "leaf.pem") + directory.text(of: "middle.pem"), to: "chain.pem")
  }

  @Test(
    "Every common kind of key works with TLS 1.2 and 1.3, and the server sends the whole certificate chain",
    arguments: [
      ["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
      ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
      ["ed25519"],
    ])
  func kinds(_ kind: [String]) throws {
    try makeChain(kind)
    let server = try TLSServerContext(certificatePath: path("chain.pem"), keyPath: path("leaf.key"))
    for version in TLSVersion.allCases {
      let client = try TLSClientContext(
        trust: .certificates(path: path("root.pem")), versions: version...version)
      for host in ["localhost", "127.0.0.1"] {
        var pair = TLSPair(client: client.makeConnection(to: host), server: server.makeConnection())
        try pair.exchange()
        #expect(pair.client.isHandshakeComplete && pair.server.version == version)
      }
    }
    // A client that knows only the root does not trust a chain without the intermediate certificates.
    let alone = try TLSServerContext(certificatePath: path("leaf.pem"), keyPath: path("leaf.key"))
    let client = try TLSClientContext(trust: .certificates(path: path("root.pem")))
    var pair = TLSPair(client: client.makeConnection(to: "localhost"), server: alone.makeConnection())
    #expect(throws: TLSError.self) { try pair.exchange() }
    #expect(alone.certificate.fingerprint == server.certificate.fingerprint)
    #expect(alone.certificate.chain != server.certificate.chain)
  }

  @Test("The contents of a certificate agree with the output of OpenSSL's command")
  func facts() throws {
    try makeChain(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    let certificate = try TLSServerContext(certificatePath: path("chain.pem"), keyPath: path("leaf.key"))
      .certificate
    #expect(certificate.subject == "CN=leaf,O=Größe")
    #expect(certificate.names == "DNS:localhost, IP Address:127.0.0.1")
    #expect(certificate.notAfter - certificate.notBefore == 8 * 86_400)
    #expect(abs(certificate.notBefore - WallTime.now().secondsSince1970) < 600)
    let shown = try openssl("x509", "-in", path("leaf.pem"), "-noout", "-fingerprint", "-sha256")
    let digits = shown.split(separator: "=")[1].filter(\.isHexDigit).lowercased()
    #expect("\(certificate.fingerprint)" == digits)
  }

  @Test(
    "A certificate that never expires can be read, and so can a certificate without names",
    arguments: [("99991231235959Z", Int64(253_402_300_799)), ("20491231235959Z", 2_524_607_999)])
  func extremes(_ end: String, _ seconds: Int64) throws {
    try directory.write("", to: "index.txt")
    try directory.write("01\n", to: "serial")
    try directory.write(
      """
      [ca]
      default_ca = own
      [own]
      database = \(path("index.txt"))
      serial = \(path("serial"))
      new_certs_dir = \(directory.path)
      default_md = sha256
      policy = any
      [any]
      commonName = optional

      """, to: "ca.cnf")
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/",
      "-keyout",
      path("leaf.key"), "-out", path("leaf.csr"))
    try openssl(
      "ca", "-batch", "-config", path("ca.cnf"), "-selfsign", "-keyfile", path("leaf.key"), "-in",
      path("leaf.csr"), "-startdate", "20200101000000Z", "-enddate", end, "-notext", "-out", path("leaf.pem"))
    let certificate = try TLSServerContext(certificatePath: path("leaf.pem"), keyPath: path("leaf.key"))
      .certificate
    #expect(certificate.subject == "" && certificate.names == "")
    #expect(certificate.notBefore == 1_577_836_800)
    #expect(certificate.notAfter == seconds)
  }

  @Test(
    "Loading an encrypted private key fails with an error, and OpenSSL does not ask for a passphrase",
    arguments: [[], ["-traditional"]])
  func encryptedKey(_ form: [String]) throws {
    try makeChain(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    try Command(
      "openssl",
      ["pkey", "-in", path("leaf.key"), "-aes256", "-passout", "pass:secret", "-out", path("locked.key")]
        + form
    ).output()
    let error = #expect(throws: CertificateError.self) {
      try TLSServerContext(certificatePath: path("leaf.pem"), keyPath: path("locked.key"))
    }
    #expect(error == .keyEncrypted(path: path("locked.key")))
    #expect(error?.description.contains("\(path("locked.key")) is encrypted") == true)
  }

  @Test("If the key is too short to be secure, the error names the certificate's file and the reason")
  func weakKey() throws {
    try makeChain(["rsa:1024"])
    let error = #expect(throws: CertificateError.self) {
      try TLSServerContext(certificatePath: path("chain.pem"), keyPath: path("leaf.key"))
    }
    #expect(error?.description == "cannot use the certificate in \(path("chain.pem")): ee key too small")
  }
}
