package import Wire

/// An event in a session, as reported to its observer. Events come in the session's order.
package enum SessionEvent: Sendable {
  /// The session accepted this client. This is the first event. If the gateway no longer knows the client after a reconnect, the
  /// event is reported again, and the client is a new participant.
  case joined(Joined)
  /// The entries of a catch-up follow. A snapshot replaces all state received before.
  case catchUp(CatchUpKind)
  /// The catch-up is complete, and the following entries are live.
  case caughtUp
  /// All active participants, including this client, and all waiting ones. Reported on each change of either list.
  case participants(active: [Participant], waiting: [Participant])
  /// The session's activity, and the number of the participant that set it; 0 is the creator of the session.
  case activity(Activity, by: ParticipantNumber)
  /// An entry, reliable or not. Own reliable entries are included.
  case entry(ReceivedEntry)
  /// All attachments of the session, including incomplete uploads. Reported on each change of the list.
  case attachments([AttachmentObject])
  /// The progress of an upload.
  case progress(AttachmentProgressPayload)
  /// The session has a successor.
  case successor(SessionID, by: ParticipantNumber)
  /// A notice of the gateway about the session.
  case notice(NoticePayload)
  /// The socket has closed, and the client reconnects. Messages are queued. The participant has not left.
  case away
  /// All messages that have been sent are on the gateway's disk.
  case settled
  /// The gateway refused this message permanently. No participant receives the message. The messages after it are still sent.
  case refused(OutgoingEntry, Refusal)
  /// A failure, described by the text. There are two kinds of failures. If the connection cannot be established or the gateway
  /// does not accept messages yet, the client tries again. If the gateway permanently refused an activity change or the session's
  /// end, the client does not try again.
  case trouble(String)
  /// The membership is over. This is the last event.
  case ended(EndReason)
}
