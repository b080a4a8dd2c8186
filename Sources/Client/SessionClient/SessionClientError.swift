package import Wire

/// The reason why an address lookup or a request failed.
package enum SessionClientError: Error, Equatable, Sendable {
  /// The connection could not be established in time, or broke and retries did not help. The text is the cause.
  case unreachable(String)
  /// The gateway's certificate is not trusted; the text is the cause.
  case notTrusted(String)
  /// The gateway refused the request.
  case refused(Refusal)
  /// The server at the address is not a gateway; the text is the cause.
  case noGateway(String)
  /// The task was cancelled.
  case cancelled
}

extension SessionClientError: CustomStringConvertible {
  /// The error as a text for human readers.
  package var description: String {
    switch self {
    case .unreachable(let cause), .notTrusted(let cause), .noGateway(let cause): cause
    case .refused(let refusal): "the gateway refused the request: \(refusal.detail)"
    case .cancelled: "the request was cancelled"
    }
  }
}

extension SessionClientError {
  /// True if the same request may succeed a little later.
  var isTemporary: Bool {
    switch self {
    case .unreachable: true
    case .refused(let refusal): [408, 425, 429, 502, 503, 504].contains(refusal.httpStatus)
    case .notTrusted, .noGateway, .cancelled: false
    }
  }

  /// The delay that the gateway asks for.
  var retryAfter: Duration? {
    guard case .refused(let refusal) = self, let milliseconds = refusal.retryAfterMs else { return nil }
    return .milliseconds(Int64(clamping: min(milliseconds, 60_000)))
  }
}
