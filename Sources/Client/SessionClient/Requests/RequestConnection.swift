internal import Networking
internal import Platform
internal import Primitives

/// A connection to a gateway, plain or over TLS, for a thread that may block.
///
/// Every wait ends at its deadline or at a cancellation. The addresses are resolved before the connection is created.
final class RequestConnection {
  /// The result of a read.
  enum ReceiveResult {
    /// The number of received bytes, before decryption.
    case bytes(Int)
    case nothing
    case endOfStream
  }

  private static let bufferBytes = 131_072
  /// The number of plain-text bytes that are sent before the socket is checked for a response.
  private static let chunkBytes = 262_144

  private let gateway: GatewayAddress
  private let timeouts: RequestTimeouts
  private let cancellation: CancellationToken
  private let descriptor: OwnedDescriptor
  private let tls: TLSConnection?
  private var buffer = [UInt8](repeating: 0, count: bufferBytes)
  /// The received bytes, decrypted. `HTTPExchange` removes the bytes that it processes.
  var received: [UInt8] = []

  private var socket: Socket { Socket(descriptor.rawValue) }

  /// Connects, including the TLS handshake.
  ///
  /// - Throws: `unreachable`, `notTrusted`, `noGateway`, `cancelled`.
  init(
    to gateway: GatewayAddress, at addresses: [SocketAddress], _ timeouts: RequestTimeouts,
    _ cancellation: CancellationToken
  ) throws(SessionClientError) {
    let limit = timeouts.connect
    self.gateway = gateway
    self.timeouts = timeouts
    self.cancellation = cancellation
    let deadline = MonotonicTime.now() + limit
    tls = gateway.isSecure ? try Self.makeTLS(gateway) : nil
    descriptor = try Self.connect(to: gateway, at: addresses, by: deadline, cancellation)
    if let tls { try performHandshake(tls, by: deadline, limit) }
  }

  deinit {
    cancellation.stopWatching()
  }

  // MARK: - Sending

  /// Sends the first bytes, up to one chunk.
  ///
  /// - Parameters:
  ///   - bytes: the bytes to be sent.
  ///   - whenReadable: called after each wait for a socket whose send buffer was full; reads the bytes that have arrived, and
  ///     returns false to stop sending.
  /// - Returns: the number of sent bytes; 0 if `whenReadable` stopped the sending.
  /// - Throws: when the connection broke, or accepted fewer than `stallBytes` bytes in the time `stall`.
  func sendChunk(
    of bytes: Span<UInt8>, whenReadable: () throws(SessionClientError) -> Bool
  ) throws(SessionClientError) -> Int {
    guard let tls else {
      let piece = bytes.extracting(first: Self.chunkBytes)
      return try sendRaw(piece, whenReadable) ? piece.count : 0
    }
    let piece = bytes.extracting(first: TLSConnection.encryptLimitInBytes)
    var records: [UInt8] = []
    try mappingTLSErrors { () throws(TLSError) in try tls.encrypt(piece, into: &records) }
    return try sendRaw(records.span, whenReadable) ? piece.count : 0
  }

  private func sendRaw(
    _ bytes: Span<UInt8>, _ whenReadable: () throws(SessionClientError) -> Bool
  ) throws(SessionClientError) -> Bool {
    var rest = bytes
    var rate = StallDetector(timeouts)
    while !rest.isEmpty {
      switch socket.send(rest) {
      case .sent(let count):
        rest = rest.extracting(droppingFirst: count)
        rate.record(count)
      case .wouldBlock:
        guard try wait(until: .either, by: rate.deadline) else {
          throw .unreachable(
            "\(gateway) accepted less than \(timeouts.stallBytes) bytes in \(timeouts.stall)")
        }
        guard try whenReadable() else { return false }
      case .failed(let error):
        throw broken(error)
      }
    }
    return true
  }

  // MARK: - Receiving

  /// Appends the available bytes, decrypted, to `received`. Does not wait.
  func receive() throws(SessionClientError) -> ReceiveResult {
    switch socket.receive(into: &buffer) {
    case .received(let count):
      guard let tls else {
        received.append(contentsOf: buffer[..<count])
        return .bytes(count)
      }
      let received = buffer
      return try decrypt(received.span.extracting(0..<count), by: tls).hasPeerClosed
        ? .endOfStream : .bytes(count)
    case .endOfStream: return .endOfStream
    case .wouldBlock: return .nothing
    case .failed(let error): throw broken(error)
    }
  }

  /// Waits until the socket is ready or broken.
  ///
  /// - Returns: false when the deadline has passed.
  func wait(until readiness: SocketReadiness, by deadline: MonotonicTime) throws(SessionClientError) -> Bool {
    let isReady = try Self.wait(for: socket, until: readiness, by: deadline, gateway)
    guard !cancellation.isCancelled else { throw .cancelled }
    return isReady
  }

  private func broken(_ error: SystemError) -> SessionClientError {
    cancellation.isCancelled ? .cancelled : .unreachable("the connection to \(gateway) broke: \(error)")
  }

  // MARK: - TLS

  private static func makeTLS(_ gateway: GatewayAddress) throws(SessionClientError) -> TLSConnection {
    do throws(CertificateError) {
      return try TLSContextCache.context(for: gateway).makeConnection(to: gateway.host)
    } catch {
      throw .notTrusted("\(error)")
    }
  }

  private func performHandshake(
    _ tls: TLSConnection, by deadline: MonotonicTime, _ limit: Duration
  ) throws(SessionClientError) {
    let nothing: [UInt8] = []
    _ = try decrypt(nothing.span, by: tls)
    while !tls.isHandshakeComplete {
      switch try receive() {
      case .bytes: break
      case .endOfStream:
        throw .unreachable("\(gateway) closed the connection during the TLS handshake")
      case .nothing:
        guard try wait(until: .readable, by: deadline) else {
          throw .unreachable("\(gateway) did not finish the TLS handshake within \(limit)")
        }
      }
    }
  }

  /// Decrypts bytes, appends them to `received`, and sends the bytes with which TLS answers.
  @discardableResult
  private func decrypt(
    _ ciphertext: Span<UInt8>, by tls: TLSConnection
  ) throws(SessionClientError) -> TLSConnection.Progress {
    var out: [UInt8] = []
    let progress: TLSConnection.Progress
    do throws(SessionClientError) {
      progress = try mappingTLSErrors { () throws(TLSError) in
        try tls.receive(ciphertext, plaintext: &received, ciphertextOut: &out)
      }
    } catch {
      // `out` contains the TLS alert that tells the gateway why the connection fails. If the alert cannot be sent, that error is
      // ignored.
      _ = socket.send(out.span)
      throw error
    }
    _ = try sendRaw(out.span) { () throws(SessionClientError) in true }
    return progress
  }

  private func mappingTLSErrors<Result>(_ body: () throws(TLSError) -> Result) throws(SessionClientError)
    -> Result
  {
    do throws(TLSError) {
      return try body()
    } catch {
      throw SessionClientError(error, of: gateway)
    }
  }
}

extension SessionClientError {
  /// Creates the error for a TLS failure, with a remedy.
  init(_ error: TLSError, of gateway: GatewayAddress) {
    switch error {
    case .certificateNotTrusted:
      let remedy =
        gateway.certificates.map { "; the additional trusted certificates are in \($0)" }
        ?? "; to trust the gateway, "
        + "set DRAWTOGETHER_GATEWAY_CERTIFICATES to a PEM file with the gateway's certificate"
      self = .notTrusted("\(gateway) is not trusted: \(error)\(remedy)")
    case .alertReceived:
      self = .unreachable("\(gateway) aborted TLS: \(error)")
    case .invalidClientHello, .protocolViolation:
      self = .noGateway(
        "\(gateway) does not use TLS as a gateway does (\(error)): does its address begin with http://?")
    }
  }
}
