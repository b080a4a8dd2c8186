/// The reason for the end of a membership.
package enum EndReason: Error, Equatable, Sendable {
  /// The program called `leave`.
  case left
  /// A participant ended the session for everyone.
  case ended
  /// The session does not exist, or no longer.
  case notFound
  /// The session has its maximum number of participants.
  case full
  /// The same participant joined on another connection. Never reported at present: after 4009 the client continues as a new
  /// participant.
  case resumedElsewhere
  /// The gateway supports no protocol version of this client.
  case versionNotSpoken
  /// The gateway's certificate is not trusted; the text is the cause.
  case notTrusted(String)
  /// The server at the address is not a gateway; the text is the cause.
  case noGateway(String)
  /// The system has no thread or descriptor for a connection; the text is the cause.
  case noConnections(String)
  /// The gateway refused for good, with a close code or an HTTP status. The text is the gateway's.
  case refused(code: UInt16, detail: String)
}
