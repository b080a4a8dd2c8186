import SessionClient
public import FoundationEssentials

/// Why a session is over for this program: the reason in `GroupSession.State.invalidated(reason:)`, in words by
/// `description`.
@nonexhaustive
public enum GroupSessionInvalidation: Error, Hashable, Sendable, CustomStringConvertible {
  /// This program left it.
  case left
  /// Somebody ended it for everybody.
  case ended
  /// It has a successor, which is offered to `sessions()`.
  case succeeded(by: URL)
  /// There is no such session, or no longer.
  case notFound
  /// There are as many in it as may be.
  case full
  /// The same participant came back elsewhere.
  case resumedElsewhere
  /// The gateway speaks no version of the wire that this library speaks.
  case versionNotSpoken
  /// The gateway's certificate is not to be trusted; why, in words.
  case notTrusted(String)
  /// What answers at the address is no gateway; why, in words.
  case noGateway(String)
  /// The system gives this process no thread or descriptor to connect with; why, in words.
  case noConnections(String)
  /// The gateway refuses for good; with its close code or HTTP status, and in its words.
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

  /// In a sentence.
  public var description: String {
    switch self {
    case .left: "This program left the session."
    case .ended: "Somebody ended the session for everybody."
    case .succeeded: "The session has a successor, which everybody in it is offered."
    case .notFound: "There is no such session on the gateway, or no longer."
    case .full: "There are as many participants in the session as may be."
    case .resumedElsewhere: "The same participant came back from elsewhere."
    case .versionNotSpoken: "The gateway speaks no version of the protocol that this library speaks."
    case .notTrusted(let words): "The gateway's certificate is not trusted: \(words)"
    case .noGateway(let words): "What answers there is no DrawTogether gateway: \(words)"
    case .noConnections(let words): "The system gives this program no connection: \(words)"
    case .refused(let code, let detail): "The gateway refused the connection (\(code)): \(detail)"
    }
  }
}
