internal import Platform
internal import Primitives
internal import SessionCore

extension WebSocketConnection {
  /// The number of bytes above which a piece of output counts as bulk.
  private static let bulkPieceBytes = 16_384

  /// Writes the socket's output until the socket accepts no more bytes, or the limits for one turn are reached.
  func flush() {
    let entered = enteredSession
    var written = 0
    // This check comes before the first piece is fetched, because fetching a piece of a catch-up may compress it, and compression
    // counts toward the budget too.
    if !service.budget.allowsBulkBytes, subscriber.isCatchingUp {
      entered?.session.setBlocked(true, subscriber)
      io.writeQueue.append(connection, isBulk: true)
      return
    }
    while !connection.isWriteBlocked, !connection.hasPendingWrites,
      let piece = entered?.session.nextPiece(subscriber) ?? subscriber.nextOutputPiece()
    {
      service.budget.useBulkBytes(service.compressor.takeCost())
      let isBulk = piece.range.count > Self.bulkPieceBytes || subscriber.isCatchingUp
      let share = subscriber.isCatchingUp ? Session.catchUpPieceBytes : Session.pieceBytes
      guard written < share, !isBulk || service.budget.allowsBulkBytes else {
        entered?.session.setBlocked(true, subscriber)
        io.writeQueue.append(connection, isBulk: isBulk)
        return
      }
      let sent = io.write(piece.bytes.span.extracting(piece.range), on: connection)
      written += sent
      if isBulk { service.budget.useBulkBytes(sent) }
      if let entered {
        entered.session.sent(piece, sent, to: subscriber)
      } else {
        subscriber.didSendOutput(piece, sent)
      }
    }
    entered?.session.setBlocked(connection.isWriteBlocked, subscriber)
    if joinedAt != .distantFuture, subscriber.isCaughtUp, !connection.hasPendingWrites {
      service.counters.values.catchUpTimes.count(.now() - joinedAt)
      joinedAt = .distantFuture
    }
    if let live, live.session.needsTurn { service.broadcaster.touch(live) }
    if isFinished, !subscriber.hasBufferedOutput, !connection.hasPendingWrites {
      logClose(end: beginClosing().hasPeerClosed ? "closed" : "failed")
      service.releaseInflater(of: connection)
      io.linger(connection)
      return
    }
    if connection.isReadingPaused, !isInputPaused, !subscriber.isOutboxFull { io.resumeReading(connection) }
  }
}
