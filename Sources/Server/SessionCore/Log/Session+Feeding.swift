internal import Wire
package import Primitives
internal import WebSocket

/// The bytes that a subscriber gets next.
extension Session {
  /// The most bytes of the log in one piece.
  package static let pieceBytes = 65_536
  /// The most bytes of a catch-up in one piece: a joiner gets little else, and each call has a cost.
  package static let catchUpPieceBytes = 262_144

  /// Returns the next bytes for a subscriber; nil if there are none now.
  ///
  /// The caller reports the bytes that the socket accepted to `sent`, and calls again. No frame is torn: a begun frame is
  /// finished, then come the subscriber's own messages, then snapshot and log.
  package func nextPiece(_ subscriber: Subscriber) -> Piece? {
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
  package func sent(_ piece: Piece, _ count: Int, to subscriber: Subscriber) {
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

  /// Sets whether the kernel accepts no more bytes until it reports the socket as writable.
  package func setBlocked(_ isBlocked: Bool, _ subscriber: Subscriber) {
    guard subscriber.memberIndex >= 0 else { return }
    if isBlocked {
      members[subscriber.memberIndex].flags.insert(.blocked)
    } else {
      members[subscriber.memberIndex].flags.remove(.blocked)
    }
  }

  /// Returns true if the subscriber has all entries, and the flush loop may send it the tail.
  package func isAtTail(_ subscriber: Subscriber) -> Bool {
    guard subscriber.memberIndex >= 0 else { return false }
    // Without flags it may still be inside a frame: its share of the turn is used up, and it continues in the next one.
    let member = members[subscriber.memberIndex]
    return member.flags.isEmpty && member.cursor == log.tail
  }

  /// Enqueues a control message for one subscriber.
  package func enqueueControl(_ subscriber: Subscriber, _ message: [UInt8]) {
    subscriber.enqueue(.text, message)
    markPending(subscriber)
  }

  /// Makes the flush loop visit a subscriber whose outbox has new messages.
  package func markPending(_ subscriber: Subscriber) {
    guard subscriber.memberIndex >= 0 else { return }
    members[subscriber.memberIndex].flags.insert(.special)
  }

  /// The segment of the members at the tail.
  package var tailSegment: Segment { log.tailSegment }
  /// The frames of this turn for the members at the tail.
  package var unreliableFrames: [UInt8] { unreliableBatch.frames }
  package var unreliableEntryCount: Int { unreliableBatch.entryCount }

  /// Calls the closure with the rows of the members, so that a flush writes each row without a lookup. The session has no
  /// rows during the call: the closure calls no function of the session that uses them.
  package func withMembers(_ body: (inout [Member]) -> Void) {
    var rows: [Member] = []
    swap(&rows, &members)
    body(&rows)
    members = rows
  }

  package func countDelivered(_ entries: Int) {
    counters.delivered += entries
  }

  /// Reports that the socket accepted only `count` bytes of this turn's unreliable frames, or none because it is not at the
  /// tail. A begun frame is finished later.
  package func didSendUnreliable(_ count: Int, _ subscriber: Subscriber, now: MonotonicTime) {
    guard subscriber.memberIndex >= 0 else { return }
    let rest = unreliableBatch.restOfFrame(at: count)
    if !rest.isEmpty {
      subscriber.prepend(rest, entries: 0)
      markPending(subscriber)
    }
    recordMissedUnreliable(subscriber, now: now)
  }

  /// Calls the closure with this turn's targeted unreliable frames for each subscriber at the tail whose socket accepts
  /// bytes.
  package func forEachTargetedUnreliable(_ body: (Subscriber, _ frames: [UInt8], _ entries: Int) -> Void) {
    for (number, item) in unreliableBatch.targeted {
      guard let participant = participants[number], case .joined(let subscriber) = participant.presence,
        isAtTail(subscriber)
      else {
        counters.unreliableDropped += item.entries
        continue
      }
      body(subscriber, item.frames, item.entries)
    }
  }

  package var hasTargetedUnreliable: Bool { !unreliableBatch.targeted.isEmpty }

  /// Buffers the rest of whole frames for one subscriber, of which its socket accepted a part.
  package func bufferRemainder(_ rest: [UInt8], for subscriber: Subscriber) {
    subscriber.prepend(rest, entries: 0)
    markPending(subscriber)
  }

  /// Buffers the rest of the frame that the subscriber is in the middle of.
  func keepRestOfFrame(_ subscriber: Subscriber) {
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

  /// Marks a member as being at the tail: the flush loop sends it the same bytes as all members at the tail.
  private func markAtTail(_ position: Int) {
    members[position].flags.remove(.special)
  }

  private func piece(of progress: CatchUpProgress, _ subscriber: Subscriber) -> Piece {
    if let compressor, progress.catchUp.prepare(progress.part, by: compressor) { retained.countCompressed() }
    let part = progress.catchUp.parts[progress.part]
    var end = min(part.end, progress.offset + Self.catchUpPieceBytes)
    if subscriber.hasBufferedOutput {
      // The subscriber's own bytes are sent at the next boundary.
      end = min(end, part.segment.frames[part.segment.frameIndex(at: progress.offset)].end)
    }
    return Piece(.catchUp, part.segment.bytes, progress.offset..<end)
  }

  /// Returns the next bytes of a segment of the log for this member; steps over frames for other participants.
  /// - Returns: nil if the cursor moved and has to be examined again.
  private func piece(of segment: Segment, at offset: Int, _ position: Int) -> Piece? {
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
