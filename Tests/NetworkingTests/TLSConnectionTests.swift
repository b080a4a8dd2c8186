import Testing
import Networking

@Suite("TLS connections work on byte buffers, without sockets")
struct TLSConnectionTests {
  private let contexts: TLSFixture.Contexts

  init() throws {
    contexts = try TLSFixture.Contexts()
  }

  struct Case: CustomTestStringConvertible {
    let version: TLSVersion
    let pieceSize: Int
    var testDescription: String { "\(version.name), \(pieceSize == .max ? "whole" : "by \(pieceSize)")" }

    static let all = TLSVersion.allCases.flatMap { version in
      [1, 7, 1000, .max].map { Case(version: version, pieceSize: $0) }
    }
  }

  @Test("A handshake and 100 KB in each direction work for any division of the bytes", arguments: Case.all)
  func exchange(_ given: Case) throws {
    var pair = TLSPair(
      client: try contexts.client(given.version...given.version).makeConnection(to: "localhost"),
      server: try contexts.server().makeConnection())
    try pair.exchange(inPiecesOf: given.pieceSize)
    #expect(pair.client.isHandshakeComplete && pair.server.isHandshakeComplete)
    #expect(pair.server.version == given.version)
    #expect(pair.server.negotiatedProtocol == "http/1.1")
    #expect(!pair.server.wasResumed)
    let up = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let down = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    try pair.clientSends(up)
    try pair.serverSends(down)
    try pair.exchange(inPiecesOf: given.pieceSize)
    #expect(pair.atServer == up)
    #expect(pair.atClient == down)
  }

  @Test(
    "The negotiated cipher suite is AEAD with forward secrecy, and is reported with its name in the RFCs",
    arguments: TLSVersion.allCases
  )
  func cipher(_ version: TLSVersion) throws {
    var pair = try pair(version)
    #expect(pair.server.cipher == nil)
    #expect(pair.server.version == nil)
    try pair.exchange()
    let cipher = try #require(pair.server.cipher)
    #expect(cipher.hasPrefix(version == .v1_2 ? "TLS_ECDHE_ECDSA_WITH_" : "TLS_"))
    #expect(cipher.contains("GCM") || cipher.contains("CHACHA20"))
  }

  @Test(
    "A session ticket resumes its TLS session on another connection with the same server context",
    arguments: TLSVersion.allCases)
  func resumption(_ version: TLSVersion) throws {
    let server = try contexts.server()
    let client = try contexts.client(version...version)
    var first = TLSPair(client: client.makeConnection(to: "localhost"), server: server.makeConnection())
    try first.exchange()
    let session = try #require(first.client.session)
    var second = TLSPair(
      client: client.makeConnection(to: "localhost", resuming: session), server: server.makeConnection())
    try second.exchange()
    #expect(second.server.wasResumed && second.client.wasResumed)
    #expect(second.server.negotiatedProtocol == "http/1.1")
    let other = try contexts.server()
    var third = TLSPair(
      client: client.makeConnection(to: "localhost", resuming: session), server: other.makeConnection())
    try third.exchange()
    #expect(
      !third.server.wasResumed, "another context cannot open the ticket, and says so by a full handshake")
    #expect(third.server.isHandshakeComplete)
  }

  @Test(
    "Data that directly follows the handshake, even a record of one byte, is returned by the call that receives it",
    arguments: TLSVersion.allCases)
  func dataBehindHandshake(_ version: TLSVersion) throws {
    var pair = try pair(version)
    while true {
      try pair.deliverToClient()
      if pair.client.isHandshakeComplete { break }
      try pair.deliverToServer()
    }
    try pair.clientSends([0x41])
    let progress = try pair.deliverToServer()
    #expect(progress.hasCompletedHandshake == (version == .v1_3))
    #expect(!progress.hasPeerClosed)
    #expect(pair.atServer == [0x41])
  }

  @Test(
    "close_notify ends one direction and is sent once; bytes after it are dropped",
    arguments: TLSVersion.allCases)
  func closing(_ version: TLSVersion) throws {
    var pair = try pair(version)
    pair.client.close(into: &pair.toServer)
    #expect(pair.toServer.isEmpty, "before the handshake, closing sends nothing")
    try pair.exchange()
    try pair.clientSends([1, 2, 3])
    pair.client.close(into: &pair.toServer)
    let length = pair.toServer.count
    pair.client.close(into: &pair.toServer)
    #expect(pair.toServer.count == length)
    pair.toServer += [22, 3, 3, 0, 1, 0]
    let progress = try pair.deliverToServer()
    #expect(progress.hasPeerClosed)
    #expect(pair.atServer == [1, 2, 3])
    pair.toServer = [23]
    #expect(try pair.deliverToServer().hasPeerClosed)
    pair.server.close(into: &pair.toClient)
    #expect(
      try pair.deliverToClient()
        .hasPeerClosed)
  }

  @Test("After the peer's close_notify, this side can still send data", arguments: TLSVersion.allCases)
  func halfClosed(_ version: TLSVersion) throws {
    var pair = try pair(version)
    try pair.exchange()
    pair.client.close(into: &pair.toServer)
    try pair.deliverToServer()
    try pair.serverSends([9, 9])
    try pair.deliverToClient()
    #expect(pair.atClient == [9, 9])
  }

  @Test(
    "Receiving a modified TLS record fails the connection, and produces an alert to send to the peer",
    arguments: TLSVersion.allCases)
  func tampered(_ version: TLSVersion) throws {
    var pair = try pair(version)
    try pair.exchange()
    try pair.clientSends([1, 2, 3])
    pair.toServer[pair.toServer.count - 1] ^= 1
    #expect(throws: TLSError.self) {
      try pair.deliverToServer()
    }
    #expect(pair.atServer.isEmpty)
    #expect(pair.toClient.first == (version == .v1_2 ? 21 : 23))
    // RFC 8446 §6.2: the peer reads the alert bad_record_mac.
    #expect(throws: TLSError.alertReceived(20)) {
      try pair.deliverToClient()
    }
    pair.toServer = [23]
    #expect(throws: TLSError.self, "a later call throws the error again") { try pair.deliverToServer() }
    #expect(throws: TLSError.self) { try pair.serverSends([1]) }
    let length = pair.toClient.count
    pair.server.close(into: &pair.toClient)
    #expect(pair.toClient.count == length)
  }

  @Test(
    "New connections use the newest context, and open connections keep the context with which they were created"
  )
  func holder() throws {
    let holder = TLSServerContextHolder(try contexts.server(.v1_2 ... .v1_2))
    let old = holder.current.makeConnection()
    holder.replace(with: try contexts.server(.v1_3 ... .v1_3))
    for (server, version) in [(old, TLSVersion.v1_2), (holder.current.makeConnection(), .v1_3)] {
      var pair = TLSPair(client: try contexts.client().makeConnection(to: "localhost"), server: server)
      try pair.exchange()
      #expect(pair.server.version == version)
    }
  }

  @Test(
    "Each call to send or receive appends its bytes to the caller's output array, and keeps the bytes that are already there"
  )
  func appends() throws {
    var pair = try pair(.v1_3)
    try pair.exchange()
    pair.atServer = [0xaa]
    try pair.clientSends([1])
    let first = pair.toServer
    try pair.clientSends([2])
    #expect(Array(pair.toServer.prefix(first.count)) == first)
    try pair.deliverToServer()
    #expect(pair.atServer == [0xaa, 1, 2])
  }

  private func pair(_ version: TLSVersion) throws -> TLSPair {
    TLSPair(
      client: try contexts.client(version...version).makeConnection(to: "localhost"),
      server: try contexts.server().makeConnection())
  }
}
