internal import Networking
internal import HTTP
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// How far a drain is: first all is written, then the sockets are closed, a batch at a time, then every session's log.
struct Draining {
  /// The gateway stops at most so long after it was asked to, whatever is not done by then.
  private static let saveTime = Duration.seconds(2)
  private static let closeTime = Duration.milliseconds(4500)
  private static let finishTime = Duration.milliseconds(7300)

  /// When the next batch of sockets is closed, or looked whether all are.
  var closesAt: MonotonicTime
  /// Every socket has been told.
  var hasClosedAll = false
  /// When sockets that are still there are no longer waited for.
  let deadline: MonotonicTime
  /// When the last records, and the sync that follows them, are no longer waited for.
  private let limit: MonotonicTime
  /// They are being written.
  private var isFinishing = false
  /// This reactor has reported that its connections need nothing more.
  private(set) var isReadyToFinish = false

  /// The same, while they are.
  var finishesBy: MonotonicTime? { isFinishing ? limit : nil }

  init(now: MonotonicTime) {
    limit = now + Self.finishTime
    closesAt = now + Self.saveTime
    deadline = now + Self.closeTime
  }

  mutating func finish() {
    isFinishing = true
  }

  mutating func readyToFinish() {
    isReadyToFinish = true
  }

  func nextDeadline(connections: Int) -> MonotonicTime? {
    if let finishesBy { return finishesBy }
    // The last reactor that reports wakes the others.
    if isReadyToFinish { return deadline }
    // The last socket has gone in this turn: the next one goes on.
    if connections == 0 { return .distantPast }
    return min(closesAt, deadline)
  }
}

/// The progress of a drain over all reactors. A reactor that is done keeps answering until all are done: another reactor may ask it
/// for a session, and a load balancer may ask any reactor for `/readyz`.
struct DrainProgress {
  private let reactors: Int
  private var readyToFinish = 0
  private var finished = 0
  private var isClean = true

  init(reactors: Int) {
    self.reactors = reactors
  }

  /// True when the connections of every reactor need nothing more.
  var areAllReadyToFinish: Bool { readyToFinish == reactors }

  /// Counts a reactor whose connections need nothing more.
  mutating func reportReady() {
    readyToFinish += 1
  }

  /// Counts a reactor that has nothing left to write.
  ///
  /// - Parameter isClean: true when all that it had is on the disk.
  /// - Returns: nil while others are left; with the last one, true when all of them were clean.
  mutating func reportFinished(isClean: Bool) -> Bool? {
    finished += 1
    self.isClean = self.isClean && isClean
    return finished == reactors ? self.isClean : nil
  }
}

extension Reactor {
  /// How many sockets are closed at a time, and how long after the ones before.
  private static let closedAtOnce = 128
  private static let closeInterval = Duration.milliseconds(20)
  /// The most times that the last record of a session is rewritten because another record followed it.
  private static let closingRounds = 8

  /// Takes nobody new, writes all that is said, tells everybody to come back later, and stops.
  func drain() {
    guard draining == nil else { return }
    // New connections are still answered, so that who asks whether this gateway is ready hears that it is not.
    draining = Draining(now: now)
    uploads.isStopping = true
    for connection in connections.rows {
      guard let connection, let http = connection.http else { continue }
      // An upload by tus resumes later where it stopped. An upload in a single request would be lost, so it gets the time that a
      // download gets.
      if let upload = http.upload, !http.awaitsAnswer {
        if upload.request.isTus { close(connection) }
      } else if http.isBusy || http.exchange != nil {
        http.closesAfterOutput = true
      } else {
        close(connection)
      }
    }
    Task {
      await saveAll()
      draining?.closesAt = .distantPast
    }
  }

  /// Goes on with a drain.
  func continueDraining() {
    guard let draining else { return }
    if let limit = draining.finishesBy {
      if limit <= now { stop() }
      return
    }
    if draining.closesAt <= now { closeSockets() }
    guard
      connections.count == 0 || draining.deadline <= now || (self.draining?.hasClosedAll ?? false && isQuiet)
    else { return }
    if !draining.isReadyToFinish {
      self.draining?.readyToFinish()
      shared.reportReadyToFinish()
    }
    guard shared.areAllReadyToFinish || draining.deadline <= now else { return }
    self.draining?.finish()
    // Before the last records: an upload that is cut leaves its session.
    for connection in connections.rows {
      if let connection, let http = connection.http, http.upload != nil { close(connection) }
    }
    Task {
      let isClean = await closeAll()
      guard let isClean = shared.reportFinished(isClean: isClean) else { return }
      await leaveMark(isClean: isClean)
      shared.stopReactors()
    }
  }

  private func closeSockets() {
    var left = Self.closedAtOnce
    var isDone = true
    for connection in connections.rows {
      guard let connection, let conversation = connection.handler as? WebSocketConversation,
        !conversation.isClosing
      else { continue }
      guard left > 0 else {
        isDone = false
        break
      }
      left -= 1
      disconnect(connection, conversation, .restarting(retryAfterMs: restartDelayMs()))
    }
    draining?.hasClosedAll = isDone
    draining?.closesAt = now + Self.closeInterval
  }

  /// Nobody waits for anything any more: connections that have asked for nothing may just go.
  private var isQuiet: Bool {
    connections.rows.allSatisfy { connection in
      guard let connection else { return true }
      guard let http = connection.http else { return false }
      return !http.isBusy && http.exchange == nil && http.reader.isBetweenRequests
    }
  }

  private func saveAll() async {
    let all = Array(sessions.values)
    for hosted in all {
      hosted.session.endTurn(now: now)
      flush(hosted.session, budget: .max)
      persister.storeAtOnce(hosted.stored)
    }
    for hosted in all { _ = await persister.waitUntilStored(hosted.stored) }
  }

  /// Writes the last record of every session. - Returns: true when all of them are on the disk.
  private func closeAll() async -> Bool {
    // What is being opened has a record that says so: it is closed with the others.
    while let id = busy.keys.first {
      await withCheckedContinuation { busy[id]?.append($0) }
    }
    let all = Array(sessions.values)
    for hosted in all { hosted.session.removeWaiting() }
    // Work in progress may write records behind `closed`, which is then no longer the last record.
    for _ in 0..<Self.closingRounds where all.contains(where: { !isSealed($0) }) {
      let open = all.filter { !isSealed($0) }
      for hosted in open {
        hosted.session.endTurn(now: now)
        persister.writeClosedRecord(of: hosted.stored)
      }
      for hosted in open where !isSealed(hosted) { _ = await close(hosted) }
    }
    return all.allSatisfy(isSealed)
  }

  /// Leaves the mark that all sessions of all reactors are on the disk.
  private func leaveMark(isClean: Bool) async {
    // With a session that does not say how it stands, nobody may go on as if nothing had happened.
    guard isClean else {
      shared.log(.error, "stop not clean", ["reason": "not every session could be written"])
      return
    }
    do throws(StorageError) {
      try await shared.store.syncAll()
      try await shared.store.recordCleanStop(shared.generation)
    } catch {
      shared.log(.error, "stop not clean", ["reason": "\(error)"])
    }
  }

  /// True for a session whose last record says that all of it is on the disk, and for one that has ended.
  private func isSealed(_ hosted: Hosted) -> Bool {
    hosted.isRemoved || hosted.stored.lastRecord == .end || hosted.stored.isClosed && hosted.session.isAtRest
  }

  func stop() {
    guard !isStopped else { return }
    isStopped = true
    acceptor.stop()
    for connection in connections.rows {
      if let connection { close(connection) }
    }
    draining = nil
    disconnectHooks()
    loop.stop()
  }
}
