import SessionClient
public import FoundationEssentials

/// The reason why a session is over for this program; the value in `GroupSession.State.invalidated(reason:)`. `description` is
/// the reason in English.
@nonexhaustive
public enum GroupSessionInvalidation: Error, Hashable, Sendable, CustomStringConvertible {
  /// This program left the session.
  case left
  /// A participant ended the session.
  case ended
  /// The session has a successor, which is offered to `sessions()`.
  case succeeded(by: URL)
  /// The session does not exist or no longer exists.
  case notFound
  /// The session has the maximum number of participants.
  case full
  /// The same participant resumed from another connection.
  case resumedElsewhere
  /// The gateway and this library have no common protocol version.
  case versionNotSpoken
  /// The gateway's certificate is not trusted. The value is a message with the reason.
  case notTrusted(String)
  /// The server at the address is not a gateway. The value is a message with the reason.
  case noGateway(String)
  /// The operating system refuses this process a thread or a file descriptor. The value is a message with the reason.
  case noConnections(String)
  /// The gateway refused the connection permanently. The values are the gateway's close code or HTTP status, and its message.
  case refused(code: Int, detail: String)

  init(_ reason: EndReason) {
    self =
      switch reason {
      case .left: .left
      case .ended: .ended
      case .notFound: .notFound
      case .full: .full
      case .resumedElsewhere: .resumedElsewhere
      case .versionNotSpoken: .versionNotSpoken
      case .notTrusted(let words): .notTrusted(words)
      case .noGateway(let words): .noGateway(words)
      case .noConnections(let words): .noConnections(words)
      case .refused(let code, let detail): .refused(code: Int(code), detail: detail)
      }
  }

  /// A message of one sentence.
  public var description: String {
    switch self {
    case .left: "This program left the session."
    case .ended: "A participant ended the session."
    case .succeeded: "The session has a successor, which is offered to all participants."
    case .notFound: "The session does not exist on the gateway, or no longer exists."
    case .full: "The session has the maximum number of participants."
    case .resumedElsewhere: "The same participant resumed from another connection."
    case .versionNotSpoken: "The gateway and this library have no common protocol version."
    case .notTrusted(let words): "The gateway's certificate is not trusted: \(words)"
    case .noGateway(let words): "The server at this address is not a DrawTogether gateway: \(words)"
    case .noConnections(let words): "The system refuses this program a connection: \(words)"
    case .refused(let code, let detail): "The gateway refused the connection (\(code)): \(detail)"
    }
  }
}
