import SessionClient
import Wire

extension GroupActivitiesGateway {
  /// Why a session could not be made or found; in words by `description`.
  @nonexhaustive
  public enum ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No gateway was named, by `use` or in the environment.
    case noGatewayNamed
    /// That is no address of a gateway, or no link of a session; in words.
    case badAddress(String)
    /// The activity cannot be one; in words, with the limit.
    case activity(String)
    /// No connection came about; why, in words.
    case unreachable(String)
    /// The gateway's certificate is not to be trusted; why, in words.
    case notTrusted(String)
    /// What answered is no gateway; why, in words.
    case noGateway(String)
    /// The gateway refused, with its code, such as `not-found`, and in its words.
    case refused(code: String, detail: String)
    /// The task was cancelled.
    case cancelled

    init(_ failure: RequestFailure) {
      self =
        switch failure {
        case .unreachable(let words): .unreachable(words)
        case .notTrusted(let words): .notTrusted(words)
        case .noGateway(let words): .noGateway(words)
        case .refused(let refusal): .refused(code: refusal.code.rawValue, detail: refusal.detail)
        case .cancelled: .cancelled
        }
    }

    /// In a sentence or two.
    public var description: String {
      switch self {
      case .noGatewayNamed:
        "No gateway is named: call GroupActivitiesGateway.use(_:), or set DRAWTOGETHER_GATEWAY to its URL."
      case .badAddress(let words), .activity(let words), .unreachable(let words), .notTrusted(let words),
        .noGateway(let words):
        words
      case .refused(_, let detail): detail
      case .cancelled: "The task that asked was cancelled."
      }
    }
  }
}
