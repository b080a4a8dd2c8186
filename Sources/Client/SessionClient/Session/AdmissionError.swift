/// The reason why `SendGate` rejected a message. No part of the message was sent.
package enum AdmissionError: Error, Equatable, Sendable {
  /// The payload exceeds the limit. Both values are in bytes.
  case tooLarge(limit: Int, actual: Int)
  /// The type is empty, or longer than 255 bytes.
  case typeLength(actual: Int)
  /// The rate limit is exceeded. After `retryAfter`, a quarter of the allowed burst is available.
  case rateLimited(retryAfter: Duration)
  /// The queue of messages that are not on the gateway's disk yet is full, for example because there is no connection. The limit
  /// is in bytes.
  case queueFull(limit: Int)
  /// The message has more than 1,000 targets.
  case tooManyTargets(limit: Int, actual: Int)
  /// The session was not joined, or is over.
  case notJoined
}
