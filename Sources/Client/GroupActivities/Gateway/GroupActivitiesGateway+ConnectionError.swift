import SessionClient
import Wire

extension GroupActivitiesGateway {
  /// The reason why a session could not be created or found. `description` is the reason in English.
  @nonexhaustive
  public enum ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No gateway was set, neither by `use(_:certificates:)` nor in the environment.
    case noGatewayNamed
    /// The text is not the address of a gateway or the link of a session. The value is a message.
    case badAddress(String)
    /// The activity exceeds a limit. The value is a message with the limit.
    case activity(String)
    /// The gateway could not be reached. The value is a message with the reason.
    case unreachable(String)
    /// The gateway's certificate is not trusted. The value is a message with the reason.
    case notTrusted(String)
    /// The server at the address is not a gateway. The value is a message with the reason.
    case noGateway(String)
    /// The gateway refused the request. The values are the gateway's error code, such as `not-found`, and its message.
    case refused(code: String, detail: String)
    /// The calling task was cancelled.
    case cancelled

    init(_ failure: SessionClientError) {
      self =
        switch failure {
        case .unreachable(let words): .unreachable(words)
        case .notTrusted(let words): .notTrusted(words)
        case .noGateway(let words): .noGateway(words)
        case .refused(let refusal): .refused(code: refusal.code.rawValue, detail: refusal.detail)
        case .cancelled: .cancelled
        }
    }

    /// A message of one or two sentences.
    public var description: String {
      switch self {
      case .noGatewayNamed:
        "No gateway is set. Call GroupActivitiesGateway.use(_:), or set DRAWTOGETHER_GATEWAY to its URL."
      case .badAddress(let words), .activity(let words), .unreachable(let words), .notTrusted(let words),
        .noGateway(let words):
        words
      case .refused(_, let detail): detail
      case .cancelled: "The calling task was cancelled."
      }
    }
  }
}
