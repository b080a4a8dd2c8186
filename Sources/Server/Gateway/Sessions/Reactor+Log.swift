internal import Wire
internal import Primitives
internal import SessionCore

/// Log lines that need the state of a connection, and lines about the data folder.
extension Reactor {
  /// Logs that a participant joined or resumed. One who resumed with a tail missed the entries after `after`.
  func logJoin(
    _ connection: Connection, _ conversation: WebSocketConversation, _ session: Session, _ kind: JoinKind,
    after: UInt64?
  ) {
    let subject = conversation.subject(at: connection.clientAddress)
    switch kind {
    case .new:
      logger.log(.joined(subject, sequence: session.sequence))
    case .tail:
      let seen = min(session.sequence, after ?? 0)
      logger.log(.resumed(subject, kind, missed: session.sequence - seen))
    case .snapshot:
      logger.log(.resumed(subject, kind, missed: session.sequence))
    }
  }

  /// Logs that a WebSocket is closed or about to be, once for each.
  func logClose(
    _ connection: Connection, _ conversation: WebSocketConversation, end: @autoclosure () -> String
  ) {
    guard !conversation.isNoted else { return }
    conversation.isNoted = true
    logger.log(
      .socketClosed(
        PeerEvent.SocketClose(
          subject: conversation.subject(at: connection.clientAddress), code: conversation.closeCode ?? 1006,
          reason: conversation.closeReason, closedBy: conversation.closedBy, end: end(),
          socket: connection.socket, duration: now - conversation.joinableSince)))
  }

  /// Logs when the gateway begins to refuse new data because of its disk, and when it accepts new data again.
  func noteRoom() {
    guard number == 0 else { return }
    let refusal = shared.dataRefusal(now: now)
    guard (refusal != nil) != takesNothingNew else { return }
    takesNothingNew = refusal != nil
    if let refusal {
      shared.log(.error, "nothing new is taken", ["reason": "\(refusal.detail)"])
    } else {
      shared.log(.info, "new sessions and uploads are taken again")
    }
  }
}
