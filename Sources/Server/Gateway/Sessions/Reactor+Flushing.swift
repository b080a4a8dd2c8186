internal import Primitives
internal import SessionCore
internal import Networking
internal import Platform
internal import WebSocket
internal import Wire

/// Sends a session's log to its members: at the end of a turn one `send` a socket, whatever was said in it.
extension Reactor {
  /// How many members are sent to before the loop looks at its sockets again.
  private static let sendsPerTurn = 512
  /// Smaller pieces are not counted as bulk bytes.
  private static let bulkPieceBytes = 16_384

  /// Sends those who only wait for their turn what is due to them, as far as their sockets take it.
  func flushWhoWait(in session: Session) {
    for subscriber in session.subscribers {
      guard let (connection, conversation) = webSocket(subscriber.connection), connection.isQueuedForWriting,
        !subscriber.isCatchingUp
      else { continue }
      flush(connection, conversation)
    }
  }

  func flushSessions() {
    var budget = Self.sendsPerTurn
    var turns = flushing.count
    while budget > 0, turns > 0 {
      turns -= 1
      let hosted = flushing.removeFirst()
      let (isDone, sends) = flush(hosted.session, budget: budget, toSettled: hosted.tellsSettled)
      budget -= max(1, sends)
      if isDone {
        budget -= flushTargeted(hosted.session)
        hosted.isFlushing = false
        noteFannedOut(hosted)
      } else {
        // The others have their turn too.
        flushing.append(hosted)
      }
      collectCounters(hosted)
      // Who missed what rode along is told later, also when nobody says anything more.
      schedule(hosted)
      if hosted.session.needsTurn { touch(hosted) }
    }
  }

  /// All who are at the tail have been offered what was said.
  private func noteFannedOut(_ hosted: Hosted) {
    guard hosted.flushedFrom != .distantFuture else { return }
    counters.values.fanOutTimes.count(.now() - hosted.flushedFrom)
    hosted.flushedFrom = .distantFuture
  }

  /// Sends the tail to members who have not been looked at in this flush, until so many sends were made. Those who are
  /// anywhere else, or have something of their own to be sent, are looked at one by one afterwards.
  ///
  /// Rows may have moved since the last slice, for people come and go: each row knows in which flush it was looked at.
  /// - Parameters:
  ///   - session: whose log it is.
  ///   - budget: how many sends there may be.
  ///   - toSettled: whether those are sent to who are simply at the tail; else what they have not got waits in the log.
  /// - Returns: whether all have been looked at, and how many sends were made.
  @discardableResult
  func flush(_ session: Session, budget: Int, toSettled: Bool = true) -> (isDone: Bool, sends: Int) {
    let unreliable = session.unreliableFrames
    let entries = session.unreliableEntryCount
    var slice = Slice()
    session.withMembers { members in
      slice = sendTail(of: session, unreliable, entries, to: &members, budget: budget, toSettled: toSettled)
    }
    let subscribers = slice.others.map { session.subscribers[$0] }
    let shortReaders = slice.shorts.map { (session.subscribers[$0.position], $0.took) }
    session.countDelivered(slice.delivered)
    for (subscriber, took) in shortReaders { missed(session, subscriber, took: took, of: entries) }
    for subscriber in subscribers {
      guard let (connection, conversation) = webSocket(subscriber.connection) else { continue }
      flush(connection, conversation)
      guard !unreliable.isEmpty else { continue }
      if session.isAtTail(subscriber) {
        writeEphemeral(unreliable, entries, to: subscriber, connection, session)
      } else {
        missed(session, subscriber, took: 0, of: entries)
      }
    }
    return (slice.isDone, slice.sends)
  }

  /// What came of a slice of a flush.
  private struct Slice {
    /// Rows that are not simply at the tail.
    var others: [Int] = []
    /// Rows that did not take all of the unreliable frames.
    var shorts: [(position: Int, took: Int)] = []
    var delivered = 0
    var sends = 0
    var isDone = false
  }

  /// The loop that everything else is arranged around: one pass over the rows, one `send` for each.
  ///
  /// What it needs of the reactor and of the session is fetched once: for a member, exclusivity is checked nowhere, and
  /// nothing but its row and its connection is touched.
  private func sendTail(
    of session: Session, _ unreliable: [UInt8], _ entries: Int, to members: inout [Member], budget: Int,
    toSettled: Bool
  ) -> Slice {
    let number = session.flushNumber
    let tail = session.tailSegment
    let (segment, targetedEnd, log) = (tail.number, tail.targetedEnd, tail.bytes)
    let (longest, blocked) = (Session.pieceBytes, Member.Flags.blocked.rawValue)
    let connections = connections.rows
    var tally = ConnectionIO.SendTally()
    var slice = Slice()
    var counted = (from: -1, entries: 0)
    var rows = members.mutableSpan
    var position = 0
    while position < rows.count, slice.sends < budget {
      defer { position += 1 }
      let member = rows[position]
      if member.flush == number { continue }
      rows[position].flush = number
      // Raw values: what the standard library makes of an option set is called, and not inlined, in another module.
      if member.flags.rawValue & blocked != 0 {
        if !unreliable.isEmpty { slice.shorts.append((position, 0)) }
        continue
      }
      if member.flags.rawValue == 0, !toSettled { continue }
      let from = Int(member.cursor.rawOffset)
      guard member.flags.rawValue == 0, member.cursor.segment == segment, from >= targetedEnd,
        log.count - from <= longest
      else {
        slice.others.append(position)
        slice.sends += 1
        continue
      }
      let count = log.count - from
      guard count + unreliable.count > 0,
        let connection = ConnectionTable.connection(token: member.connection, in: connections)
      else { continue }
      slice.sends += 1
      let sent = io.write(log.span.extracting(from..<log.count), unreliable.span, on: connection, &tally)
      rows[position].cursor.rawOffset = UInt32(truncatingIfNeeded: from + min(sent, count))
      if connection.isWriteBlocked { rows[position].flags.insert(.blocked) }
      if sent < count {
        slice.delivered += tail.entryCount(from: from, to: from + sent)
        if !unreliable.isEmpty { slice.shorts.append((position, 0)) }
        continue
      }
      if counted.from != from { counted = (from, tail.entryCount(from: from, to: log.count)) }
      slice.delivered += counted.entries
      if sent == count + unreliable.count {
        slice.delivered += entries
      } else {
        slice.shorts.append((position, sent - count))
      }
    }
    slice.isDone = position == rows.count
    io.count(tally)
    return slice
  }

  private func writeEphemeral(
    _ frames: [UInt8], _ entries: Int, to subscriber: Subscriber, _ connection: Connection, _ session: Session
  ) {
    let sent = write(frames.span, on: connection)
    if connection.isWriteBlocked { session.setBlocked(true, subscriber) }
    if sent == frames.count {
      session.countDelivered(entries)
    } else {
      missed(session, subscriber, took: sent, of: entries)
    }
  }

  /// A socket did not take all of the turn's unreliable frames: only a begun one is finished.
  private func missed(_ session: Session, _ subscriber: Subscriber, took: Int, of entries: Int) {
    counters.values.unreliableDropped += UInt64(entries)
    session.didSendUnreliable(took, subscriber, now: now)
    finishBegun(subscriber)
  }

  /// Over TLS a begun frame may wait for no event: its rest is sent at once.
  private func finishBegun(_ subscriber: Subscriber) {
    guard subscriber.hasBufferedOutput, let (connection, conversation) = webSocket(subscriber.connection),
      !connection.isWriteBlocked
    else { return }
    flush(connection, conversation)
  }

  /// - Returns: how many sends were made.
  private func flushTargeted(_ session: Session) -> Int {
    guard session.hasTargetedUnreliable else { return 0 }
    var sends = 0
    session.forEachTargetedUnreliable { subscriber, frames, entries in
      guard let connection = connections[token: subscriber.connection] else { return }
      sends += 1
      let sent = write(frames.span, on: connection)
      if sent > 0 {
        session.countDelivered(entries)
      } else {
        counters.values.unreliableDropped += UInt64(entries)
      }
      if connection.isWriteBlocked { session.setBlocked(true, subscriber) }
      guard sent > 0, sent < frames.count else { return }
      session.bufferRemainder(Array(frames[sent...]), for: subscriber)
      finishBegun(subscriber)
    }
    return sends
  }

  /// Sends one socket what is due to it, up to its share of a turn.
  func flush(_ connection: Connection, _ conversation: WebSocketConversation) {
    let subscriber = conversation.subscriber
    let session = conversation.enteredSession
    var given = 0
    // What is caught up may have to be compressed first: that too is shared out.
    if !budget.allowsBulkBytes, subscriber.isCatchingUp {
      session?.setBlocked(true, subscriber)
      flushLater(connection, isBulk: true)
      return
    }
    while !connection.isWriteBlocked, !connection.hasPendingWrites,
      let piece = session?.nextPiece(subscriber) ?? subscriber.nextOutputPiece()
    {
      budget.useBulkBytes(compressor.takeCost())
      let isBulk = piece.range.count > Self.bulkPieceBytes || subscriber.isCatchingUp
      let share = subscriber.isCatchingUp ? Session.catchUpPieceBytes : Session.pieceBytes
      guard given < share, !isBulk || budget.allowsBulkBytes else {
        session?.setBlocked(true, subscriber)
        flushLater(connection, isBulk: isBulk)
        return
      }
      let sent = write(piece.bytes.span.extracting(piece.range), on: connection)
      given += sent
      if isBulk { budget.useBulkBytes(sent) }
      if let session {
        session.sent(piece, sent, to: subscriber)
      } else {
        subscriber.didSendOutput(piece, sent)
      }
    }
    session?.setBlocked(connection.isWriteBlocked, subscriber)
    if conversation.joinedAt != .distantFuture, subscriber.isCaughtUp, !connection.hasPendingWrites {
      counters.values.catchUpTimes.count(.now() - conversation.joinedAt)
      conversation.joinedAt = .distantFuture
    }
    if let hosted = conversation.hosted, hosted.session.needsTurn { touch(hosted) }
    if conversation.isFinished, !subscriber.hasBufferedOutput, !connection.hasPendingWrites {
      logClose(connection, conversation, end: conversation.peerClosed ? "closed" : "failed")
      conversation.phase = .closing
      releaseInflater(of: connection)
      io.linger(connection)
      return
    }
    if connection.isReadingPaused, !conversation.isHeld, !subscriber.isOutboxFull {
      resumeReading(connection)
    }
  }

  /// Takes over what a session counted, and how much of it there is now.
  func collectCounters(_ hosted: Hosted) {
    let counted = hosted.session.takeCounters()
    counters.values.entriesReceived += UInt64(counted.entriesAccepted)
    counters.values.entriesDelivered += UInt64(counted.delivered)
    counters.values.repeats += UInt64(counted.repeats)
    counters.values.unreliableReceived += UInt64(counted.unreliableReceived)
    counters.values.unreliableRefused += UInt64(counted.unreliableRefused)
    counters.values.unreliableDropped += UInt64(counted.unreliableDropped)
    counters.values.lateCatchUps += UInt64(counted.lateCatchUps)
    if counted.commitWait > 0 { counters.values.commitTimes.count(nanoseconds: counted.commitWait) }
    guard !hosted.isRemoved else { return }
    note(hosted, participants: hosted.session.members.count, logBytes: hosted.session.logBytes)
  }

  /// Keeps the gauges of participants and of bytes in memory.
  func note(_ hosted: Hosted, participants: Int, logBytes: Int) {
    counters.values.participants += Int64(participants - hosted.countedParticipants)
    counters.values.logBytes += Int64(logBytes - hosted.countedLogBytes)
    noteMemory(
      shared.memory.hold(
        logBytes - hosted.countedLogBytes,
        sessions: (logBytes > 0 ? 1 : 0) - (hosted.countedLogBytes > 0 ? 1 : 0)))
    hosted.session.memoryPressure = shared.memory.memoryPressure(for: logBytes)
    hosted.countedParticipants = participants
    hosted.countedLogBytes = logBytes
  }

  /// Says in the log when all sessions begin to hold more than they may, and when there is room again.
  private func noteMemory(_ change: HeldMemory.Change) {
    let (memory, limit) = (shared.memory, shared.limits.memoryBytes)
    switch change {
    case .crowded:
      shared.log(
        .warning, "memory for sessions full", ["held": .number(memory.held), "memoryBytes": .number(limit)])
    case .relieved:
      shared.log(
        .info, "memory for sessions free again",
        ["held": .number(memory.held), "memoryBytes": .number(limit)])
    case .same: break
    }
  }
}
