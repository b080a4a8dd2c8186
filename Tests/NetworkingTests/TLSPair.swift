import Testing
import Networking
import Platform
import TestSupport

/// A certificate and contexts that trust it. They are created once for all tests.
enum TLSFixture {
  struct Contexts {
    let directory: TemporaryFolder
    let certificate: SelfSignedCertificate

    init() throws {
      directory = TemporaryFolder()
      certificate = try SelfSignedCertificate.loadOrCreate(
        in: directory.path, now: .now(),
        names: AlternativeNames(
          hosts: ["localhost", "gateway.test"], addresses: [IPAddress(v4: 0x7f00_0001)]))
    }

    func server(_ versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3) throws -> TLSServerContext {
      try TLSServerContext(
        certificatePath: certificate.certificatePath, keyPath: certificate.keyPath, versions: versions)
    }

    func client(_ versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3) throws -> TLSClientContext {
      try TLSClientContext(
        trust: .certificates(path: certificate.certificatePath), versions: versions)
    }
  }
}

/// A client and a server connected in memory. Each direction stores its bytes in transit and the received bytes.
struct TLSPair {
  let client: TLSConnection
  let server: TLSConnection
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  var atServer: [UInt8] = []
  var atClient: [UInt8] = []

  init(client: TLSConnection, server: TLSConnection) {
    self.client = client
    self.server = server
  }

  /// Starts the client, and delivers bytes in both directions, in pieces of at most `size`, until no bytes are in transit.
  mutating func exchange(inPiecesOf size: Int = .max) throws {
    try deliverToClient()
    while !toServer.isEmpty || !toClient.isEmpty {
      try deliverToServer(inPiecesOf: size)
      try deliverToClient(inPiecesOf: size)
    }
  }

  /// Delivers the client's bytes to the server, in pieces of at most `size`. Returns the progress after the last piece.
  @discardableResult
  mutating func deliverToServer(inPiecesOf size: Int = .max) throws -> TLSConnection.Progress {
    let bytes = toServer
    toServer = []
    var progress = TLSConnection.Progress.none
    for piece in Self.pieces(of: bytes, size: size) {
      progress = try server.receive(piece.span, plaintext: &atServer, ciphertextOut: &toClient)
    }
    return progress
  }

  /// Delivers the server's bytes to the client, in pieces of at most `size`. If the server has sent no bytes, delivers an empty
  /// piece. Returns the progress after the last piece.
  @discardableResult
  mutating func deliverToClient(inPiecesOf size: Int = .max) throws -> TLSConnection.Progress {
    let bytes = toClient
    toClient = []
    var progress = TLSConnection.Progress.none
    for piece in bytes.isEmpty ? [[]] : Self.pieces(of: bytes, size: size) {
      progress = try client.receive(piece.span, plaintext: &atClient, ciphertextOut: &toServer)
    }
    return progress
  }

  /// Encrypts bytes on the client, in calls of at most `encryptLimitInBytes`.
  mutating func clientSends(_ bytes: [UInt8]) throws {
    for piece in Self.pieces(of: bytes, size: TLSConnection.encryptLimitInBytes) {
      try client.encrypt(piece.span, into: &toServer)
    }
  }

  /// Encrypts bytes on the server, in calls of at most `encryptLimitInBytes`.
  mutating func serverSends(_ bytes: [UInt8]) throws {
    for piece in Self.pieces(of: bytes, size: TLSConnection.encryptLimitInBytes) {
      try server.encrypt(piece.span, into: &toClient)
    }
  }

  static func pieces(of bytes: [UInt8], size: Int) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let end = size < bytes.count - start ? start + size : bytes.count
      pieces.append(Array(bytes[start..<end]))
      start = end
    }
    return pieces
  }
}
