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
  func begin(_ head: ResponseHead) throws(RequestFailure) -> Bool
  /// More of it.
  func receive(_ bytes: ArraySlice<UInt8>) throws(RequestFailure)
}

/// One request and its answer, on a connection of its own and a thread that may block.
final class HTTPExchange {
  private let request: HTTPRequest
  private let gateway: GatewayAddress
  private let patience: RequestPatience
  private let connection: RequestConnection
  private let receiver: (any ContentReceiver)?
  private var reader = ResponseReader()
  private var reply: HTTPReply?
  private var isReceiving = false
  private var isComplete = false
  /// Of the answer's content.
  private var rate: LeastRate

  /// Connects.
  private init(
    _ request: HTTPRequest, to gateway: GatewayAddress, at addresses: [SocketAddress],
    _ patience: RequestPatience, _ abandonment: Abandonment, _ receiver: (any ContentReceiver)?
  ) throws(RequestFailure) {
    self.request = request
    self.gateway = gateway
    self.patience = patience
    self.receiver = receiver
    connection = try RequestConnection(to: gateway, at: addresses, patience, abandonment)
    rate = LeastRate(patience)
    reader.expect(request.method)
    // What is collected has a limit of its own, and whoever receives knows how much there is to come.
    reader.bodyLimit = receiver == nil ? request.answerLimit : .max
  }

  /// Sends a request and waits for its answer, whatever that says.
  ///
  /// - Throws: `unreachable`, `notTrusted`, `noGateway`, `cancelled`, or what the receiver throws.
  static func run(
    _ request: HTTPRequest, to gateway: GatewayAddress, at addresses: [SocketAddress],
    _ patience: RequestPatience, _ abandonment: Abandonment, into receiver: (any ContentReceiver)? = nil
  ) throws(RequestFailure) -> HTTPReply {
    try HTTPExchange(request, to: gateway, at: addresses, patience, abandonment, receiver).converse()
  }

  private func converse() throws(RequestFailure) -> HTTPReply {
    var failure: RequestFailure?
    do throws(RequestFailure) {
      try send()
    } catch .unreachable(let words) {
      // Whoever refuses a body closes behind the answer: what it said may still be there to be read.
      failure = .unreachable(words)
    } catch {
      throw error
    }
    let end = MonotonicTime.now() + (failure == nil ? patience.answer : .zero)
    while !isComplete {
      do throws(RequestFailure) {
        guard try !readOn() else { continue }
        let deadline = reply == nil ? end : rate.deadline
        guard try connection.wait(until: .readable, by: deadline) else { throw late }
      } catch .unreachable(let words) {
        throw failure ?? .unreachable(words)
      } catch {
        throw error
      }
    }
    guard let reply else { throw noHTTP("it said nothing") }
    return reply
  }

  private var late: RequestFailure {
    reply == nil
      ? .unreachable("\(gateway) gave no answer within \(patience.answer)")
      : .unreachable(
        "\(gateway) broke its answer off: not \(patience.stallBytes) bytes came within \(patience.stall)")
  }

  // MARK: - The request

  private func send() throws(RequestFailure) {
    var head: [UInt8] = []
    request.head(to: gateway).append(to: &head)
    guard try send(head.span) else { return }
    // As `Data`, whose pages may be those of a file: nothing of it is copied but what is under way.
    if let content = request.content { _ = try send(content.span) }
  }

  /// Sends all of it, unless the answer comes before that.
  private func send(_ bytes: Span<UInt8>) throws(RequestFailure) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      // Whoever refuses a body need not be sent the rest of it, however fast it goes.
      _ = try readOn()
      guard reply == nil else { return false }
      let count = try connection.sendPiece(of: rest) { () throws(RequestFailure) in
        _ = try readOn()
        return reply == nil
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
  private func readOn() throws(RequestFailure) -> Bool {
    switch try connection.receive() {
    case .nothing:
      return false
    case .bytes(let count):
      rate.note(count)
      try parse()
      return true
    case .endOfStream:
      // Over TLS the last bytes may have come with the end.
      try parse()
      if !isComplete { try finish() }
      return true
    }
  }

  private func finish() throws(RequestFailure) {
    do throws(ResponseError) {
      isComplete = try reader.finish() == .end
    } catch .cutShort {
      throw .unreachable("the connection to \(gateway) ended in the middle of its answer")
    } catch {
      throw noHTTP("\(error)")
    }
    guard isComplete else { throw .unreachable("\(gateway) closed the connection without an answer") }
  }

  private func parse() throws(RequestFailure) {
    let bytes = connection.unread
    connection.unread = []
    var position = 0
    while !isComplete, let event = try next(in: bytes, at: &position) { try take(event, of: bytes) }
  }

  private func next(
    in bytes: [UInt8], at position: inout Int
  ) throws(RequestFailure) -> ResponseReader.Event? {
    do throws(ResponseError) {
      return try reader.next(in: bytes.span, at: &position)
    } catch {
      throw noHTTP("\(error)")
    }
  }

  private func take(_ event: ResponseReader.Event, of bytes: [UInt8]) throws(RequestFailure) {
    switch event {
    case .interim:
      break
    case .head(let head):
      reply = HTTPReply(head: head)
      rate = LeastRate(patience)
      isReceiving = try receiver?.begin(head) ?? false
      if !isReceiving { reader.bodyLimit = request.answerLimit }
    case .body(let range):
      if isReceiving {
        try receiver?.receive(bytes[range])
      } else {
        reply?.body.append(contentsOf: bytes[range])
      }
    case .end:
      isComplete = true
    }
  }

  private func noHTTP(_ words: String) -> RequestFailure {
    .noGateway("what answers at \(gateway) is no gateway: \(words)")
  }
}
