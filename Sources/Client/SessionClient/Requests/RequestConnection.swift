internal import Networking
internal import Platform
internal import Primitives

/// A connection to a gateway for a thread that may block: plain or over TLS.
///
/// Every wait has an end, by the time that is named or by `abandonment`; who has to be asked for addresses was asked before.
final class RequestConnection {
  /// What came of a look at the socket.
  enum Arrival {
    /// So many, as they were sent.
    case bytes(Int)
    case nothing
    case endOfStream
  }

  private static let bufferBytes = 131_072
  /// How much goes out in plain text before the socket is looked at for an answer.
  private static let pieceBytes = 262_144

  private let gateway: GatewayAddress
  private let patience: RequestPatience
  private let abandonment: Abandonment
  private let descriptor: OwnedDescriptor
  private let tls: TLSConnection?
  private var buffer = [UInt8](repeating: 0, count: bufferBytes)
  /// What came and was not read yet; whoever reads takes it from the front.
  var unread: [UInt8] = []

  private var socket: Socket { Socket(descriptor.rawValue) }

  /// Connects, and shakes hands over TLS.
  ///
  /// - Throws: `unreachable`, `notTrusted`, `noGateway`, `cancelled`.
  init(
    to gateway: GatewayAddress, at addresses: [SocketAddress], _ patience: RequestPatience,
    _ abandonment: Abandonment
  ) throws(RequestFailure) {
    let limit = patience.connecting
    self.gateway = gateway
    self.patience = patience
    self.abandonment = abandonment
    let deadline = MonotonicTime.now() + limit
    tls = gateway.isSecure ? try Self.makeTLS(gateway) : nil
    descriptor = try Self.connect(to: gateway, at: addresses, by: deadline, abandonment)
    if let tls { try shakeHands(tls, by: deadline, limit) }
  }

  deinit {
    abandonment.stopWatching()
  }

  // MARK: - Sending

  /// Sends the first bytes: as many as make one piece.
  ///
  /// - Parameters:
  ///   - bytes: what is to be sent.
  ///   - whenReadable: called while there is no room and something came; says whether to go on.
  /// - Returns: how many went; 0 when it was not to go on.
  /// - Throws: when the connection broke, or took less than `stallBytes` for `stall`.
  func sendPiece(
    of bytes: Span<UInt8>, whenReadable: () throws(RequestFailure) -> Bool
  ) throws(RequestFailure) -> Int {
    guard let tls else {
      let piece = bytes.extracting(first: Self.pieceBytes)
      return try sendRaw(piece, whenReadable) ? piece.count : 0
    }
    let piece = bytes.extracting(first: TLSConnection.encryptLimitInBytes)
    var records: [UInt8] = []
    try securely { () throws(TLSError) in try tls.encrypt(piece, into: &records) }
    return try sendRaw(records.span, whenReadable) ? piece.count : 0
  }

  private func sendRaw(
    _ bytes: Span<UInt8>, _ whenReadable: () throws(RequestFailure) -> Bool
  ) throws(RequestFailure) -> Bool {
    var rest = bytes
    var rate = LeastRate(patience)
    while !rest.isEmpty {
      switch socket.send(rest) {
      case .sent(let count):
        rest = rest.extracting(droppingFirst: count)
        rate.note(count)
      case .wouldBlock:
        guard try wait(until: .either, by: rate.deadline) else {
          throw .unreachable("\(gateway) took less than \(patience.stallBytes) bytes for \(patience.stall)")
        }
        guard try whenReadable() else { return false }
      case .failed(let error):
        throw broken(error)
      }
    }
    return true
  }

  // MARK: - Receiving

  /// Takes what has come, decrypted, to the end of `unread`. Does not wait.
  func receive() throws(RequestFailure) -> Arrival {
    switch socket.receive(into: &buffer) {
    case .received(let count):
      guard let tls else {
        unread.append(contentsOf: buffer[..<count])
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

  /// Waits until the socket is ready or broken (`true`), or the time is over (`false`).
  func wait(until readiness: SocketReadiness, by deadline: MonotonicTime) throws(RequestFailure) -> Bool {
    let isReady = try Self.wait(for: socket, until: readiness, by: deadline, gateway)
    guard !abandonment.isAbandoned else { throw .cancelled }
    return isReady
  }

  private func broken(_ error: SystemError) -> RequestFailure {
    abandonment.isAbandoned ? .cancelled : .unreachable("the connection to \(gateway) broke: \(error)")
  }

  // MARK: - TLS

  private static func makeTLS(_ gateway: GatewayAddress) throws(RequestFailure) -> TLSConnection {
    do throws(TLSContextError) {
      return try TrustedContexts.context(for: gateway).makeConnection(to: gateway.host)
    } catch {
      throw .notTrusted("\(error)")
    }
  }

  private func shakeHands(
    _ tls: TLSConnection, by deadline: MonotonicTime, _ limit: Duration
  ) throws(RequestFailure) {
    let nothing: [UInt8] = []
    _ = try decrypt(nothing.span, by: tls)
    while !tls.isHandshakeComplete {
      switch try receive() {
      case .bytes: break
      case .endOfStream:
        throw .unreachable("\(gateway) closed the connection in the middle of TLS's handshake")
      case .nothing:
        guard try wait(until: .readable, by: deadline) else {
          throw .unreachable("\(gateway) did not come to an end with TLS's handshake within \(limit)")
        }
      }
    }
  }

  /// Decrypts to the end of `unread`, and sends what TLS has to say to that.
  @discardableResult
  private func decrypt(
    _ ciphertext: Span<UInt8>, by tls: TLSConnection
  ) throws(RequestFailure) -> TLSConnection.Progress {
    var out: [UInt8] = []
    let progress: TLSConnection.Progress
    do throws(RequestFailure) {
      progress = try securely { () throws(TLSError) in
        try tls.receive(ciphertext, plaintext: &unread, ciphertextOut: &out)
      }
    } catch {
      // Best effort: the alert that tells the gateway why.
      _ = socket.send(out.span)
      throw error
    }
    _ = try sendRaw(out.span) { () throws(RequestFailure) in true }
    return progress
  }

  private func securely<Result>(_ body: () throws(TLSError) -> Result) throws(RequestFailure) -> Result {
    do throws(TLSError) {
      return try body()
    } catch {
      throw RequestFailure(error, of: gateway)
    }
  }
}

extension RequestFailure {
  /// What TLS met with a gateway, in words a person can act on.
  init(_ error: TLSError, of gateway: GatewayAddress) {
    switch error {
    case .certificateNotTrusted:
      let remedy =
        gateway.certificates.map { "; \($0) is where certificates are that are believed besides" }
        ?? "; a PEM file with the gateway's certificate may be named to be believed besides "
        + "(DRAWTOGETHER_GATEWAY_CERTIFICATES)"
      self = .notTrusted("\(gateway) is not to be trusted: \(error)\(remedy)")
    case .alertReceived:
      self = .unreachable("\(gateway) broke TLS off: \(error)")
    case .noClientHello, .protocolViolation:
      self = .noGateway("\(gateway) does not speak TLS as a gateway does (\(error)): is it http:// there?")
    }
  }
}
