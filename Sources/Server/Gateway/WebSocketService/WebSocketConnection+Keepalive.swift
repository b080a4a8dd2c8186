internal import WebSocket
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Wire

extension WebSocketConnection {
  /// The maximum number of ticks between two pings, and between two heartbeats: 20 s.
  private static let pingTicks: Int32 = 40
  /// The number of different ping intervals. Sockets get different intervals, so that sockets that were opened at the same time
  /// do not send all their pings at the same times.
  private static let intervalCount: Int32 = 10
  // The following times are numbers of seconds, because arithmetic with `Duration` takes hundreds of instructions, and thousands
  // of sockets are checked each second.
  /// The time without activity of the peer after which the socket is closed.
  private static let silenceLimit = 40
  /// A peer that was active within this time gets no ping. If such a peer then becomes silent, the next ping is sent after at
  /// most 25 s of silence. So at least 15 s are left for the pong before `silenceLimit`.
  private static let recentActivity = 5
  /// After this time without input from the peer, each tick checks if the peer's kernel has acknowledged bytes (TCP). An idle
  /// peer that answers its pings is never silent for so long.
  private static let longSilence = 25

  /// The frame of a heartbeat: a binary message without entries. Browsers do not show pings to scripts, so this message shows a
  /// script that the connection works.
  private static let heartbeat: [UInt8] = [0x82, 0x00]
  /// The frame of a ping without payload, and the frame of a heartbeat.
  private static let pingAndHeartbeat: [UInt8] = [0x89, 0x00] + heartbeat

  /// The time of the next ping: from 15.5 to 20 s after the last one.
  private var nextPing: MonotonicTime {
    let ticks = Self.pingTicks - connection.key.slot % Self.intervalCount
    return pingedAt.adding(milliseconds: Int(ticks) * CheckSchedule.tickMilliseconds)
  }

  /// Checks the time limits of the socket, and sends a ping and a heartbeat if they are due.
  func check() -> CheckSchedule.Ticks {
    if isClosing {
      if connection.deadline <= now { io.abort(connection, reason: "no answer to the close frame") }
      return 1
    }
    if case .opened = phase, joinableSince.adding(seconds: service.limits.joinSeconds) <= now {
      service.counters.countLabel { $0.refusals[.notJoined] += 1 }
      disconnect(.noJoin)
      return 1
    }
    // A socket that waits for the inflater is not read, so missing pongs do not count as silence.
    if awaitsInflater { activeAt = now }
    if isSilent(for: Self.longSilence) { checkUnacknowledgedBytes() }
    if isSilent(for: Self.silenceLimit) {
      service.counters.countLabel { $0.refusals[.noAnswer] += 1 }
      disconnect(.unresponsive)
      return 1
    }
    if messageBegan != .distantFuture, now - messageBegan >= .seconds(service.limits.messageSeconds) {
      var reason = CloseReason.badEntry
      reason.reasonCode = ErrorCode.badRequest.rawValue
      reason.detail = "A message did not arrive completely within \(service.limits.messageSeconds) s."
      disconnect(reason)
      return 1
    }
    // The number of buffered bytes may have grown since the last check: when a segment of the log is dropped, a subscriber gets
    // its own copy of the rest of a frame that was sent in part.
    if subscriber.hasBufferedOutput, !io.updateBufferedBytes(of: connection) {
      disconnect(.tryAgainLater(.tooMany, retryAfterMs: 5000))
      return 1
    }
    if pausedUntil <= now {
      pausedUntil = .distantFuture
      io.resumeReading(connection)
    }
    // A check takes place up to one tick early, so a ping is sent if less than one tick of the interval is left.
    if now.adding(milliseconds: CheckSchedule.tickMilliseconds) > nextPing { sendPing() }
    return ticksUntilCheck
  }

  /// Sends a heartbeat if the peer is a participant. Also sends a ping, unless the peer was active within `recentActivity`. Sends
  /// nothing if the outbox is full.
  private func sendPing() {
    pingedAt = now
    guard !subscriber.isOutboxFull else { return }
    let isPingNeeded = isSilent(for: Self.recentActivity)
    guard let live = enteredSession else {
      if isPingNeeded { subscriber.enqueue(.ping, []) }
      flush()
      return
    }
    let frames = isPingNeeded ? Self.pingAndHeartbeat : Self.heartbeat
    guard isIdle(in: live) else {
      subscriber.enqueue(frames: frames)
      live.session.markPending(subscriber)
      flush()
      return
    }
    // An idle participant has no other output to wait for, so the frames are written directly. A detour through the outbox would
    // take more time than this system call.
    let sent = io.write(frames.span, on: connection)
    guard sent < frames.count else { return }
    live.session.setBlocked(true, subscriber)
    live.session.bufferRemainder(Array(frames[sent...]), for: subscriber)
  }

  /// Returns true if a participant has received all entries of its session, and no other output waits for its socket.
  private func isIdle(in live: LiveSession) -> Bool {
    !connection.isWriteBlocked && !connection.hasPendingWrites && !subscriber.hasBufferedOutput
      && live.session.isAtTail(subscriber)
  }

  /// The number of ticks until the next check.
  private var ticksUntilCheck: CheckSchedule.Ticks {
    // A socket with buffered output is checked at each tick, because this output may grow at any time: see `check`.
    if isClosing || messageBegan != .distantFuture || pausedUntil != .distantFuture
      || subscriber.hasBufferedOutput || connection.isWriteBlocked
    {
      return 1
    }
    switch phase {
    case .opened, .loading, .closing: return 1
    case .echo, .waiting, .joined: break
    }
    guard !isSilent(for: Self.longSilence) else { return 1 }
    return CheckSchedule.ticks(until: min(nextPing, activeAt.adding(seconds: Self.longSilence)), from: now)
  }

  /// Returns true if the last activity of the peer was at least `seconds` ago.
  private func isSilent(for seconds: Int) -> Bool { activeAt.adding(seconds: seconds) <= now }

  /// Counts acknowledged output as activity of the peer. On a slow line, a pong may be late because other output is transmitted
  /// before the ping.
  private func checkUnacknowledgedBytes() {
    do throws(SystemError) {
      let bytes = try connection.socket.unacknowledgedBytes()
      if bytes < unacknowledgedBytes { activeAt = now }
      unacknowledgedBytes = bytes
    } catch {
      // The kernel does not report the number of unacknowledged bytes. Only a decrease of this number shows activity of the peer,
      // so no activity is recorded.
      unacknowledgedBytes = 0
    }
  }
}
