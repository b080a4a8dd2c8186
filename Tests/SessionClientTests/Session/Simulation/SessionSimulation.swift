import FoundationEssentials
import Primitives
import Wire

@testable import SessionClient
@testable import SessionCore

/// Several clients and one session, with random events that depend only on a seed.
final class SessionSimulation {
  /// The faults and the unusual conditions that occur in a run of the simulation.
  struct Conditions {
    /// The gateway crashes and loses unsaved entries.
    var crashes = false
    /// Connections are lost.
    var losesConnections = true
    /// The session keeps a short tail, so that some clients get snapshots.
    var hasShortTail = false
    /// Entries have up to 100 KB.
    var hasLargeMessages = false
    /// The rate limit is low.
    var hasLowRate = false
    /// The session sometimes refuses all entries that would make it grow.
    var runsOutOfSpace = false
    /// Applications pause reading for a while.
    var pausesReading = false
  }

  let seed: UInt64
  let conditions: Conditions
  let limits: Limits
  var random: SeededGenerator
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  var session: Session
  var clients: [SimulatedClient] = []
  var sockets: [UInt64: SimulatedSocket] = [:]
  var nextConnection: UInt64 = 0

  /// The records in the session's file.
  var disk: [SessionRecord] = []
  var pendingSave: Unsaved?
  var crashes = 0
  var nextMark: UInt64 = 0
  var marks: [UInt64: Int] = [:]
  /// The titles of the session's activity, in order.
  var titles: [String] = []

  init(seed: UInt64, conditions: Conditions) {
    self.seed = seed
    self.conditions = conditions
    random = SeededGenerator(seed: seed)
    var limits = Limits()
    limits.catchUpTailBytes = conditions.hasShortTail ? 2_000 : 64 << 20
    if conditions.hasLowRate { limits.entriesPerSecond = 20 }
    // A client that is disconnected longer than `graceSeconds` misses targeted entries.
    limits.graceSeconds = seed.isMultiple(of: 2) ? 3 : 100_000
    self.limits = limits
    session = Session(
      id: SessionID(high: 1, low: seed), epoch: "e", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), limits: limits, now: now, saving: .byStore)
    disk = session.firstRecords()
    for index in 0..<(2 + random.below(4)) {
      clients.append(SimulatedClient(index: index, now: now, seed: random.next()))
    }
  }

  /// Joins all clients, makes random steps, waits until all entries are delivered and saved, and checks the result.
  func run(steps: Int) throws {
    for client in clients {
      client.gate.open()
      client.session.join(now: now)
    }
    // Some clients send before they have joined.
    for client in clients where random.chance(50) { try sendMessages(client) }
    try runUntil {
      self.clients.allSatisfy(\.isCaughtUp) && !self.session.hasUnsaved && self.pendingSave == nil
    }
    for client in clients { client.sentBeforeStart = client.sent.count }
    for _ in 0..<steps { try step() }
    try settleAndCheck()
  }

  private func step() throws {
    let client = clients[random.below(clients.count)]
    switch random.below(100) {
    case 0..<25: try sendMessages(client)
    case 25..<45: try receiveAtGateway()
    case 45..<60: try endTurn()
    case 60..<72: try read(client, all: random.chance(30))
    case 72..<80: try save(failing: random.chance(20))
    case 80..<86: try advance(milliseconds: random.chance(3) ? 50_000 : 1 + random.below(300))
    case 86..<89: if conditions.losesConnections { try loseConnection(client) }
    case 89..<90: if conditions.crashes { try restart(isClean: random.chance(30)) }
    case 90..<92: exhaustRate(client)
    case 92..<94: if conditions.runsOutOfSpace { session.refusesGrowth = random.chance(50) }
    case 94..<95 where conditions.pausesReading && random.chance(70):
      client.session.setReading(random.chance(40), now: now)
      try perform(client)
    case 94..<95:
      nextMark += 1
      marks[nextMark] = client.index
      client.session.mark(nextMark, now: now)
      try perform(client)
    default: try change(client)
    }
  }

  // MARK: - Actions of applications

  func sendMessages(_ client: SimulatedClient) throws {
    for _ in 0...random.below(conditions.hasLowRate ? 12 : 4) {
      let number = client.sent.count
      var size = random.below(40)
      if conditions.hasLargeMessages, random.chance(10) { size = random.below(100_000) }
      let padding = String(repeating: "x", count: 1 + size)
      var entry = OutgoingEntry(type: "T", payload: Array("C\(client.index) \(number) \(padding)".utf8))
      var targets: Set<UUID>?
      switch random.below(10) {
      case 0..<4:
        entry.retention = .append
        entry.key = EntryKey(high: UInt64(client.index) + 1, low: UInt64(number))
      case 4:
        entry.retention = random.chance(50) ? .append : .replace
        entry.key = EntryKey(high: 99, low: UInt64(random.below(4)))
        entry.onlyIfExisting = random.chance(30)
      case 5:
        entry.retention = .remove
        entry.key = EntryKey(high: 99, low: UInt64(random.below(4)))
        entry.payload = []
      case 6:
        // The targets are some of the visible participants, and possibly an unknown one, which is ignored.
        let some = client.people.filter { _ in random.chance(40) }.map(\.id)
        targets = Set(some)
        entry.targets = some + [EntryKey(high: 5, low: 5).uuid]
      case 7:
        entry.isReliable = false
        entry.payload = Array("C\(client.index) \(random.next() >> 32) u".utf8)
      default: break
      }
      do throws(AdmissionError) {
        guard try client.gate.admit(entry, now: now) else { continue }
      } catch {
        guard case .rateLimited = error, conditions.hasLowRate || conditions.hasLargeMessages else {
          throw Violation("C\(client.index) cannot send: \(error)")
        }
        continue
      }
      client.session.enqueue(entry, now: now)
      guard entry.isReliable else { continue }
      client.markUnsettled()
      client.sent.append(SimulatedClient.Sent(index: number, entry: entry, targets: targets))
    }
    try perform(client)
  }

  private func change(_ client: SimulatedClient) throws {
    if random.chance(50) {
      client.session.change(Profile(color: random.chance(50) ? "#123456" : "#abcdef"), now: now)
    } else {
      let title = "C\(client.index) \(client.titles.count)"
      let change = ActivityChange(title: title)
      do throws(AdmissionError) {
        try client.gate.admit(change, now: now)
      } catch {
        return
      }
      client.titles.append(title)
      client.markUnsettled()
      client.session.change(change, now: now)
    }
    try perform(client)
  }

  /// Uses up a client's rate limit at the gateway, as if the network had delivered many messages together.
  private func exhaustRate(_ client: SimulatedClient) {
    guard conditions.hasLowRate, let socket = client.socket, session.participant(of: socket.subscriber) != nil
    else {
      return
    }
    var effects: [Effect] = []
    for _ in 0..<30 {
      guard session.admitControl(socket.subscriber, size: 1, now: now, effects: &effects) else { break }
    }
  }

  // MARK: - Sockets

  /// Performs a client's effects.
  func perform(_ client: SimulatedClient) throws {
    let effects = client.session.takeEffects()
    client.gate.released(client.session.releasedBytes)
    for effect in effects {
      switch effect {
      case .open(let delay):
        dropSocket(client)
        client.opensAt = now + delay
      case .sendControl(let control): client.socket?.uplink.append(.control(control))
      case .sendEntries(let bytes):
        try require(bytes.count <= ClientEntry.maximumMessageLength, "a message of \(bytes.count) bytes")
        client.socket?.uplink.append(.entries(bytes))
        let waiting = client.socket?.waiting ?? 0
        try require(
          waiting <= ClientSession.window + 110_000, "\(waiting) bytes wait in the socket of C\(client.index)"
        )
      case .close: client.socket?.uplink.append(.close)
      case .notify(let event):
        try require(!client.isFinished, "\(event) after the end")
        if case .joined(let joined) = event { client.gate.use(joined.limits, now: now) }
        try client.handle(event)
      case .reached(let mark): client.reached(mark)
      case .finished: client.isFinished = true
      }
    }
    for effect in effects {
      guard case .sendEntries(let bytes) = effect else { continue }
      try require(!bytes.isEmpty, "an empty message")
    }
  }

  private func dropSocket(_ client: SimulatedClient) {
    client.socket?.isDropped = true
    client.socket = nil
  }

  /// Opens the requested socket, or reports a failed connection.
  private func open(_ client: SimulatedClient) throws {
    guard let opensAt = client.opensAt, opensAt <= now else { return }
    client.opensAt = nil
    guard !conditions.losesConnections || random.chance(85) else {
      client.session.closed(.broken("no route"), now: now)
      return try perform(client)
    }
    nextConnection += 1
    let small = conditions.hasLargeMessages ? [30_000, 300_000] : [60, 3_000]
    let capacity = ([Int.max, .max] + small)[random.below(4)]
    let socket = SimulatedSocket(connection: nextConnection, capacity: capacity)
    sockets[nextConnection] = socket
    client.socket = socket
    client.session.opened(now: now)
    try perform(client)
  }

  private func loseConnection(_ client: SimulatedClient) throws {
    guard let socket = client.socket else { return }
    socket.cut(keeping: random.below(socket.uplink.count + 1), random.below(socket.downlink.count + 1))
    // With a probability of 20 %, the client does not notice the break yet. It notices the break later, because no bytes arrive
    // or its bytes are not sent.
    guard random.chance(80) else { return }
    try read(client, all: true)
    guard client.socket === socket else { return }
    dropSocket(client)
    client.session.closed(.broken("cut"), now: now)
    try perform(client)
  }

  /// Reads some of the bytes in flight to a client. With `all`, reads until no more bytes arrive.
  func read(_ client: SimulatedClient, all: Bool) throws {
    guard let socket = client.socket, client.session.wantsReading else { return }
    repeat {
      try take(socket.read(all ? .max : 1 + random.below(200)), from: socket, client)
      guard client.socket === socket else { return }
      session.setBlocked(false, socket.subscriber)
      flush(socket)
    } while all && !socket.downlink.isEmpty && client.session.wantsReading
  }

  private func take(
    _ messages: [SimulatedSocket.Message], from socket: SimulatedSocket, _ client: SimulatedClient
  ) throws {
    for message in messages {
      guard client.socket === socket else { return }
      client.session.bytesReceived(now: now)
      switch message {
      case .text(let bytes): client.session.received(text: bytes.span, now: now)
      case .binary(let bytes): client.session.received(entries: bytes.span, now: now)
      case .close(let code, let reason):
        try require(
          [1000, 1012, 4009].contains(code), "closed with \(code) \(String(decoding: reason, as: UTF8.self))")
        dropSocket(client)
        client.session.closed(.closed(code: code, reason: reason), now: now)
      }
      try perform(client)
    }
  }

  func flush(_ socket: SimulatedSocket) {
    while let piece = session.nextPiece(socket.subscriber) {
      let count = socket.send(piece.bytes[piece.range])
      session.sent(piece, count, to: socket.subscriber)
      guard count == piece.range.count else { return session.setBlocked(true, socket.subscriber) }
    }
  }

  // MARK: - Time

  func advance(milliseconds: Int) throws {
    now = now + .milliseconds(milliseconds)
    session.tick(now: now)
    try endTurn()
    for client in clients {
      // The received bytes stand for the gateway's pings.
      if let socket = client.socket, !socket.isDead, client.session.wantsReading {
        client.session.bytesReceived(now: now)
      }
      if let deadline = client.session.deadline, deadline <= now {
        client.session.elapsed(now: now)
        try perform(client)
        if let next = client.session.deadline {
          try require(next > now, "C\(client.index) has a deadline in the past")
        }
      }
      try perform(client)
      try open(client)
    }
  }

  /// Continues without new faults until a condition is true.
  func runUntil(_ condition: () -> Bool) throws {
    for _ in 0..<2_000 {
      if condition() { return }
      while try receiveAtGateway() {}
      try save(failing: false)
      for client in clients { try read(client, all: true) }
      try advance(milliseconds: 40)
    }
    let states = clients.map { client in
      let session = client.session
      let socket = client.socket
      return
        "C\(client.index) \(session.phase), caught up: \(client.isCaughtUp), settled: \(client.isSettled), "
        + "\(session.outbox), paused until \(session.pacer.pausedUntil?.nanoseconds ?? 0), "
        + "activity \(client.activity?.title ?? "none"), participants \(client.people.map(\.name)), "
        + "down \(socket?.downlink.count ?? -1), up \(socket?.uplink.count ?? -1)"
    }
    throw Violation("not settled at \(now.nanoseconds): \(states)\(session.activity.title)")
  }
}
