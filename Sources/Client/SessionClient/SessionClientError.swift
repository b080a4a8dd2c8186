package import Wire

/// Why a request failed.
package enum SessionClientError: Error, Equatable, Sendable {
  /// No connection came about within the time, or it broke and trying again did not help; why, in words.
  case unreachable(String)
  /// The gateway's certificate is not to be trusted; why, in words.
  case notTrusted(String)
  /// The gateway refused, and says why.
  case refused(Refusal)
  /// What answered is no gateway; why, in words.
  case noGateway(String)
  /// The task that asked was cancelled.
  case cancelled
}

extension SessionClientError: CustomStringConvertible {
  /// What happened, for people.
  package var description: String {
    switch self {
    case .unreachable(let words), .notTrusted(let words), .noGateway(let words): words
    case .refused(let refusal): "the gateway refused: \(refusal.detail)"
    case .cancelled: "the request was cancelled"
    }
  }
}

extension SessionClientError {
  /// Whether the same request may well succeed a little later.
  var isTemporary: Bool {
    switch self {
    case .unreachable: true
    case .refused(let refusal): [408, 425, 429, 502, 503, 504].contains(refusal.httpStatus)
    case .notTrusted, .noGateway, .cancelled: false
    }
  }

  /// How long the gateway wants to be left alone.
  var retryAfter: Duration? {
    guard case .refused(let refusal) = self, let milliseconds = refusal.retryAfterMs else { return nil }
    return .milliseconds(Int64(clamping: min(milliseconds, 60_000)))
  }
}
