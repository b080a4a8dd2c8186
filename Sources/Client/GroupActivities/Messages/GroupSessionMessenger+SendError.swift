import SessionClient

extension GroupSessionMessenger {
  /// The reason why a message was not sent. No part of the message was sent. `description` is the reason in English.
  @nonexhaustive
  public enum SendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message is larger than the limit. Both values are in bytes of the encoded message.
    case tooLarge(limit: Int, actual: Int)
    /// The name of the message's type is empty or longer than the limit. Both values are in bytes.
    case typeName(limit: Int, actual: Int)
    /// The messages exceed the gateway's rate limit. After `retryAfter`, the program may send a quarter of the maximum burst.
    case rateLimited(retryAfter: Duration)
    /// The connection is down, and the queue of waiting messages is full. The limit is in bytes.
    case queueFull(limit: Int)
    /// The message is addressed to more participants than the limit allows.
    case tooManyParticipants(limit: Int, actual: Int)
    /// `join()` was not called yet.
    case notJoined
    /// The session is over.
    case invalidated(GroupSessionInvalidation)

    init(_ refusal: AdmissionError) {
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

    /// A message of one or two sentences.
    public var description: String {
      switch self {
      case .tooLarge(let limit, let actual):
        "A message may have at most \(limit) bytes; this message has \(actual). Use a GroupSessionJournal for larger content."
      case .typeName(let limit, let actual):
        "The name of a message type must have 1 to \(limit) bytes; this name has \(actual)."
      case .rateLimited(let time):
        "The messages exceed the gateway's rate; try again in \(time.formattedSeconds) s."
      case .queueFull(let limit):
        "The connection is down, and the queue of unsent messages has reached its limit of \(limit) bytes."
      case .tooManyParticipants(let limit, let actual):
        "A message may be addressed to at most \(limit) participants; this message is addressed to \(actual)."
      case .notJoined: "The session is not joined yet: call join() first."
      case .invalidated(let reason): "The session is over. \(reason)"
      }
    }
  }
}

extension Duration {
  /// The seconds with three decimal places.
  fileprivate var formattedSeconds: String {
    let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    let rest = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
