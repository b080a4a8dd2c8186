internal import Primitives
internal import Networking
internal import Platform
internal import SessionCore
internal import WebSocket
internal import Wire

/// Sends the entries of one session's turn to its members, with one `send` per socket for all entries of the turn.
final class FanOut {
  private let io: ConnectionIO
  private let clock: LoopClock
  private let counters: ReactorCounters

  init(_ io: ConnectionIO, clock: LoopClock, counters: ReactorCounters) {
    self.io = io
    self.clock = clock
    self.counters = counters
  }

  /// The outcome of one slice of a flush.
  private struct Slice {
    /// The rows of the members to which `send` writes after the loop of `sendTail`: members that are not at the tail of the log,
    /// that have pending output of their own, or that got only a part of the tail although their sockets accept more bytes.
    var notAtTail: [Int] = []
    /// The members whose sockets did not accept all unreliable frames: the position of the member's row, and the number of
    /// accepted bytes.
    var partialWrites: [(position: Int, accepted: Int)] = []
    var delivered = 0
    var sends = 0
    var isDone = false
  }

  /// Sends the tail of the log to members that this flush has not visited, up to a number of sends. Afterwards flushes the
  /// visited members that are not at the tail or have output of their own.
  ///
  /// A flush may need several calls of this function. The rows of the members may move between two calls, when members join and
  /// leave. So each row stores the number of the flush that visited it last.
  ///
  /// - Parameters:
  ///   - live: the session.
  ///   - limit: the maximum number of sends.
  ///   - includingCaughtUp: false to skip members that are at the tail and have no output of their own. They get the entries in a
  ///     later flush.
  /// - Returns: true when all members have been visited, the number of sends, and true if the turn has unreliable frames for
  ///   single members.
  @discardableResult
  func send(_ live: LiveSession, sends limit: Int, includingCaughtUp: Bool = true) -> (
    isDone: Bool, sends: Int, hasTargeted: Bool
  ) {
    var flush = live.session.beginFlush()
    let slice = sendTail(of: &flush, sends: limit, includingCaughtUp: includingCaughtUp)
    let (unreliable, entries) = (flush.unreliableFrames, flush.unreliableEntryCount)
    let progress = (isDone: slice.isDone, sends: slice.sends, hasTargeted: flush.hasTargetedFrames)
    live.session.endFlush(flush, delivered: slice.delivered)
    guard !slice.notAtTail.isEmpty || !slice.partialWrites.isEmpty else { return progress }
    let subscribers = slice.notAtTail.map { live.session.subscribers[$0] }
    let partialWrites = slice.partialWrites.map { (live.session.subscribers[$0.position], $0.accepted) }
    for (subscriber, accepted) in partialWrites {
      missed(live, subscriber, accepted: accepted, of: entries)
    }
    for subscriber in subscribers {
      guard let connection = io.table[token: subscriber.connection], let handler = connection.handler else {
        continue
      }
      handler.continueWriting()
      guard !unreliable.isEmpty else { continue }
      if live.session.isAtTail(subscriber) {
        writeUnreliable(unreliable, entries, to: subscriber, connection, live)
      } else {
        missed(live, subscriber, accepted: 0, of: entries)
      }
    }
    return progress
  }

  /// Sends the tail of the log to the members. This loop is the most important one for the gateway's performance: one pass over
  /// the rows of the members, with one `send` per row.
  ///
  /// All inputs are fetched once before the loop. For each member, the loop accesses only the row and the connection, without an
  /// exclusivity check at run time.
  private func sendTail(of flush: inout SessionFlush, sends limit: Int, includingCaughtUp: Bool) -> Slice {
    let (number, tail) = (flush.number, flush.tail)
    let (unreliable, entries) = (flush.unreliableFrames, flush.unreliableEntryCount)
    let (segment, targetedEnd, log) = (tail.number, tail.targetedEnd, tail.bytes)
    let (longest, blocked) = (Session.pieceBytes, Member.Flags.blocked.rawValue)
    let connections = io.table.rows
    var tally = ConnectionIO.SendTally()
    var slice = Slice()
    var counted = (from: -1, entries: 0)
    var rows = flush.members.mutableSpan
    var position = 0
    while position < rows.count, slice.sends < limit {
      defer { position += 1 }
      let member = rows[position]
      if member.flush == number { continue }
      rows[position].flush = number
      // The flags are compared as raw values, because the option set's own functions are not inlined across modules.
      if member.flags.rawValue & blocked != 0 {
        if !unreliable.isEmpty { slice.partialWrites.append((position, 0)) }
        continue
      }
      if member.flags.rawValue == 0, !includingCaughtUp { continue }
      let from = Int(member.cursor.rawOffset)
      guard member.flags.rawValue == 0, member.cursor.segment == segment, from >= targetedEnd,
        log.count - from <= longest
      else {
        slice.notAtTail.append(position)
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
        if !connection.isWriteBlocked {
          // The socket uses TLS, and memory is tight, so this write encrypted only some bytes. The socket still accepts bytes, so
          // no event of the socket will continue the write. Instead, the remaining bytes are sent after this loop.
          slice.notAtTail.append(position)
        } else if !unreliable.isEmpty {
          slice.partialWrites.append((position, 0))
        }
        continue
      }
      if counted.from != from { counted = (from, tail.entryCount(from: from, to: log.count)) }
      slice.delivered += counted.entries
      if sent == count + unreliable.count {
        slice.delivered += entries
      } else {
        slice.partialWrites.append((position, sent - count))
      }
    }
    slice.isDone = position == rows.count
    io.count(tally)
    return slice
  }

  private func writeUnreliable(
    _ frames: [UInt8], _ entries: Int, to subscriber: Subscriber, _ connection: Connection,
    _ live: LiveSession
  ) {
    let sent = io.write(frames.span, on: connection)
    if connection.isWriteBlocked { live.session.setBlocked(true, subscriber) }
    if sent == frames.count {
      live.session.countDelivered(entries)
    } else {
      missed(live, subscriber, accepted: sent, of: entries)
    }
  }

  /// Handles a socket that did not accept all unreliable frames of the turn. The rest of a partly sent frame is sent later, and
  /// the other unsent frames are dropped.
  private func missed(_ live: LiveSession, _ subscriber: Subscriber, accepted: Int, of entries: Int) {
    counters.values.unreliableDropped += UInt64(entries)
    live.session.didSendUnreliable(accepted, subscriber, now: clock.now)
    finishBegunFrame(subscriber)
  }

  /// Sends the rest of a partly sent frame immediately if the socket is writable. Over TLS, a write accepts only a limited number
  /// of bytes, even if the socket is writable. The event loop then reports no event for the rest of the frame.
  private func finishBegunFrame(_ subscriber: Subscriber) {
    guard subscriber.hasBufferedOutput, let connection = io.table[token: subscriber.connection],
      !connection.isWriteBlocked
    else { return }
    connection.handler?.continueWriting()
  }

  /// Sends the targeted unreliable frames of the turn.
  ///
  /// - Returns: the number of sends.
  func sendTargeted(_ live: LiveSession) -> Int {
    var sends = 0
    for (subscriber, frames, entries) in live.session.targetedUnreliable() {
      guard let connection = io.table[token: subscriber.connection] else { continue }
      sends += 1
      let sent = io.write(frames.span, on: connection)
      if sent > 0 {
        live.session.countDelivered(entries)
      } else {
        counters.values.unreliableDropped += UInt64(entries)
      }
      if connection.isWriteBlocked { live.session.setBlocked(true, subscriber) }
      guard sent > 0, sent < frames.count else { continue }
      live.session.bufferRemainder(Array(frames[sent...]), for: subscriber)
      finishBegunFrame(subscriber)
    }
    return sends
  }

  /// Flushes the output of one subscriber.
  func flush(_ subscriber: Subscriber) {
    io.table[token: subscriber.connection]?.handler?.continueWriting()
  }

  /// Flushes the members of a session that wait in the write queue, until their sockets are full. Skips members that are still
  /// catching up.
  func flushPending(in live: LiveSession) {
    for subscriber in live.session.subscribers {
      guard let connection = io.table[token: subscriber.connection], connection.isQueuedForWriting,
        !subscriber.isCatchingUp
      else { continue }
      connection.handler?.continueWriting()
    }
  }
}
