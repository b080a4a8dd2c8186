package import Wire

/// An action that a `ClientSession` asks its owner to perform. The owner must perform the actions in the order in which the
/// session returns them.
package enum ClientEffect: Sendable {
  /// Drop the current socket, and open a new one after this delay. Events of the former socket must not be reported to the
  /// session any more.
  case open(after: Duration)
  /// Send a text message.
  case sendControl(ClientControl)
  /// Send a binary message of whole entries, at most 1 MiB.
  case sendEntries([UInt8])
  /// Send a close frame after the earlier messages, and close the socket as in RFC 6455. Events of the socket must not be
  /// reported to the session any more.
  case close(code: UInt16)
  /// Pass the event to the observer of the session.
  case notify(SessionEvent)
  /// All messages that the program enqueued before it set this mark (`ClientSession.mark`) are on the gateway's disk.
  case reached(mark: UInt64)
  /// Release the session. No further effects follow, so marks that are still pending get no `reached` effect.
  case finished
}

/// The end of a socket, or the reason why no socket was opened.
package enum SocketEnd: Equatable, Sendable {
  /// The gateway closed the socket, with the code and reason of its close frame; 1005 if the frame had no code.
  case closed(code: UInt16, reason: [UInt8])
  /// No connection to the gateway could be established. The text is the cause.
  case unreachable(String)
  /// The connection broke. The text is the cause.
  case broken(String)
  /// The gateway answered the upgrade request with a status other than 101.
  case refused(status: Int, detail: String, retryAfter: Duration?)
  /// The gateway's certificate is not trusted; the text is the cause. The error is final only for a session that was never
  /// joined; any other session reconnects.
  case notTrusted(String)
  /// The server at the address is not a gateway; the text is the cause. The error is final only for a session that was never
  /// joined; any other session reconnects.
  case noGateway(String)
}
