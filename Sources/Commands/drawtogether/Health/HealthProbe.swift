internal import Gateway
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives

/// Asks a gateway on this machine for `/healthz`, as the container's health check does. Blocks the calling thread.
///
/// It goes to the http address, or to the https one where that is all there is; the certificate is not checked, since
/// the probe talks to its own machine and tells it nothing.
struct HealthProbe {
  /// Why a gateway does not count as well.
  enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The port is 0: which one the gateway took is known to nobody else.
    case portUnknown
    case address(ListenAddress, AddressError)
    case unreachable(SystemError)
    case tls(String)
    /// The answer was none of HTTP's.
    case noHTTP
    /// The connection ended before an answer.
    case noAnswer
    case late(limit: Duration)
    case status(Int)

    var description: String {
      switch self {
      case .portUnknown: "the address has port 0: health needs the port that the gateway was given"
      case .address(let address, let error): "\(address) \(error)"
      case .unreachable(let error): "the gateway cannot be reached (\(error))"
      case .tls(let words): "TLS failed (\(words))"
      case .noHTTP: "what answers is no gateway"
      case .noAnswer: "the gateway closed the connection without an answer"
      case .late(let limit): "no answer within \(limit)"
      case .status(let status): "the gateway answered \(status)"
      }
    }
  }

  private let deadline: MonotonicTime
  private let limit: Duration

  /// Asks the gateway of a configuration; returns when it is well.
  static func check(
    _ configuration: GatewayConfiguration, within limit: Duration = .seconds(4)
  ) throws(Fault) {
    guard let address = configuration.http ?? configuration.https, address.port != 0 else {
      throw .portUnknown
    }
    // A gateway with a public address answers to no other.
    let authority = configuration.publicURL?.authority ?? "localhost:\(address.port)"
    let request = RequestHead(
      .get, "/healthz",
      fields: ["Host": authority, "User-Agent": "drawtogether/\(Product.version)", "Connection": "close"])
    guard let request else { preconditionFailure("/healthz is a target") }
    let probe = HealthProbe(deadline: .now() + limit, limit: limit)
    let status = try probe.send(request, to: address, overTLS: configuration.http == nil)
    guard status == .ok else { throw .status(status.code) }
  }

  private func send(
    _ request: RequestHead, to address: ListenAddress, overTLS: Bool
  ) throws(Fault) -> Status {
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

  /// Sends the request, once TLS is ready for it, and reads until the answer's head is there.
  private func converse(
    _ request: RequestHead, over socket: Socket, _ tls: TLSConnection?
  ) throws(Fault) -> Status {
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
        throw .noHTTP
      }
    }
  }

  private func send(_ bytes: [UInt8], over socket: Socket) throws(Fault) {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
      case .sent(let count): sent += count
      case .wouldBlock: try wait(for: socket, .writable)
      case .failed(let error): throw .unreachable(error)
      }
    }
  }

  private func receive(into buffer: inout [UInt8], over socket: Socket) throws(Fault) -> Int {
    while true {
      switch socket.receive(into: &buffer) {
      case .received(let count): return count
      case .endOfStream: throw .noAnswer
      case .wouldBlock: try wait(for: socket, .readable)
      case .failed(let error): throw .unreachable(error)
      }
    }
  }

  private func wait(for socket: Socket, _ readiness: SocketReadiness) throws(Fault) {
    let left = max(.zero, deadline - .now())
    let isReady = try Self.reaching { () throws(SystemError) in
      try socket.wait(until: readiness, atMost: left)
    }
    guard isReady else { throw .late(limit: limit) }
  }

  /// Where to ask for a listener: at the loopback for one that takes every address.
  private static func resolve(_ address: ListenAddress) throws(Fault) -> SocketAddress {
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

  private static func makeTLS() throws(Fault) -> TLSConnection {
    do throws(TLSContextError) {
      return try TLSClientContext(trust: .anyone).makeConnection(to: "localhost")
    } catch {
      throw .tls(error.description)
    }
  }

  private static func securely(_ body: () throws(TLSError) -> Void) throws(Fault) {
    do throws(TLSError) {
      try body()
    } catch {
      throw .tls(error.description)
    }
  }

  private static func reaching<Result>(_ body: () throws(SystemError) -> Result) throws(Fault) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .unreachable(error)
    }
  }
}
