internal import Wire
internal import WebSocket

/// A subscriber whose catch-up begins at the end of the turn.
struct PendingCatchUp {
  var subscriber: Subscriber
  var start = Start.snapshot

  enum Start {
    /// A tail: the entries after a sequence.
    case tail(after: UInt64)
    case snapshot
    /// A snapshot that includes all entries after a sequence, even those that are not retained. The client has seen the entries
    /// up to this sequence, and also later entries that existed only in an earlier epoch.
    case snapshotWithEntries(after: UInt64)
  }
}

/// The catch-up of members that joined in this turn: snapshots and tails.
extension Session {
  /// The maximum number of bytes of replaced segments that are kept for slow subscribers.
  private static let pinnedBytes = 33_554_432
  /// The maximum size of a snapshot that is copied to each joiner's outbox. Its bytes are then sent together with `joined`, in one
  /// call. The parts of a longer snapshot are sent one by one, and all joiners of a turn share their bytes.
  ///
  /// Together with `joined`, such a snapshot stays below the 4,096 bytes that each connection may buffer even when the memory for
  /// buffers is full.
  private static let smallSnapshotBytes = 2_048

  /// Starts the catch-up of all pending subscribers.
  ///
  /// - Returns: the subscribers to close. They read an earlier catch-up too slowly, and its segments take too much memory.
  mutating func catchUpPending() -> [Subscriber] {
    guard !catchingUp.isEmpty else { return [] }
    let pending = catchingUp
    catchingUp = []
    var slow: [Subscriber] = []
    var snapshot: CatchUp?
    var compressed: CatchUp?
    var withEntries: (after: UInt64, catchUp: CatchUp)?
    for item in pending where item.subscriber.memberIndex >= 0 {
      let subscriber = item.subscriber
      if case .snapshotWithEntries(let after) = item.start {
        if withEntries?.after != after {
          withEntries = makeSnapshot(withEntriesAfter: after, &slow).map { (after, $0) }
        }
      }
      if case .tail(let after) = item.start, let (cursor, rest) = log.position(after: after) {
        let control = GatewayControl.catchUp(.tail, epoch: epoch, sequence: log.lastSequence)
        subscriber.enqueue(.text, control.encoded())
        if let rest {
          subscriber.enqueue(frames: rest.framed())
          counters.delivered += rest.entryCount
        }
        members[subscriber.memberIndex].cursor = cursor
        subscriber.source = .live
        subscriber.caughtUpAt = Subscriber.CaughtUpMark(cursor: log.tail, sequence: log.lastSequence)
      } else if case .snapshotWithEntries(let after) = item.start, let withEntries,
        withEntries.after == after
      {
        subscriber.source = .catchingUp(CatchUpProgress(withEntries.catchUp))
        subscriber.caughtUpAt = Subscriber.CaughtUpMark(cursor: log.tail, sequence: log.lastSequence)
      } else {
        var made = snapshot ?? makeSnapshot(&slow)
        snapshot = made
        let compresses = subscriber.acceptsCompression && compressor != nil && memoryPressure == nil
        subscriber.caughtUpAt = nil
        if made.byteCount <= Self.smallSnapshotBytes, !compresses || !made.isCompressible {
          subscriber.enqueue(frames: made.frames)
          counters.delivered += made.entryCount
          members[subscriber.memberIndex].cursor = made.continuesAt
          subscriber.source = .live
        } else {
          if compresses {
            made = compressed ?? CatchUp(compressed: made)
            compressed = made
          }
          subscriber.source = .catchingUp(CatchUpProgress(made))
        }
      }
      members[subscriber.memberIndex].flags.insert(.special)
    }
    return slow
  }

  /// Returns a snapshot of the present state. All subscribers that need one in this turn share it.
  private mutating func makeSnapshot(_ slow: inout [Subscriber]) -> CatchUp {
    if memoryPressure != nil { retained.dropCompressed() }
    retained.update(from: log)
    limitPinnedBytes(&slow)
    let sequence = log.lastSequence
    let closing = Segment(number: 0, capacity: 64)
    closing.appendControl(GatewayControl.caughtUp(sequence: sequence).encoded())
    return CatchUp(
      sequence: sequence, continuesAt: log.tail, opening: opening(at: sequence),
      retained: retained.snapshot.parts(), closing: closing)
  }

  /// Returns a snapshot for clients that have seen the entries up to a sequence. It contains the retained entries up to this
  /// sequence, and all later entries of the log, even those that are not retained.
  ///
  /// - Returns: nil if the log no longer has all entries after the sequence.
  private mutating func makeSnapshot(withEntriesAfter sequence: UInt64, _ slow: inout [Subscriber])
    -> CatchUp?
  {
    guard let (cursor, rest) = log.position(after: sequence) else { return nil }
    retained.update(from: log)
    limitPinnedBytes(&slow)
    let closing = Segment(number: 0, capacity: 64)
    if let rest { closing.append(rest) }
    return CatchUp(
      sequence: log.lastSequence, continuesAt: cursor, opening: opening(at: log.lastSequence),
      retained: retained.snapshot.parts(through: sequence), closing: closing)
  }

  /// Returns the control message and the state entries at the beginning of a snapshot.
  private mutating func opening(at sequence: UInt64) -> Segment {
    let opening = Segment(number: 0, capacity: 1024)
    opening.appendControl(
      GatewayControl.catchUp(.snapshot, epoch: epoch, sequence: sequence).encoded())
    for payload in stateOfParticipants() { appendState(SystemType.participants, payload, to: opening) }
    appendState(SystemType.activity, activityState.encoded(), to: opening)
    // The other participants have received the notice that entries are not saved. A joiner needs the same notice.
    if let notice = save.failureNotice { appendState(SystemType.notice, notice.encoded(), to: opening) }
    if let notice = save.lossNotice {
      appendState(SystemType.notice, notice.encoded(), to: opening)
      save.hasSentLossNotice = true
    }
    return opening
  }

  /// Limits the bytes of replaced segments that slow subscribers still need. If the bytes exceed the limit, adds the subscribers
  /// with the most remaining bytes to `slow`.
  private func limitPinnedBytes(_ slow: inout [Subscriber]) {
    let segments = retained.snapshot.segments
    let current = Set((segments + segments.compactMap(\.compressedTwin)).map { ObjectIdentifier($0) })
    // Subscribers that joined in one turn share one catch-up, whose segments must be counted only once.
    var seen: Set<ObjectIdentifier> = []
    var pinned: [ObjectIdentifier: Int] = [:]
    for subscriber in subscribers {
      guard case .catchingUp(let progress) = subscriber.source,
        seen.insert(ObjectIdentifier(progress.catchUp)).inserted
      else { continue }
      for part in progress.catchUp.parts where !current.contains(ObjectIdentifier(part.segment)) {
        pinned[ObjectIdentifier(part.segment)] = part.end
      }
    }
    guard pinned.values.reduce(0, +) > Self.pinnedBytes else { return }
    var catchUps: [(left: Int, subscriber: Subscriber, progress: CatchUpProgress)] = []
    for subscriber in subscribers {
      guard case .catchingUp(let progress) = subscriber.source else { continue }
      catchUps.append((progress.left, subscriber, progress))
    }
    catchUps.sort { $0.left < $1.left }
    var kept: Set<ObjectIdentifier> = []
    var bytes = 0
    for item in catchUps {
      let own = item.progress.catchUp.parts.filter {
        !current.contains(ObjectIdentifier($0.segment)) && !kept.contains(ObjectIdentifier($0.segment))
      }
      let more = own.reduce(0) { $0 + $1.end }
      if bytes + more <= Self.pinnedBytes {
        bytes += more
        kept.formUnion(own.map { ObjectIdentifier($0.segment) })
      } else {
        slow.append(item.subscriber)
      }
    }
  }

  private func appendState(_ type: String, _ payload: [UInt8], to segment: Segment) {
    var entry: [UInt8] = []
    entry.reserveCapacity(payload.count + 64)
    GatewayEntry.append(
      to: &entry, flags: [.reliable, .system], sequence: 0, sender: 0, clientSequence: 0,
      type: type.utf8.span, payload: payload.span)
    segment.appendFrame(entry.span, firstSequence: 0, lastSequence: 0, entryCount: 1, targets: nil)
  }
}
