internal import HTTP
internal import Networking
internal import Wire

/// Answers that are not produced by a route, and the counters of all answers.
extension HTTPService {
  /// Counts an answer, and logs a refusal.
  func count(_ answer: Answer, _ route: Route?, to client: IPAddress) {
    let status = answer.head.status.code
    let kind = RequestCounts.Kind(route)
    counters.countLabel { $0.answers[StatusLabel(status)] += 1 }
    counters.countLabel { $0.requests.count(kind, status: status) }
    guard status >= 400 else { return }
    environment.log(
      .debug, "request refused",
      ["status": .number(status), "route": "\(kind.rawValue)", "remote": .address(client)])
  }

  /// The refusal of a request when all connections together buffer too many bytes.
  var refusalOfBufferedBytes: Refusal {
    var refusal = Refusal(
      .tooMany,
      "This gateway has too many bytes of incomplete requests and messages. Try again in a moment.",
      limit: limits.incompleteBytes, actual: io.counts.bufferedBytes)
    refusal.retryAfterMs = 5_000
    refusal.status = 503
    return refusal
  }

  /// Logs that a request was refused because its connection is a reserved one, which only health checks and metrics may use.
  ///
  /// - Returns: the refusal to send to the client.
  func refusalBeyondLimit(of connection: Connection) -> Refusal {
    let refusal = io.counts.tooManyConnections
    logger.log(.connectionRefused(refusal, from: connection.peer.ip))
    return refusal
  }

  /// Returns the answer for a client that sends plain-text HTTP to the TLS port.
  func answerToPlainText(_ received: Span<UInt8>) -> [UInt8] {
    var reader = RequestReader()
    var position = 0
    var address = environment.endpoints().https.map { "https://\($0)/" } ?? "the https address"
    if case .head(let head)? = try? reader.next(in: received, at: &position), let authority = head.authority {
      address = "https://\(authority)/"
    }
    let text = "This port speaks HTTPS only. Open \(address)\n"
    var bytes: [UInt8] = []
    var head = ResponseHead(
      .badRequest, fields: ["Content-Type": "text/plain; charset=utf-8", "Connection": "close"])
    head.fields.append("Content-Length", "\(text.utf8.count)")
    head.append(to: &bytes)
    bytes.append(contentsOf: text.utf8)
    return bytes
  }

  /// Returns the bytes of an answer that refuses a connection before its first request.
  func refusalBytes(_ refusal: Refusal) -> [UInt8] {
    encoder.encode(.problem(refusal), for: nil, isSecure: false, closes: true) + refusal.problem()
  }
}
