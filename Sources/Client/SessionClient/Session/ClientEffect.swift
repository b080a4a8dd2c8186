package import Wire

/// What whoever has the socket does for a `ClientSession`, in this order.
package enum ClientEffect: Sendable {
  /// Open a new socket after that time; let go of the one there is. Of the former nothing more is told to the session.
  case open(after: Duration)
  /// Send a text message.
  case sendControl(ClientControl)
  /// Send a binary message: whole entries, 1 MiB at most.
  case sendEntries([UInt8])
  /// Send a close frame behind what was given before, and let go of the socket as RFC 6455 says. Nothing more of it is told.
  case close(code: UInt16)
  /// Tell it to whoever observes the session.
  case tell(SessionEvent)
  /// All that was enqueued before `mark(id)` is on the gateway's disk.
  case reached(mark: UInt64)
  /// Nothing more comes of this session: it can be forgotten. Marks that were not reached never will be.
  case finished
}

/// How a socket ended, or that it never began.
package enum SocketEnd: Equatable, Sendable {
  /// The gateway closed it: code and reason of its close frame; 1005 when it had none.
  case closed(code: UInt16, reason: [UInt8])
  /// It broke, or did not come about; why, in words.
  case broken(String)
  /// The request for it was answered with another status than 101.
  case refused(status: Int, detail: String, retryAfter: Duration?)
  /// The gateway's certificate is not to be trusted; why, in words. It is over if the session was never joined.
  case notTrusted(String)
  /// What answers there is no gateway; why, in words. It is over if the session was never joined.
  case noGateway(String)
}
