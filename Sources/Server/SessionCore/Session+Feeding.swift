internal import Wire

/// What a reader is sent next, piece by piece.
extension Session {
  /// How much of the log one piece holds at most.
  package static let pieceBytes = 65_536
  /// The same of a catch-up: who comes is sent little else, and each call has its price.
  package static let catchUpPieceBytes = 262_144

  /// What to send next to a reader. Nil: nothing now.
  ///
  /// Call `sent` with what the socket took, and ask again. Frames are never torn: what was begun is finished, then come the
  /// reader's own messages, then snapshot and log.
  package func nextPiece(_ reader: Reader) -> Piece? {
    let position = reader.memberIndex
    guard position >= 0 else { return reader.privatePiece(onBoundary: true) }
    while true {
      switch reader.source {
      case .none:
        return reader.privatePiece(onBoundary: true)
      case .lost:
        if let piece = reader.privatePiece(onBoundary: true) { return piece }
        reader.source = .none
        counters.lateCatchUps += 1
        catchingUp.append(PendingCatchUp(reader: reader))
        return nil
      case .catchingUp(let progress):
        if let piece = reader.privatePiece(onBoundary: progress.isOnBoundary) { return piece }
        guard progress.isFinished else { return piece(of: progress, reader) }
        members[position].cursor = progress.catchUp.continuesAt
        reader.source = .live
      case .live:
        guard let segment = log[members[position].cursor.segment] else {
          reader.source = .lost
          continue
        }
        let cursor = members[position].cursor
        if let piece = reader.privatePiece(onBoundary: segment.isBoundary(cursor.offset)) { return piece }
        if let mark = reader.caughtUpAt, mark.cursor == cursor {
          reader.caughtUpAt = nil
          reader.enqueue(.text, GatewayControl.caughtUp(sequence: mark.sequence).encoded())
          continue
        }
        if cursor.offset == segment.bytes.count {
          guard segment !== log.tailSegment else {
            settle(position)
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
  package func sent(_ piece: Piece, _ count: Int, to reader: Reader) {
    switch piece.origin {
    case .rest:
      counters.delivered += reader.sentRest(count)
    case .outbox:
      reader.sentOutbox(count)
    case .catchUp:
      guard case .catchingUp(let progress) = reader.source else { return }
      counters.delivered += progress.catchUp.parts[progress.part].segment.entryCount(
        from: piece.range.lowerBound, to: piece.range.lowerBound + count)
      progress.advance(by: count)
    case .log:
      let position = reader.memberIndex
      guard position >= 0, let segment = log[members[position].cursor.segment] else { return }
      counters.delivered += segment.entryCount(
        from: piece.range.lowerBound, to: piece.range.lowerBound + count)
      members[position].cursor.offset += count
    }
  }

  /// Whether the kernel takes nothing more for this reader until it says so.
  package func setBlocked(_ isBlocked: Bool, _ reader: Reader) {
    guard reader.memberIndex >= 0 else { return }
    if isBlocked {
      members[reader.memberIndex].flags.insert(.blocked)
    } else {
      members[reader.memberIndex].flags.remove(.blocked)
    }
  }

  /// Whether the reader has all there is, and nothing keeps the flush loop from just sending it the tail.
  package func isSettled(_ reader: Reader) -> Bool {
    guard reader.memberIndex >= 0 else { return false }
    // With no flags it may still be inside a frame: it had its share of a turn, and goes on in the next.
    let member = members[reader.memberIndex]
    return member.flags.isEmpty && member.cursor == log.tail
  }

  /// Queues a message of the gateway's for one reader.
  package func tell(_ reader: Reader, _ message: [UInt8]) {
    reader.enqueue(.text, message)
    attend(reader)
  }

  /// The shell queued something for a reader: the flush loop must look at it.
  package func attend(_ reader: Reader) {
    guard reader.memberIndex >= 0 else { return }
    members[reader.memberIndex].flags.insert(.special)
  }

  /// The segment that everybody who is at the tail is sent from.
  package var tailSegment: Segment { log.tailSegment }
  /// The frames of this turn that go to whoever is at the tail, and nobody else.
  package var ephemeralFrames: [UInt8] { ephemeral.frames }
  package var ephemeralEntries: Int { ephemeral.entryCount }

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

  /// The socket took only `count` bytes of this turn's ephemeral frames, or none, as it was not at the tail: a begun one
  /// is finished later.
  package func tookEphemeral(_ count: Int, _ reader: Reader, now: Instant) {
    guard reader.memberIndex >= 0 else { return }
    let rest = ephemeral.restOfFrame(at: count)
    if !rest.isEmpty {
      reader.prepend(rest, entries: 0)
      attend(reader)
    }
    missedEphemeral(reader, now: now)
  }

  /// This turn's unreliable frames for some: who is at the tail and can be written to gets them, in one piece.
  package func forEachTargetedEphemeral(_ body: (Reader, _ frames: [UInt8], _ entries: Int) -> Void) {
    for (number, item) in ephemeral.targeted {
      guard let record = participants[number], case .joined(let reader) = record.presence, isSettled(reader)
      else {
        counters.unreliableDropped += item.entries
        continue
      }
      body(reader, item.frames, item.entries)
    }
  }

  package var hasTargetedEphemeral: Bool { !ephemeral.targeted.isEmpty }

  /// The socket took only `count` bytes of frames that were for it alone: they are whole, so the rest goes first later.
  package func keep(_ rest: [UInt8], for reader: Reader) {
    reader.prepend(rest, entries: 0)
    attend(reader)
  }

  /// Keeps what is left of the frame that the reader is in the middle of.
  func keepRestOfFrame(_ reader: Reader) {
    switch reader.source {
    case .none, .lost:
      break
    case .catchingUp(let progress):
      guard !progress.isOnBoundary else { return }
      reader.prepend(
        progress.catchUp.parts[progress.part].segment.restOfFrame(at: progress.offset), entries: 0)
    case .live:
      let cursor = members[reader.memberIndex].cursor
      guard let segment = log[cursor.segment], !segment.isBoundary(cursor.offset) else { return }
      reader.prepend(
        segment.restOfFrame(at: cursor.offset),
        entries: segment.frames[segment.frameIndex(at: cursor.offset)].entryCount)
    }
  }

  /// The reader is at the tail: from here on the flush loop sends it what everybody gets.
  private func settle(_ position: Int) {
    members[position].flags.remove(.special)
  }

  private func countCompressed() {
    compressedBytes = base.segments.reduce(0) { $0 + ($1.compressedTwin?.bytes.count ?? 0) }
  }

  private func piece(of progress: CatchUpProgress, _ reader: Reader) -> Piece {
    if let compressor, progress.catchUp.prepare(progress.part, by: compressor) { countCompressed() }
    let part = progress.catchUp.parts[progress.part]
    var end = min(part.end, progress.offset + Self.catchUpPieceBytes)
    if reader.hasPrivateBytes {
      // Something of its own waits for the next boundary.
      end = min(end, part.segment.frames[part.segment.frameIndex(at: progress.offset)].end)
    }
    return Piece(.catchUp, part.segment.bytes, progress.offset..<end)
  }

  /// The next bytes of a live segment that are for this member; steps over frames for others.
  /// - Returns: nil when the cursor moved and has to be looked at again.
  private func piece(of segment: Segment, at offset: Int, _ position: Int) -> Piece? {
    let reader = readers[position]
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
    if let mark = reader.caughtUpAt, mark.cursor.segment == segment.number, mark.cursor.offset > offset {
      end = min(end, mark.cursor.offset)
    }
    if reader.hasPrivateBytes { end = min(end, segment.frames[segment.frameIndex(at: offset)].end) }
    return Piece(.log, segment.bytes, offset..<end)
  }
}
