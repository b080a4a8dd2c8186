internal import Primitives
internal import HTTP
internal import SessionCore
internal import Networking
internal import Platform
internal import WebSocket
internal import Wire

/// What the log and the counters are told of peers. What they can bring about as often as they like has a bound in lines.
extension Reactor {
  /// What was refused.
  enum Refused: String {
    case connection
    case request
    case upload
    case entry
    case control
  }

  /// Counts a refusal, and tells of it.
  func noteRefused(
    _ what: Refused, _ code: ErrorCode, session: SessionID? = nil, from address: IPAddress? = nil
  ) {
    noteRefused(what, code, session: session, participant: 0, remote: address)
  }

  /// The same for what came over a WebSocket.
  func noteRefused(
    _ what: Refused, _ code: ErrorCode, _ connection: Connection?, _ conversation: WebSocketConversation?
  ) {
    noteRefused(
      what, code, session: conversation?.session, participant: conversation?.participant ?? 0,
      remote: connection?.clientAddress)
  }

  private func noteRefused(
    _ what: Refused, _ code: ErrorCode, session: SessionID?, participant: ParticipantNumber,
    remote: IPAddress?
  ) {
    counters.refusals[code] += 1
    guard isTold(&refusalLines) else { return }
    shared.log(
      .info, "refused",
      [
        "what": "\(what.rawValue)", "code": "\(code.rawValue)", "session": "\(session.map { "\($0)" } ?? "")",
        "participant": .number(participant), "remote": .address(remote),
      ])
  }

  /// A connection is over a limit.
  func noteConnectionRefused(_ refusal: Refusal, from peer: SocketAddress) {
    counters.connectionsRefused += 1
    counters.refusals[refusal.code] += 1
    guard isTold(&connectionLines) else { return }
    shared.log(
      .warning, "connection refused",
      [
        "code": "\(refusal.code.rawValue)", "remote": .address(peer.ip), "limit": .number(refusal.limit ?? 0),
        "reason": "\(refusal.detail)",
      ])
  }

  /// Somebody is in, for the first time or again. Who came with a tail has missed what follows `after`.
  func noteJoined(
    _ connection: Connection, _ conversation: WebSocketConversation, _ session: Session, _ kind: JoinKind,
    after: UInt64?
  ) {
    guard isTold(&participantLines) else { return }
    let missed = kind == .tail ? session.sequence - min(session.sequence, after ?? 0) : session.sequence
    switch kind {
    case .new:
      shared.log(
        .info, "participant joined",
        [
          "session": .session(session.id), "participant": .number(conversation.participant),
          "remote": .address(connection.clientAddress), "sequence": .number(session.sequence),
        ])
    case .tail, .snapshot:
      shared.log(
        .info, "participant resumed",
        [
          "session": .session(session.id), "participant": .number(conversation.participant),
          "remote": .address(connection.clientAddress), "kind": "\(kind.rawValue)", "missed": .number(missed),
        ])
    }
  }

  /// Somebody is gone: `left`, or `gone` when the time to come back was over.
  func noteLeft(_ number: ParticipantNumber, _ session: Session, reason: StaticString) {
    guard isTold(&participantLines) else { return }
    shared.log(
      .info, "participant left",
      ["session": .session(session.id), "participant": .number(number), "reason": "\(reason)"])
  }

  /// Somebody who comes back has seen more than this gateway still knows.
  func noteAhead(_ number: ParticipantNumber, _ session: Session, from: UInt32, to: UInt32) {
    guard isTold(&aheadLines) else { return }
    shared.log(
      .warning, "client is ahead",
      [
        "session": .session(session.id), "participant": .number(number), "from": .number(from),
        "to": .number(to),
      ])
  }

  /// The system had nothing left for a connection.
  func noteNotTaken(_ level: Log.Level, _ event: StaticString, _ error: SystemError) {
    guard isTold(&acceptLines) else { return }
    shared.log(level, event, ["reason": "\(error)"])
  }

  /// A WebSocket is closed, or about to be: once for each.
  func noteClosed(
    _ connection: Connection, _ conversation: WebSocketConversation, end: @autoclosure () -> String
  ) {
    guard !conversation.isNoted else { return }
    conversation.isNoted = true
    let code = conversation.closeCode ?? 1006
    counters.closes[ClosedWith(code)] += 1
    guard conversation.participant == 0 ? isTold(&strangerLines) : isTold(&closeLines) else { return }
    let traffic = connection.socket.traffic
    shared.log(
      .info, "socket closed",
      [
        "session": "\(conversation.session.map { "\($0)" } ?? "")",
        "participant": .number(conversation.participant), "remote": .address(connection.clientAddress),
        "code": .number(code), "reason": "\(conversation.closeReason)",
        "by": "\(conversation.closedBy.rawValue)",
        "end": "\(end())", "received": .number(traffic?.received ?? 0),
        "sent": .number(traffic?.acknowledged ?? 0), "ms": .milliseconds(now - conversation.joinableSince),
      ])
  }

  /// A connection that speaks HTTP is closed.
  func noteEnded(_ connection: Connection, reason: @autoclosure () -> String) {
    shared.log(
      .debug, "connection closed", ["remote": .address(connection.clientAddress), "reason": "\(reason())"])
  }

  /// Whether a line may still be written; else it is counted as left out.
  func isTold(_ budget: inout LogBudget) -> Bool {
    if budget.allows(now: now) { return true }
    counters.logLinesLeftOut += 1
    return false
  }

  /// Whether lines are missing that nobody was told of.
  var owesLines: Bool {
    refusalLines.leftOut > 0 || connectionLines.leftOut > 0 || strangerLines.leftOut > 0
      || participantLines.leftOut > 0 || closeLines.leftOut > 0 || uploadLines.leftOut > 0
      || aheadLines.leftOut > 0 || acceptLines.leftOut > 0
  }

  /// Tells how many lines are missing, once what they were about is over.
  func noteLeftOut() {
    if let lines = refusalLines.takeLeftOut(now: now) { noteLeftOut(lines, "refused") }
    if let lines = connectionLines.takeLeftOut(now: now) { noteLeftOut(lines, "connection refused") }
    if let lines = strangerLines.takeLeftOut(now: now) { noteLeftOut(lines, "socket closed") }
    if let lines = participantLines.takeLeftOut(now: now) { noteLeftOut(lines, "participant joined or left") }
    if let lines = closeLines.takeLeftOut(now: now) { noteLeftOut(lines, "socket closed") }
    if let lines = uploadLines.takeLeftOut(now: now) { noteLeftOut(lines, "upload") }
    if let lines = aheadLines.takeLeftOut(now: now) { noteLeftOut(lines, "client is ahead") }
    if let lines = acceptLines.takeLeftOut(now: now) { noteLeftOut(lines, "connection not taken") }
  }

  private func noteLeftOut(_ lines: UInt64, _ event: String) {
    shared.log(.warning, "log lines left out", ["of": "\(event)", "lines": .number(lines)])
  }

  /// Says when nothing new is taken any more, for want of a disk, and when that is over.
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
