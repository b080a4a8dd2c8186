import SessionClient

extension GroupSessionMessenger {
  /// Why a message was not sent: nothing of it went anywhere. In words by `description`.
  @nonexhaustive
  public enum SendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message is larger than one may be, in bytes as it is sent.
    case tooLarge(limit: Int, actual: Int)
    /// The name of its type has no byte, or more than 255.
    case typeName(limit: Int, actual: Int)
    /// More is sent than the gateway's rate allows; after that time there is room for a quarter of the burst.
    case rateLimited(retryAfter: Duration)
    /// So many bytes wait already, for the connection is away.
    case queueFull(limit: Int)
    /// More participants are named than may be.
    case tooManyParticipants(limit: Int, actual: Int)
    /// `join()` was not called yet.
    case notJoined
    /// The session is over.
    case invalidated(GroupSessionInvalidation)

    init(_ refusal: SendRefusal) {
      self =
        switch refusal {
        case .tooLarge(let limit, let actual): .tooLarge(limit: limit, actual: actual)
        case .typeLength(let actual): .typeName(limit: 255, actual: actual)
        case .rateLimited(let time): .rateLimited(retryAfter: time)
        case .queueFull(let limit): .queueFull(limit: limit)
        case .tooManyTargets(let limit, let actual): .tooManyParticipants(limit: limit, actual: actual)
        case .notJoined: .notJoined
        }
    }

    /// In a sentence.
    public var description: String {
      switch self {
      case .tooLarge(let limit, let actual):
        "A message has at most \(limit) bytes; this one has \(actual). What is larger goes through a GroupSessionJournal."
      case .typeName(let limit, let actual):
        "The name of a message's type has 1 to \(limit) bytes; this one has \(actual)."
      case .rateLimited(let time):
        "More messages are sent than the gateway's rate allows; try again in \(time.formattedSeconds) s."
      case .queueFull(let limit):
        "The connection is away, and \(limit) bytes wait for it already."
      case .tooManyParticipants(let limit, let actual):
        "A message goes to at most \(limit) named participants; this one names \(actual)."
      case .notJoined: "The session is not joined yet: call join() first."
      case .invalidated(let reason): "The session is over. \(reason)"
      }
    }
  }
}

extension Duration {
  /// Seconds with three digits behind the point.
  fileprivate var formattedSeconds: String {
    let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    let rest = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
