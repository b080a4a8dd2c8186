package import HTTP
package import Networking
package import Platform
internal import Primitives

/// A blocking HTTP client, plain or over TLS. It does not verify certificates.
package struct BlockingHTTPClient {
  /// A server's complete response to a request.
  package struct Response: Sendable {
    package let status: Status
    package let fields: FieldList
    package let body: [UInt8]
  }

  /// An error of a request.
  package enum RequestError: Error, Equatable, Sendable {
    case unreachable(SystemError)
    case tls(String)
    /// The answer is not HTTP.
    case notHTTP
    /// The server closed the connection before its answer was complete.
    case noAnswer
    case timeout
  }

  private let address: SocketAddress
  private let context: TLSClientContext?
  private let host: String
  private let timeout: Duration

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - address: the address of the server.
  ///   - host: the name of the server for TLS, without brackets.
  ///   - isSecure: true to use TLS.
  ///   - timeout: the maximum duration of a request.
  /// - Throws: `RequestError.tls` if TLS cannot be set up.
  package init(
    to address: SocketAddress, host: String, isSecure: Bool, timeout: Duration
  ) throws(RequestError) {
    self.address = address
    self.host = host
    self.timeout = timeout
    do throws(CertificateError) {
      context = isSecure ? try TLSClientContext(trust: .unverified) : nil
    } catch {
      throw .tls(error.description)
    }
  }

  /// Sends a request without a body over a new connection. Blocks the calling thread until the answer is complete.
  package func send(_ request: RequestHead) throws(RequestError) -> Response {
    guard let response = try send(CollectionOfOne(request)).first else { throw .noAnswer }
    return response
  }

  /// Sends requests without bodies over one new connection, each after the answer to the previous request. After a refusal,
  /// sends no more requests. Blocks the calling thread until the last answer is complete. The timeout applies to each request.
  package func send(_ requests: some Sequence<RequestHead>) throws(RequestError) -> [Response] {
    let descriptor: OwnedDescriptor
    do throws(SystemError) {
      descriptor = try Socket.connect(to: address)
    } catch {
      throw .unreachable(error)
    }
    var connection = Connection(
      socket: Socket(descriptor.rawValue), tls: context?.makeConnection(to: host), deadline: .now() + timeout)
    try connection.open()
    var responses: [Response] = []
    for request in requests {
      connection.deadline = .now() + timeout
      let response = try connection.exchange(request)
      responses.append(response)
      if response.status.code >= 300 { break }
    }
    _ = consume descriptor
    return responses
  }
}

/// A connection for one or more requests.
private struct Connection {
  typealias RequestError = BlockingHTTPClient.RequestError

  let socket: Socket
  let tls: TLSConnection?
  /// The deadline of the current request.
  var deadline: MonotonicTime
  /// The received bytes that are not parsed yet.
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(socket: Socket, tls: TLSConnection?, deadline: MonotonicTime) {
    self.socket = socket
    self.tls = tls
    self.deadline = deadline
  }

  /// Waits until the connection is established, with TLS until the handshake is complete.
  mutating func open() throws(RequestError) {
    try wait(.writable)
    try system { () throws(SystemError) in try socket.pendingError() }
    guard tls != nil else { return }
    var isComplete = try decrypt([])
    while !isComplete {
      let count = try receive()
      guard count > 0 else { throw .noAnswer }
      isComplete = try decrypt(Array(buffer[..<count]))
    }
  }

  /// Sends a request and returns its answer.
  mutating func exchange(_ head: RequestHead) throws(RequestError) -> BlockingHTTPClient.Response {
    var request: [UInt8] = []
    head.append(to: &request)
    var reader = ResponseReader()
    reader.expect(head.method)
    var responseHead: ResponseHead?
    var body: [UInt8] = []
    try send(tls == nil ? request : encrypted(request))
    while true {
      let count = try receive()
      if tls == nil {
        received.append(contentsOf: buffer[..<count])
      } else if count > 0 {
        _ = try decrypt(Array(buffer[..<count]))
      }
      var position = 0
      do throws(MessageError) {
        while let event = try count == 0 && responseHead != nil
          ? reader.finish() : reader.next(in: received.span, at: &position)
        {
          switch event {
          case .interim: break
          case .head(let head): responseHead = head
          case .body(let range): body.append(contentsOf: received[range])
          case .end:
            guard let responseHead else { continue }
            received.removeSubrange(..<position)
            return BlockingHTTPClient.Response(
              status: responseHead.status, fields: responseHead.fields, body: body)
          }
        }
      } catch {
        throw .notHTTP
      }
      received.removeSubrange(..<position)
      if count == 0 { throw .noAnswer }
    }
  }

  /// Decrypts received bytes and sends the handshake's next messages. Returns true if these bytes completed the handshake.
  private mutating func decrypt(_ bytes: [UInt8]) throws(RequestError) -> Bool {
    guard let tls else { return false }
    var output: [UInt8] = []
    let isComplete: Bool
    do throws(TLSError) {
      isComplete = try tls.receive(bytes.span, plaintext: &received, ciphertextOut: &output)
        .hasCompletedHandshake
    } catch {
      throw .tls(error.description)
    }
    try send(output)
    return isComplete
  }

  private func encrypted(_ bytes: [UInt8]) throws(RequestError) -> [UInt8] {
    var output: [UInt8] = []
    do throws(TLSError) {
      try tls?.encrypt(bytes.span, into: &output)
    } catch {
      throw .tls(error.description)
    }
    return output
  }

  private func send(_ bytes: [UInt8]) throws(RequestError) {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
      case .sent(let count): sent += count
      case .wouldBlock: try wait(.writable)
      case .failed(let error): throw .unreachable(error)
      }
    }
  }

  /// Returns the number of received bytes; 0 at the end of the stream.
  private mutating func receive() throws(RequestError) -> Int {
    while true {
      switch socket.receive(into: &buffer) {
      case .received(let count): return count
      case .endOfStream: return 0
      case .wouldBlock: try wait(.readable)
      case .failed(let error): throw .unreachable(error)
      }
    }
  }

  private func wait(_ readiness: SocketReadiness) throws(RequestError) {
    let left = max(.zero, deadline - .now())
    let isReady = try system { () throws(SystemError) in try socket.wait(until: readiness, atMost: left) }
    guard isReady else { throw .timeout }
  }

  private func system<Result>(_ body: () throws(SystemError) -> Result) throws(RequestError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .unreachable(error)
    }
  }
}
