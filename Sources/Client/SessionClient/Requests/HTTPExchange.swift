internal import FoundationEssentials
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives

/// Takes the content of an answer as it comes.
protocol ContentReceiver: AnyObject {
  /// The answer begins.
  ///
  /// - Returns: whether its content is taken here; else it is collected, as the words of a refusal are.
  func begin(_ head: ResponseHead) throws(SessionClientError) -> Bool
  /// More of it.
  func receive(_ bytes: ArraySlice<UInt8>) throws(SessionClientError)
}

/// One request and its answer, on a connection of its own and a thread that may block.
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
  /// Of the answer's content.
  private var rate: StallDetector

  /// Connects.
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
    // What is collected has a limit of its own, and whoever receives knows how much there is to come.
    reader.bodyLimit = receiver == nil ? request.responseLimit : .max
  }

  /// Sends a request and waits for its answer, whatever that says.
  ///
  /// - Throws: `unreachable`, `notTrusted`, `noGateway`, `cancelled`, or what the receiver throws.
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
      // Whoever refuses a body closes behind the answer: what it said may still be there to be read.
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
    guard let response else { throw invalidResponse("it said nothing") }
    return response
  }

  private var timeoutError: SessionClientError {
    response == nil
      ? .unreachable("\(gateway) gave no answer within \(timeouts.response)")
      : .unreachable(
        "\(gateway) broke its answer off: not \(timeouts.stallBytes) bytes came within \(timeouts.stall)")
  }

  // MARK: - The request

  private func send() throws(SessionClientError) {
    var head: [UInt8] = []
    request.head(to: gateway).append(to: &head)
    guard try send(head.span) else { return }
    // As `Data`, whose pages may be those of a file: nothing of it is copied but what is under way.
    if let content = request.content { _ = try send(content.span) }
  }

  /// Sends all of it, unless the answer comes before that.
  private func send(_ bytes: Span<UInt8>) throws(SessionClientError) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      // Whoever refuses a body need not be sent the rest of it, however fast it goes.
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

  /// Reads what has come.
  ///
  /// - Returns: whether anything had.
  private func readAvailable() throws(SessionClientError) -> Bool {
    switch try connection.receive() {
    case .nothing:
      return false
    case .bytes(let count):
      rate.record(count)
      try parse()
      return true
    case .endOfStream:
      // Over TLS the last bytes may have come with the end.
      try parse()
      if !isComplete { try finish() }
      return true
    }
  }

  private func finish() throws(SessionClientError) {
    do throws(ResponseError) {
      isComplete = try reader.finish() == .end
    } catch .cutShort {
      throw .unreachable("the connection to \(gateway) ended in the middle of its answer")
    } catch {
      throw invalidResponse("\(error)")
    }
    guard isComplete else { throw .unreachable("\(gateway) closed the connection without an answer") }
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
    do throws(ResponseError) {
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
    .noGateway("what answers at \(gateway) is no gateway: \(words)")
  }
}
