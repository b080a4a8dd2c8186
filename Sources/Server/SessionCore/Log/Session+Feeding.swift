internal import Wire
package import Primitives
internal import WebSocket

/// The bytes that a subscriber gets next.
extension Session {
  /// The maximum size of one piece of the log.
  package static let pieceBytes = 65_536
  /// The maximum size of one piece of a catch-up. It is larger than `pieceBytes`, so that the long catch-up of a joiner needs
  /// fewer calls.
  package static let catchUpPieceBytes = 262_144

  /// Returns the next bytes for a subscriber; nil if there are none now.
  ///
  /// The caller reports the number of accepted bytes to `sent`, and calls this function again. No frame is interrupted:
  /// first the rest of a partly sent frame is sent, then the subscriber's own messages, then snapshot and log.
  package mutating func nextPiece(_ subscriber: Subscriber) -> Piece? {
    let position = subscriber.memberIndex
    guard position >= 0 else { return subscriber.outputPiece(onBoundary: true) }
    while true {
      switch subscriber.source {
      case .none:
        return subscriber.outputPiece(onBoundary: true)
      case .evicted:
        if let piece = subscriber.outputPiece(onBoundary: true) { return piece }
        subscriber.source = .none
        counters.lateCatchUps += 1
        catchingUp.append(PendingCatchUp(subscriber: subscriber))
        return nil
      case .catchingUp(let progress):
        if let piece = subscriber.outputPiece(onBoundary: progress.isOnBoundary) { return piece }
        guard progress.isFinished else { return piece(of: progress, subscriber) }
        members[position].cursor = progress.catchUp.continuesAt
        subscriber.source = .live
      case .live:
        guard let segment = log[members[position].cursor.segment] else {
          subscriber.source = .evicted
          continue
        }
        let cursor = members[position].cursor
        if let piece = subscriber.outputPiece(onBoundary: segment.isBoundary(cursor.offset)) { return piece }
        if let mark = subscriber.caughtUpAt, mark.cursor == cursor {
          subscriber.caughtUpAt = nil
          subscriber.enqueue(.text, GatewayControl.caughtUp(sequence: mark.sequence).encoded())
          continue
        }
        if cursor.offset == segment.bytes.count {
          guard segment !== log.tailSegment else {
            markAtTail(position)
            return nil
          }
          members[position].cursor = Cursor(segment: segment.number + 1, offset: 0)
          continue
        }
        if let piece = piece(of: segment, at: cursor.offset, position) { return piece }
      }
    }
  }

  /// Reports that the socket accepted `count` bytes of a piece.
  package mutating func sent(_ piece: Piece, _ count: Int, to subscriber: Subscriber) {
    switch piece.origin {
    case .rest:
      counters.delivered += subscriber.sentRest(count)
    case .outbox:
      subscriber.sentOutbox(count)
    case .catchUp:
      guard case .catchingUp(let progress) = subscriber.source else { return }
      counters.delivered += progress.catchUp.parts[progress.part].segment.entryCount(
        from: piece.range.lowerBound, to: piece.range.lowerBound + count)
      progress.advance(by: count)
    case .log:
      let position = subscriber.memberIndex
      guard position >= 0, let segment = log[members[position].cursor.segment] else { return }
      counters.delivered += segment.entryCount(
        from: piece.range.lowerBound, to: piece.range.lowerBound + count)
      members[position].cursor.offset += count
    }
  }

  /// Records whether the socket is blocked. A blocked socket accepts no more bytes until the kernel reports it as writable.
  package mutating func setBlocked(_ isBlocked: Bool, _ subscriber: Subscriber) {
    guard subscriber.memberIndex >= 0 else { return }
    if isBlocked {
      members[subscriber.memberIndex].flags.insert(.blocked)
    } else {
      members[subscriber.memberIndex].flags.remove(.blocked)
    }
  }

  /// Returns true if the subscriber has received the whole log. The flush loop may then send the new entries directly.
  package func isAtTail(_ subscriber: Subscriber) -> Bool {
    guard subscriber.memberIndex >= 0 else { return false }
    // A member without flags may still have received only a part of a frame, because a turn sends a limited number of bytes to
    // each member. The member then gets the rest of the frame in the next turn.
    let member = members[subscriber.memberIndex]
    return member.flags.isEmpty && member.cursor == log.tail
  }

  /// Enqueues a control message for one subscriber.
  package mutating func enqueueControl(_ subscriber: Subscriber, _ message: [UInt8]) {
    subscriber.enqueue(.text, message)
    markPending(subscriber)
  }

  /// Marks a subscriber for the flush loop, because the subscriber's outbox has new messages.
  package mutating func markPending(_ subscriber: Subscriber) {
    guard subscriber.memberIndex >= 0 else { return }
    members[subscriber.memberIndex].flags.insert(.special)
  }

  /// This turn's unreliable frames for all members at the tail.
  package var unreliableFrames: [UInt8] { unreliableBatch.frames }

  /// Moves the members of the session into the data of a flush, and returns this data. The flush can then change each member's
  /// row without a lookup. The session has no members until `endFlush` moves them back, so functions that use the members must
  /// not be called before `endFlush`.
  package mutating func beginFlush() -> SessionFlush {
    var flush = SessionFlush(
      number: flushNumber, tail: log.tailSegment, unreliableFrames: unreliableBatch.frames,
      unreliableEntryCount: unreliableBatch.entryCount,
      hasTargetedFrames: !unreliableBatch.targeted.isEmpty)
    swap(&flush.members, &members)
    return flush
  }

  /// Moves the members from the data of a flush back into the session, and counts the entries that the flush delivered.
  package mutating func endFlush(_ flush: consuming SessionFlush, delivered: Int) {
    members = flush.members
    counters.delivered += delivered
  }

  package mutating func countDelivered(_ entries: Int) {
    counters.delivered += entries
  }

  /// Records that the socket accepted only `count` bytes of this turn's unreliable frames; `count` is 0 if the member is not at
  /// the tail. The rest of a partly sent frame is sent later.
  package mutating func didSendUnreliable(_ count: Int, _ subscriber: Subscriber, now: MonotonicTime) {
    guard subscriber.memberIndex >= 0 else { return }
    let rest = unreliableBatch.restOfFrame(at: count)
    if !rest.isEmpty {
      subscriber.prepend(rest, entries: 0)
      markPending(subscriber)
    }
    recordMissedUnreliable(subscriber, now: now)
  }

  /// Returns the subscribers at the tail whose sockets accept bytes, each with this turn's unreliable frames that target this
  /// subscriber.
  package mutating func targetedUnreliable() -> [(subscriber: Subscriber, frames: [UInt8], entries: Int)] {
    var deliveries: [(subscriber: Subscriber, frames: [UInt8], entries: Int)] = []
    for (number, item) in unreliableBatch.targeted {
      guard let participant = participants[number], case .joined(let subscriber) = participant.presence,
        isAtTail(subscriber)
      else {
        counters.unreliableDropped += item.entries
        continue
      }
      deliveries.append((subscriber, item.frames, item.entries))
    }
    return deliveries
  }

  /// Buffers the remaining bytes for one subscriber, after its socket accepted only a part of some frames.
  package mutating func bufferRemainder(_ rest: [UInt8], for subscriber: Subscriber) {
    subscriber.prepend(rest, entries: 0)
    markPending(subscriber)
  }

  /// Buffers the rest of the frame that was sent to the subscriber in part.
  mutating func keepRestOfFrame(_ subscriber: Subscriber) {
    switch subscriber.source {
    case .none, .evicted:
      break
    case .catchingUp(let progress):
      guard !progress.isOnBoundary else { return }
      subscriber.prepend(
        progress.catchUp.parts[progress.part].segment.restOfFrame(at: progress.offset), entries: 0)
    case .live:
      let cursor = members[subscriber.memberIndex].cursor
      guard let segment = log[cursor.segment], !segment.isBoundary(cursor.offset) else { return }
      subscriber.prepend(
        segment.restOfFrame(at: cursor.offset),
        entries: segment.frames[segment.frameIndex(at: cursor.offset)].entryCount)
    }
  }

  /// Marks a member as being at the tail: the flush loop sends the same bytes to all members at the tail.
  private mutating func markAtTail(_ position: Int) {
    members[position].flags.remove(.special)
  }

  private mutating func piece(of progress: CatchUpProgress, _ subscriber: Subscriber) -> Piece {
    if let compressor, progress.catchUp.prepare(progress.part, by: compressor) { retained.countCompressed() }
    let part = progress.catchUp.parts[progress.part]
    var end = min(part.end, progress.offset + Self.catchUpPieceBytes)
    if subscriber.hasBufferedOutput {
      // The bytes that are buffered for this subscriber can be sent only between two frames. So this piece ends at the next frame
      // boundary.
      end = min(end, part.segment.frames[part.segment.frameIndex(at: progress.offset)].end)
    }
    return Piece(.catchUp, part.segment.bytes, progress.offset..<end)
  }

  /// Returns the next bytes of a segment of the log for this member; skips frames for other participants.
  /// - Returns: nil if the cursor was moved past a frame for other participants; the caller then tries again.
  private mutating func piece(of segment: Segment, at offset: Int, _ position: Int) -> Piece? {
    let subscriber = subscribers[position]
    var end = segment.bytes.count
    if segment.hasTargetedFrames {
      let number = members[position].participant
      var index = segment.frameIndex(at: offset)
      guard segment.isFor(number, segment.frames[index]) else {
        members[position].cursor.offset = segment.frames[index].end
        return nil
      }
      while index < segment.frames.count, segment.isFor(number, segment.frames[index]) {
        end = segment.frames[index].end
        index += 1
      }
    }
    end = min(end, offset + Self.pieceBytes)
    if let mark = subscriber.caughtUpAt, mark.cursor.segment == segment.number, mark.cursor.offset > offset {
      end = min(end, mark.cursor.offset)
    }
    if subscriber.hasBufferedOutput { end = min(end, segment.frames[segment.frameIndex(at: offset)].end) }
    return Piece(.log, segment.bytes, offset..<end)
  }
}
