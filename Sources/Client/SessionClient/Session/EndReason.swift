/// The reason for the end of a membership.
package enum EndReason: Error, Equatable, Sendable {
  /// The program called `leave`.
  case left
  /// A participant ended the session for everyone.
  case ended
  /// The session does not exist, or does not exist any more.
  case notFound
  /// The session has its maximum number of participants.
  case full
  /// The same participant joined on another connection. This reason is not reported at present, because after the close code 4009
  /// the client continues as a new participant.
  case resumedElsewhere
  /// The gateway supports no protocol version of this client.
  case versionNotSpoken
  /// The gateway's certificate is not trusted; the text is the cause.
  case notTrusted(String)
  /// The server at the address is not a gateway; the text is the cause.
  case noGateway(String)
  /// The operating system has no thread or file descriptor left for a connection; the text is the cause.
  case noConnections(String)
  /// The gateway refused permanently, with a close code or an HTTP status. The text comes from the gateway.
  case refused(code: UInt16, detail: String)
}
