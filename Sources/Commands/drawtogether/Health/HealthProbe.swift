internal import Gateway
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives

/// Requests `/healthz` from a gateway on this machine, as the health check of a container. Blocks the calling thread.
///
/// The probe uses the http address, or the https address while http is off. It does not verify the certificate, since it talks
/// to its own machine and sends no secret.
struct HealthProbe {
  /// An error that makes a gateway unhealthy.
  enum ProbeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The port in the configuration is 0: the actual port is unknown.
    case portUnknown
    case address(ListenAddress, AddressError)
    case unreachable(SystemError)
    case tls(String)
    /// The answer is not HTTP.
    case notHTTP
    /// The connection was closed before an answer.
    case noAnswer
    case timeout(limit: Duration)
    case status(Int)

    var description: String {
      switch self {
      case .portUnknown: "the address has port 0: health needs the actual port of the gateway"
      case .address(let address, let error): "\(address) \(error)"
      case .unreachable(let error): "the gateway cannot be reached (\(error))"
      case .tls(let words): "TLS failed (\(words))"
      case .notHTTP: "the answer is not HTTP"
      case .noAnswer: "the gateway closed the connection without an answer"
      case .timeout(let limit): "no answer within \(limit)"
      case .status(let status): "the gateway answered \(status)"
      }
    }
  }

  private let deadline: MonotonicTime
  private let limit: Duration

  /// Checks the gateway of a configuration. Returns if it is healthy.
  static func check(
    _ configuration: GatewayConfiguration, within limit: Duration = .seconds(4)
  ) throws(ProbeError) {
    guard let address = configuration.http ?? configuration.https, address.port != 0 else {
      throw .portUnknown
    }
    // A gateway with a public URL refuses any other `Host`.
    let authority = configuration.publicURL?.authority ?? "localhost:\(address.port)"
    let request = RequestHead(
      .get, "/healthz",
      fields: ["Host": authority, "User-Agent": "drawtogether/\(Product.version)", "Connection": "close"])
    guard let request else { preconditionFailure("/healthz is a valid target") }
    let probe = HealthProbe(deadline: .now() + limit, limit: limit)
    let status = try probe.send(request, to: address, overTLS: configuration.http == nil)
    guard status == .ok else { throw .status(status.code) }
  }

  private func send(
    _ request: RequestHead, to address: ListenAddress, overTLS: Bool
  ) throws(ProbeError) -> Status {
    let target = try Self.resolve(address)
    let tls = overTLS ? try Self.makeTLS() : nil
    let connection: OwnedDescriptor
    do throws(SystemError) {
      connection = try Socket.connect(to: target)
    } catch {
      throw .unreachable(error)
    }
    let socket = Socket(connection.rawValue)
    try wait(for: socket, .writable)
    try Self.reaching { () throws(SystemError) in try socket.pendingError() }
    let status = try converse(request, over: socket, tls)
    _ = consume connection
    return status
  }

  /// Sends the request, after the TLS handshake if any, and reads the head of the answer.
  private func converse(
    _ request: RequestHead, over socket: Socket, _ tls: TLSConnection?
  ) throws(ProbeError) -> Status {
    var question: [UInt8] = []
    request.append(to: &question)
    var reader = ResponseReader()
    reader.expect(.get)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var outgoing: [UInt8] = []
    var answer: [UInt8] = []
    var position = 0
    if let tls {
      try Self.securely { () throws(TLSError) in
        _ = try tls.receive([UInt8]().span, plaintext: &answer, ciphertextOut: &outgoing)
      }
    } else {
      outgoing = question
    }
    while true {
      try send(outgoing, over: socket)
      outgoing = []
      let count = try receive(into: &buffer, over: socket)
      if let tls {
        try Self.securely { () throws(TLSError) in
          let progress = try tls.receive(
            buffer.span.extracting(0..<count), plaintext: &answer, ciphertextOut: &outgoing)
          if progress.hasCompletedHandshake { try tls.encrypt(question.span, into: &outgoing) }
        }
      } else {
        answer.append(contentsOf: buffer[..<count])
      }
      do throws(ResponseError) {
        while let event = try reader.next(in: answer.span, at: &position) {
          if case .head(let head) = event { return head.status }
        }
      } catch {
        throw .notHTTP
      }
    }
  }

  private func send(_ bytes: [UInt8], over socket: Socket) throws(ProbeError) {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
      case .sent(let count): sent += count
      case .wouldBlock: try wait(for: socket, .writable)
      case .failed(let error): throw .unreachable(error)
      }
    }
  }

  private func receive(into buffer: inout [UInt8], over socket: Socket) throws(ProbeError) -> Int {
    while true {
      switch socket.receive(into: &buffer) {
      case .received(let count): return count
      case .endOfStream: throw .noAnswer
      case .wouldBlock: try wait(for: socket, .readable)
      case .failed(let error): throw .unreachable(error)
      }
    }
  }

  private func wait(for socket: Socket, _ readiness: SocketReadiness) throws(ProbeError) {
    let left = max(.zero, deadline - .now())
    let isReady = try Self.reaching { () throws(SystemError) in
      try socket.wait(until: readiness, atMost: left)
    }
    guard isReady else { throw .timeout(limit: limit) }
  }

  /// Returns the address for a request to a listener: loopback for a wildcard address.
  private static func resolve(_ address: ListenAddress) throws(ProbeError) -> SocketAddress {
    if address.isWildcard {
      let loopback = address.host == "::" ? IPAddress(v6High: 0, low: 1) : IPAddress(v4: 0x7F00_0001)
      return SocketAddress(ip: loopback, port: address.port)
    }
    do throws(AddressError) {
      return try SocketAddress(address.description)
    } catch {
      throw .address(address, error)
    }
  }

  private static func makeTLS() throws(ProbeError) -> TLSConnection {
    do throws(TLSContextError) {
      return try TLSClientContext(trust: .anyone).makeConnection(to: "localhost")
    } catch {
      throw .tls(error.description)
    }
  }

  private static func securely(_ body: () throws(TLSError) -> Void) throws(ProbeError) {
    do throws(TLSError) {
      try body()
    } catch {
      throw .tls(error.description)
    }
  }

  private static func reaching<Result>(_ body: () throws(SystemError) -> Result) throws(ProbeError) -> Result
  {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .unreachable(error)
    }
  }
}
