internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import WebSocket
internal import Wire

/// A session, its clients and its file, without a network, a clock or a disk.
final class SessionShell {
  var session: Session
  private(set) var clients: [SessionClient] = []
  private(set) var now: MonotonicTime
  /// The records in the log of the session; empty for a session in memory.
  private(set) var disk: [SessionRecord]
  private var underWay: Unsaved?
  /// All entries that clients received with a sequence, by this sequence.
  private var order: [UInt64: [UInt8]] = [:]
  private var lives = 0
  private var names: UInt64 = 1_000
  /// The number of files that were created for attachments.
  var attachmentFiles: UInt64 = 0

  static let id = SessionID(high: 1, low: 2)

  init(_ limits: Limits, isKept: Bool) {
    now = MonotonicTime(nanoseconds: 0)
    session = Session(
      id: Self.id, epoch: "0", activity: .standard, createdAt: Date(timeIntervalSince1970: 0), limits: limits,
      now: now, saving: isKept ? .byStore : .inMemory)
    disk = isKept ? session.firstRecords() : []
  }

  /// Creates the shell of a session that was loaded from `records`.
  init(_ session: consuming Session, _ records: [SessionRecord], now: MonotonicTime) {
    self.session = session
    self.now = now
    disk = records
  }

  // MARK: - Clients

  /// Connects a client, which joins or waits.
  @discardableResult
  func connect(_ join: Join, waits: Bool = false, as earlier: SessionClient? = nil) throws -> SessionClient {
    names += 1
    let client = SessionClient(connection: names)
    if let earlier { client.remember(earlier) }
    clients.append(client)
    try self.join(client, join, waits: waits)
    return client
  }

  func join(_ client: SessionClient, _ join: Join, waits: Bool = false) throws {
    names += 1
    let identity = NewIdentity(
      id: EntryKey(high: 9, low: names).uuid, token: Token(high: 3, low: names), lot: names)
    client.isWaiting = waits
    if waits {
      try perform(
        session.wait(client.subscriber, profile: join.profile.sanitised, identity: identity, now: now))
    } else {
      var join = join
      join.profile = join.profile.sanitised
      try perform(session.join(client.subscriber, join, identity: identity, now: now))
    }
  }

  func send(_ message: [UInt8], from client: SessionClient) throws {
    var effects: [Effect] = []
    session.receive(message.span, from: client.subscriber, now: now, effects: &effects)
    try perform(effects)
  }

  func leave(_ client: SessionClient) throws {
    try perform(session.leave(client.subscriber, now: now))
  }

  func breakWire(_ client: SessionClient, pageGone: Bool) {
    session.disconnected(client.subscriber, pageGone: pageGone, now: now)
    client.isOpen = false
    clients.removeAll { $0 === client }
  }

  func admitControl(_ client: SessionClient, size: Int) throws -> Bool {
    var effects: [Effect] = []
    let isAdmitted = session.admitControl(client.subscriber, size: size, now: now, effects: &effects)
    try perform(effects)
    return isAdmitted && client.isOpen
  }

  func end() throws {
    try perform(session.end())
  }

  /// Checks the clients that the effects close: each client receives its pending messages, then a close frame, and nothing else.
  private func perform(_ effects: [Effect]) throws {
    for effect in effects {
      guard case .close(let connection, let reason) = effect,
        let client = clients.first(where: { $0.subscriber.connection == connection })
      else { continue }
      client.isOpen = false
      clients.removeAll { $0 === client }
      client.subscriber.enqueue(
        .close, [UInt8(reason.code >> 8), UInt8(reason.code & 0xFF)] + reason.payloadReason())
      while let piece = client.subscriber.nextOutputPiece() {
        try deliver(piece.bytes[piece.range], to: client)
        client.subscriber.didSendOutput(piece, piece.range.count)
      }
      try expect(client.isOnBoundary, "a socket is closed inside a frame")
    }
  }

  // MARK: - Turns

  func pass(milliseconds: Int) {
    now = now.adding(milliseconds: milliseconds)
    session.tick(now: now)
  }

  /// Ends the turn and flushes. Slow clients accept at most `taken` bytes of the unreliable frames.
  func endTurn(taken: Int = 0) throws {
    session.endTurn(now: now)
    try perform(session.takeEffects())
    let frames = session.unreliableFrames
    for client in clients {
      if !client.isSlow { try read(client) }
      guard !frames.isEmpty, client.isOpen else { continue }
      let room = client.isSlow ? taken : frames.count
      let count = session.isAtTail(client.subscriber) ? min(room, frames.count) : 0
      try deliver(frames[..<count], to: client)
      guard count < frames.count else { continue }
      if count > 0 { session.setBlocked(true, client.subscriber) }
      session.didSendUnreliable(count, client.subscriber, now: now)
    }
    for (subscriber, frames, _) in session.targetedUnreliable() {
      guard let client = clients.first(where: { $0.subscriber === subscriber }) else { continue }
      try deliver(frames[...], to: client)
    }
    _ = session.takeWaitersWithOutput()
    _ = session.takeCounters()
  }

  /// Lets the client read up to `limit` bytes.
  func read(_ client: SessionClient, upTo limit: Int = .max) throws {
    session.setBlocked(false, client.subscriber)
    var left = limit
    while let piece = session.nextPiece(client.subscriber) {
      let count = min(left, piece.range.count)
      try deliver(piece.bytes[piece.range.prefix(count)], to: client)
      session.sent(piece, count, to: client.subscriber)
      left -= count
      guard count == piece.range.count else {
        session.setBlocked(true, client.subscriber)
        return
      }
    }
  }

  private func deliver(_ bytes: some Sequence<UInt8>, to client: SessionClient) throws {
    try client.receive(bytes) { entry, own in
      guard let known = order[entry.sequence] else {
        order[entry.sequence] = own
        return
      }
      try expect(known == own, "two entries have the sequence \(entry.sequence)")
    }
  }

  // MARK: - The file

  func beginSaving(upTo limit: Int = SessionRecord.runBytes) {
    guard underWay == nil else { return }
    underWay = session.takeUnsaved(upTo: limit)
  }

  func endSaving(works: Bool = true) {
    guard let unsaved = underWay else { return }
    underWay = nil
    if works {
      disk += unsaved.records
      session.didSave(unsaved, now: now)
    } else {
      session.didNotSave(unsaved, isFull: true, now: now)
    }
  }

  func saveAll() throws {
    for _ in 0..<10_000 {
      beginSaving()
      guard underWay != nil else { return }
      endSaving()
    }
    throw Finding("unsaved records remain after 10,000 saves")
  }

  /// Compacts the file, if that would make it much shorter.
  func compact() throws {
    guard underWay == nil, session.shouldCompact(logBytes: 1 << 40) else { return }
    let plan = session.beginCompaction()
    var slices: [SessionRecord] = []
    var after: UInt64 = 0
    while let slice = session.compactionSlice(after: after, through: plan.through) {
      try expect(slice.last > after, "a slice of a compaction has no entries after \(after)")
      slices.append(slice.record)
      after = slice.last
    }
    guard session.isCompactionCovered else { return }
    disk = try plan.records(slices, copying: disk)
  }

  /// Stops the gateway cleanly, and continues the session in a new gateway.
  ///
  /// - Returns: true if no upload had to be continued or removed after the load.
  /// - Throws: `Finding` if the session has changed.
  func stopAndStart() throws -> Bool {
    endSaving()
    for client in clients { breakWire(client, pageGone: false) }
    repeat {
      try endTurn()
      try saveAll()
    } while session.needsTurn
    let record = session.closedRecord(
      generation: "g", now: now, date: Date(timeIntervalSince1970: 0))
    disk.append(record)
    let (epoch, sequence, retained) = (session.epoch, session.sequence, session.retainedBytes)
    let people = session.activeParticipantCount
    let isIdle = try restart(isClean: try ClosedRecord(record.body.span).generation != nil)
    try expect(
      session.activeParticipantCount == people, "\(people) people became \(session.activeParticipantCount)")
    guard session.epoch == epoch, isIdle else { return isIdle }
    try expect(
      session.sequence == sequence && session.retainedBytes == retained,
      "\(retained) bytes up to \(sequence) became \(session.retainedBytes) up to \(session.sequence)")
    return true
  }

  /// Kills the gateway, and restores the session from its log.
  ///
  /// - Returns: true if no upload had to be continued or removed after the load.
  /// - Throws: `Finding` if a committed entry is missing.
  @discardableResult
  func restart(isClean: Bool = false) throws -> Bool {
    let promised = clients.map(\.committed).max() ?? 0
    let limits = session.limits
    for client in clients { client.isOpen = false }
    clients = []
    underWay = nil
    lives += 1
    let restored = try Self.load(disk, limits, now: now, epoch: "\(lives)")
    session = restored.takeSession()
    try expect(
      restored.isClean == isClean, "a clean stop was written: \(isClean), but restored: \(restored.isClean)")
    try expect(
      session.sequence >= promised, "\(promised) was committed, but the log ends at \(session.sequence)")
    order = order.filter { $0.key <= session.committed }
    open()
    try adopt(restored.uploads)
    return restored.uploads.isEmpty
  }

  /// Writes the opening records of a session that was loaded.
  func open() {
    disk += session.openingRecords()
    session.didSaveOpening()
  }

  static func load(
    _ records: [SessionRecord], _ limits: Limits, now: MonotonicTime, epoch: String, isWhole: Bool = true
  ) throws -> RestoredSession {
    var restorer = SessionRestorer(
      id: id, limits: limits, digest: { TokenDigest(high: $0.high, low: $0.low) }, now: now,
      date: Date(timeIntervalSince1970: 0))
    for record in records { try restorer.apply(record.kind.rawValue, record.body.span) }
    return try restorer.finish(generation: "g", freshEpoch: epoch, isWhole: isWhole)
  }

  // MARK: - Checks at the end

  /// Lets all clients read everything, and checks that each client has the same state as a participant that joins now.
  func settle() throws {
    for client in clients { client.isSlow = false }
    for _ in 0..<4 {
      pass(milliseconds: 200)
      if session.activeParticipantCount > 0 || session.needsTurn { try endTurn() }
    }
    let newcomer = try connect(Join())
    for _ in 0..<2 { try endTurn() }
    guard newcomer.isOpen else { return }  // The client is refused if the session is full.
    guard newcomer.applied != nil else { throw Finding("a new participant is never caught up") }
    for client in clients where client.joined != nil {
      try expect(client.isOnBoundary, "a frame is incomplete")
      guard client.applied != nil else { throw Finding("\(client.subscriber.connection) is never caught up") }
      try expect(
        client.state == newcomer.state,
        "\(client.state.count) keys at \(client.subscriber.connection), but \(newcomer.state.count) at a new participant"
      )
    }
    let active = clients.filter { $0.joined != nil }.count
    try expect(
      session.activeParticipantCount >= active,
      "\(active) clients have joined, but \(session.activeParticipantCount) are counted")
  }

  /// Returns the state of a new participant.
  func stateOfNewcomer() throws -> SessionClient.State? {
    let newcomer = try connect(Join())
    for _ in 0..<2 { try endTurn() }
    guard newcomer.isOpen else { return nil }
    try expect(newcomer.applied != nil, "a new participant is never caught up")
    return newcomer.state
  }
}
