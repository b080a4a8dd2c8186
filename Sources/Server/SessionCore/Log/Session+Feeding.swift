internal import Wire
package import Primitives

/// What a subscriber is sent next, piece by piece.
extension Session {
  /// How much of the log one piece holds at most.
  package static let pieceBytes = 65_536
  /// The same of a catch-up: who comes is sent little else, and each call has its price.
  package static let catchUpPieceBytes = 262_144

  /// What to send next to a subscriber. Nil: nothing now.
  ///
  /// Call `sent` with what the socket took, and ask again. Frames are never torn: what was begun is finished, then come the
  /// subscriber's own messages, then snapshot and log.
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

  /// The socket took `count` bytes of a piece.
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

  /// Whether the kernel takes nothing more for this subscriber until it says so.
  package func setBlocked(_ isBlocked: Bool, _ subscriber: Subscriber) {
    guard subscriber.memberIndex >= 0 else { return }
    if isBlocked {
      members[subscriber.memberIndex].flags.insert(.blocked)
    } else {
      members[subscriber.memberIndex].flags.remove(.blocked)
    }
  }

  /// Whether the subscriber has all there is, and nothing keeps the flush loop from just sending it the tail.
  package func isAtTail(_ subscriber: Subscriber) -> Bool {
    guard subscriber.memberIndex >= 0 else { return false }
    // With no flags it may still be inside a frame: it had its share of a turn, and goes on in the next.
    let member = members[subscriber.memberIndex]
    return member.flags.isEmpty && member.cursor == log.tail
  }

  /// Queues a message of the gateway's for one subscriber.
  package func enqueueControl(_ subscriber: Subscriber, _ message: [UInt8]) {
    subscriber.enqueue(.text, message)
    markPending(subscriber)
  }

  /// The shell queued something for a subscriber: the flush loop must look at it.
  package func markPending(_ subscriber: Subscriber) {
    guard subscriber.memberIndex >= 0 else { return }
    members[subscriber.memberIndex].flags.insert(.special)
  }

  /// The segment that everybody who is at the tail is sent from.
  package var tailSegment: Segment { log.tailSegment }
  /// The frames of this turn that go to whoever is at the tail, and nobody else.
  package var unreliableFrames: [UInt8] { unreliableBatch.frames }
  package var unreliableEntryCount: Int { unreliableBatch.entryCount }

  /// Gives the members' rows away for a flush, so that they are written without looking anything up. Put them back with
  /// `putMembers` before anything else is asked of the session.
  package func takeMembers() -> [Member] {
    var taken: [Member] = []
    swap(&taken, &members)
    return taken
  }

  package func putMembers(_ rows: consuming [Member]) {
    members = rows
  }

  package func countDelivered(_ entries: Int) {
    counters.delivered += entries
  }

  /// The socket took only `count` bytes of this turn's unreliable frames, or none, as it was not at the tail: a begun one
  /// is finished later.
  package func didSendUnreliable(_ count: Int, _ subscriber: Subscriber, now: MonotonicTime) {
    guard subscriber.memberIndex >= 0 else { return }
    let rest = unreliableBatch.restOfFrame(at: count)
    if !rest.isEmpty {
      subscriber.prepend(rest, entries: 0)
      markPending(subscriber)
    }
    recordMissedUnreliable(subscriber, now: now)
  }

  /// This turn's unreliable frames for some: who is at the tail and can be written to gets them, in one piece.
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

  /// The socket took only `count` bytes of frames that were for it alone: they are whole, so the rest goes first later.
  package func bufferRemainder(_ rest: [UInt8], for subscriber: Subscriber) {
    subscriber.prepend(rest, entries: 0)
    markPending(subscriber)
  }

  /// Keeps what is left of the frame that the subscriber is in the middle of.
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

  /// The subscriber is at the tail: from here on the flush loop sends it what everybody gets.
  private func markAtTail(_ position: Int) {
    members[position].flags.remove(.special)
  }

  private func piece(of progress: CatchUpProgress, _ subscriber: Subscriber) -> Piece {
    if let compressor, progress.catchUp.prepare(progress.part, by: compressor) { retained.countCompressed() }
    let part = progress.catchUp.parts[progress.part]
    var end = min(part.end, progress.offset + Self.catchUpPieceBytes)
    if subscriber.hasBufferedOutput {
      // Something of its own waits for the next boundary.
      end = min(end, part.segment.frames[part.segment.frameIndex(at: progress.offset)].end)
    }
    return Piece(.catchUp, part.segment.bytes, progress.offset..<end)
  }

  /// The next bytes of a live segment that are for this member; steps over frames for others.
  /// - Returns: nil when the cursor moved and has to be looked at again.
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
