internal import FoundationEssentials
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives

/// A receiver of a response body.
protocol ContentReceiver: AnyObject {
  /// Begins a response.
  ///
  /// - Returns: true if this object receives the body; false to collect the body in `HTTPResponse.body`, for example for the text
  ///   of a refusal.
  func begin(_ head: ResponseHead) throws(SessionClientError) -> Bool
  /// Receives more of the body.
  func receive(_ bytes: ArraySlice<UInt8>) throws(SessionClientError)
}

/// One request and its response, on its own connection and on a thread that may block.
final class HTTPExchange {
  private let request: HTTPRequest
  private let gateway: GatewayAddress
  private let timeouts: RequestTimeouts
  private let connection: RequestConnection
  private let receiver: (any ContentReceiver)?
  private var reader = ResponseReader()
  private var response: HTTPResponse?
  private var isReceiving = false
  private var isComplete = false
  /// Detects that the response body has stalled.
  private var rate: StallDetector

  /// Creates the exchange and connects to the gateway.
  private init(
    _ request: HTTPRequest, to gateway: GatewayAddress, at addresses: [SocketAddress],
    _ timeouts: RequestTimeouts, _ cancellation: CancellationToken, _ receiver: (any ContentReceiver)?
  ) throws(SessionClientError) {
    self.request = request
    self.gateway = gateway
    self.timeouts = timeouts
    self.receiver = receiver
    connection = try RequestConnection(to: gateway, at: addresses, timeouts, cancellation)
    rate = StallDetector(timeouts)
    reader.expect(request.method)
    // A collected body is limited to `responseLimit`. A receiver checks the length itself.
    reader.bodyLimit = receiver == nil ? request.responseLimit : .max
  }

  /// Sends a request and waits for its response, of any status.
  ///
  /// - Throws: `unreachable`, `notTrusted`, `noGateway`, `cancelled`, or the receiver's error.
  static func run(
    _ request: HTTPRequest, to gateway: GatewayAddress, at addresses: [SocketAddress],
    _ timeouts: RequestTimeouts, _ cancellation: CancellationToken,
    into receiver: (any ContentReceiver)? = nil
  ) throws(SessionClientError) -> HTTPResponse {
    try HTTPExchange(request, to: gateway, at: addresses, timeouts, cancellation, receiver).perform()
  }

  private func perform() throws(SessionClientError) -> HTTPResponse {
    var failure: SessionClientError?
    do throws(SessionClientError) {
      try send()
    } catch .unreachable(let words) {
      // A server that refuses a request body closes the connection after its response. The response may still be readable.
      failure = .unreachable(words)
    } catch {
      throw error
    }
    let end = MonotonicTime.now() + (failure == nil ? timeouts.response : .zero)
    while !isComplete {
      do throws(SessionClientError) {
        guard try !readAvailable() else { continue }
        let deadline = response == nil ? end : rate.deadline
        guard try connection.wait(until: .readable, by: deadline) else { throw timeoutError }
      } catch .unreachable(let words) {
        throw failure ?? .unreachable(words)
      } catch {
        throw error
      }
    }
    guard let response else { throw invalidResponse("the server sent no response") }
    return response
  }

  private var timeoutError: SessionClientError {
    response == nil
      ? .unreachable("\(gateway) sent no response within \(timeouts.response)")
      : .unreachable(
        "\(gateway) sent less than \(timeouts.stallBytes) bytes of its response in \(timeouts.stall)")
  }

  // MARK: - The request

  private func send() throws(SessionClientError) {
    var head: [UInt8] = []
    request.head(to: gateway).append(to: &head)
    guard try send(head.span) else { return }
    // `Data` may be a mapped file. Its bytes are passed to the socket in pieces, so the whole file is never copied into memory.
    if let content = request.content { _ = try send(content.span) }
  }

  /// Sends all bytes. Stops early if the response begins before all bytes are sent.
  private func send(_ bytes: Span<UInt8>) throws(SessionClientError) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      // A server that has refused the body does not need the remaining bytes.
      _ = try readAvailable()
      guard response == nil else { return false }
      let count = try connection.sendChunk(of: rest) { () throws(SessionClientError) in
        _ = try readAvailable()
        return response == nil
      }
      guard count > 0 else { return false }
      rest = rest.extracting(droppingFirst: count)
    }
    return true
  }

  // MARK: - The answer

  /// Reads the available bytes.
  ///
  /// - Returns: false if there were no bytes.
  private func readAvailable() throws(SessionClientError) -> Bool {
    switch try connection.receive() {
    case .nothing:
      return false
    case .bytes(let count):
      rate.record(count)
      try parse()
      return true
    case .endOfStream:
      // Over TLS, one read may return the last bytes together with the end of the stream.
      try parse()
      if !isComplete { try finish() }
      return true
    }
  }

  private func finish() throws(SessionClientError) {
    do throws(MessageError) {
      isComplete = try reader.finish() == .end
    } catch .cutShort {
      throw .unreachable("the connection to \(gateway) ended in the middle of the response")
    } catch {
      throw invalidResponse("\(error)")
    }
    guard isComplete else { throw .unreachable("\(gateway) closed the connection without a response") }
  }

  private func parse() throws(SessionClientError) {
    let bytes = connection.received
    connection.received = []
    var position = 0
    while !isComplete, let event = try next(in: bytes, at: &position) { try take(event, of: bytes) }
  }

  private func next(
    in bytes: [UInt8], at position: inout Int
  ) throws(SessionClientError) -> ResponseReader.Event? {
    do throws(MessageError) {
      return try reader.next(in: bytes.span, at: &position)
    } catch {
      throw invalidResponse("\(error)")
    }
  }

  private func take(_ event: ResponseReader.Event, of bytes: [UInt8]) throws(SessionClientError) {
    switch event {
    case .interim:
      break
    case .head(let head):
      response = HTTPResponse(head: head)
      rate = StallDetector(timeouts)
      isReceiving = try receiver?.begin(head) ?? false
      if !isReceiving { reader.bodyLimit = request.responseLimit }
    case .body(let range):
      if isReceiving {
        try receiver?.receive(bytes[range])
      } else {
        response?.body.append(contentsOf: bytes[range])
      }
    case .end:
      isComplete = true
    }
  }

  private func invalidResponse(_ words: String) -> SessionClientError {
    .noGateway("the server at \(gateway) is not a gateway: \(words)")
  }
}
