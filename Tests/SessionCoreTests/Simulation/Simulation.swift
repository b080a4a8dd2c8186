import FoundationEssentials
import WebSocket
import Wire

import Primitives
@testable import SessionCore

/// A session, its clients and their connections. One seed determines all random choices. After each step, the state is compared
/// with the oracle, which models a correct session.
final class Simulation {
  static let ticksPerSecond = 8
  static let tickNanoseconds: Int64 = 125_000_000

  var random: SeededGenerator
  let limits: Limits
  var session: Session
  /// The session's file; nil for a session in memory.
  var disk: SimulatedDisk?
  var oracle: Oracle
  var clients: [VirtualClient] = []
  var sockets: [UInt64: VirtualSocket] = [:]
  var now = MonotonicTime.zero
  /// The refusals that the client of each connection must receive next, in order.
  var expectedRefusals: [UInt64: [Oracle.Refused]] = [:]
  /// The participants that must be present, by number, with their names.
  var here: [ParticipantNumber: String] = [:]
  var away: [ParticipantNumber: MonotonicTime] = [:]
  var title = "Draw Together"
  /// The expected attachments, by the key of their entries.
  var attachments: [EntryKey: ModelAttachment] = [:]

  /// The attachment for which each upload file was created.
  var files: [UUID: UploadedFile] = [:]
  var nextFile: UInt64 = 0

  private var nextConnection: UInt64 = 0
  private var nextIntention = 0
  /// The client of each user action (intention), and true if the session has to accept the entry of the action.
  private(set) var intentions: [Int: (client: Int, isGood: Bool)] = [:]
  private(set) var removals: Set<Int> = []
  private let usesLargeEntries: Bool

  /// True while the changes of presence are not yet sent to members at the tail (S43).
  private(set) var isPresenceDue = false
  /// The maximum number of participants in one `participants` entry: 2 in some simulations, 300 in the others.
  let peoplePerEntry: Int

  /// Creates the simulation of a seed. With `outlives`, the session has a file, and is sometimes restored from it.
  init(seed: UInt64, outlives: Bool = false) {
    random = SeededGenerator(seed: seed)
    peoplePerEntry = seed.isMultiple(of: 3) ? 2 : 300
    var limits = Limits()
    limits.catchUpTailBytes = (outlives ? [0, 0, 1_500, 8_192] : [0, 1_500, 8_192, 65_536])[random.below(4)]
    limits.entriesPerSecond = random.chance(40) ? 8 : 1 << 30
    limits.bytesPerSecond = 1 << 32
    limits.graceSeconds = 3
    limits.messageBytes = 80_000
    usesLargeEntries = random.chance(20)
    if !usesLargeEntries, random.chance(30) { limits.sessionLogBytes = 900 }
    self.limits = limits
    oracle = Oracle(limits: limits)
    session = Session(
      id: SessionID(high: 1, low: seed), epoch: "e\(seed)", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), limits: limits, now: now,
      saving: outlives ? .byStore : .inMemory)
    session.compressor = withoutZeros
    session.presence.participantsPerEntry = peoplePerEntry
    if outlives { disk = SimulatedDisk(session.firstRecords()) }
    for index in 0..<(3 + random.below(4)) { clients.append(VirtualClient(name: "C\(index)")) }
    for client in clients { client.isSaved = outlives }
  }

  /// Runs random steps. Then lets all clients send and receive everything that is pending, and checks that they have the same
  /// state.
  func run(steps: Int) throws {
    for _ in 0..<steps {
      try step()
      try changeDisk()
    }
    try comeToRest()
  }

  private func step() throws {
    let client = clients[random.below(clients.count)]
    switch random.below(100) {
    case 0..<20: want(client)
    case 20..<40: send(client)
    case 40..<58: try receiveAtGateway()
    case 58..<76: try endTurn()
    case 76..<84: try readAtClient(client)
    case 84..<88: try changeJournal()
    case 88..<91: connect(client)
    case 91..<94: cut(client)
    case 94..<96: noticeCuts()
    case 96..<98: try passTime(ticks: random.chance(5) ? 40 : 1 + random.below(4))
    default: changeOrLeave(client)
    }
    oracle.noteSystemEntries(upTo: session.sequence)
  }

  // MARK: - Clients

  private func want(_ client: VirtualClient) {
    guard client.number != nil, !client.hasLeft else { return }
    for _ in 0...random.below(4) {
      var entry = SentEntry()
      var isGood = true
      // A session with a file gets larger entries. Its log in memory then exceeds the size limit and drops the oldest entries.
      var size = random.below(disk == nil ? 60 : 600)
      if usesLargeEntries, random.chance(10) { size = 60_000 + random.below(12_000) }
      entry.payload = [UInt8](repeating: UInt8(truncatingIfNeeded: nextIntention), count: size)
      entry.key = EntryKey(high: 7, low: UInt64(random.below(6)))
      switch random.below(100) {
      case 0..<15: break
      case 15..<45: entry.flags.retention = .append
      case 45..<60: entry.flags.retention = .replace
      case 60..<70:
        entry.flags.retention = .remove
        entry.payload = []
      case 70..<80:
        entry.flags = EntryFlags([.reliable, .existing], retention: random.chance(50) ? .append : .replace)
      case 80..<92:
        entry.flags.insert(.targeted)
        entry.targets = clients.compactMap { random.chance(40) ? $0.number : nil }
      case 92..<94:
        entry.flags = [.reliable, .targeted]
        entry.targets = [1_000_000]
        isGood = false
      case 94..<96:
        entry.flags = EntryFlags([.reliable, .targeted], retention: .append)
        isGood = false
      case 96..<97:
        entry.payload = [UInt8](repeating: 1, count: 80_001)
        isGood = false
      default: entry.flags.insert(.sealed)
      }
      entry.type = Array("i\(nextIntention)".utf8)
      if entry.flags.retention == .none { entry.key = .zero }
      intentions[nextIntention] = (clients.firstIndex { $0 === client } ?? 0, isGood)
      client.want(entry, intention: nextIntention)
      nextIntention += 1
    }
  }

  private func send(_ client: VirtualClient) {
    guard let socket = client.socket, !client.hasLeft else { return }
    if client.isQuotaRefused, now >= client.waitUntil, random.chance(80) { makeRoom(client) }
    var entries = client.takeToSend(1 + random.below(4), now: now)
    // Sometimes the client also sends an entry again or too early. It does not do so if the session's log may become full: a
    // client that makes room in a full session renumbers its entries, and an entry on the way would then have a wrong client
    // sequence.
    if limits.sessionLogBytes > 1_000, random.chance(5) { entries += client.takeOutOfOrder(&random) }
    if client.isCaughtUp, random.chance(15) {
      var cursor = SentEntry(flags: [], type: Array("Cursor".utf8))
      cursor.payload = Array("u\(nextIntention)".utf8)
      nextIntention += 1
      entries.append(cursor)
    }
    if !entries.isEmpty { socket.uplink.append(.entries(entries)) }
  }

  func makeRoom(_ client: VirtualClient) {
    let keys = oracle.state(at: oracle.sequence).keys.filter { !$0.isSystem }.map(\.key)
    guard let key = keys.min(by: { $0.low < $1.low }) else { return }
    guard client.removeInstead(key, intention: nextIntention) else { return }
    intentions[nextIntention] = (clients.firstIndex { $0 === client } ?? 0, true)
    removals.insert(nextIntention)
    nextIntention += 1
  }

  private func changeOrLeave(_ client: VirtualClient) {
    guard let socket = client.socket, client.isCaughtUp, now >= client.waitUntil else { return }
    switch random.below(10) {
    case 0..<5: socket.uplink.append(.profile(name: "N\(random.below(1_000))"))
    case 5..<9: socket.uplink.append(.activity(title: "A\(random.below(1_000))"))
    default:
      // The first two clients stay in the session, so that others can be compared with them.
      guard clients.firstIndex(where: { $0 === client }) ?? 0 > 1 else { return }
      socket.uplink.append(.leave)
      client.hasLeft = true
    }
  }

  func connect(_ client: VirtualClient) {
    guard client.mayRejoin else { return }
    let capacity = [Int.max, .max, 40, 700, 5_000][random.below(5)]
    nextConnection += 1
    let socket = VirtualSocket(connection: nextConnection, capacity: capacity)
    sockets[nextConnection] = socket
    let waits = random.chance(10)
    client.connect(socket, waits: waits)
    if waits {
      _ = session.wait(
        socket.subscriber, profile: Profile(name: client.name), identity: identity(), now: now)
    }
    socket.uplink.append(.join)
  }

  func cut(_ client: VirtualClient) {
    guard let socket = client.socket else { return }
    socket.isCut = true
    socket.pageGone = random.chance(20)
    socket.uplink.removeLast(random.below(socket.uplink.count + 1))
    client.lost()
  }

  func readAtClient(_ client: VirtualClient, all: Bool = false) throws {
    guard let socket = client.socket else { return }
    let bytes = socket.read(all || random.chance(30) ? .max : 1 + random.below(300))
    try client.receive(bytes, now: now, oracle: oracle)
    let connection = socket.subscriber.connection
    for refusal in client.told {
      try require(
        expectedRefusals[connection]?.first == refusal,
        "\(client.name) got the refusal \(refusal), not \(String(describing: expectedRefusals[connection]?.first))"
      )
      expectedRefusals[connection]?.removeFirst()
    }
    client.told = []
    if client.socket == nil {
      sockets[connection] = nil
      return
    }
    session.setBlocked(false, socket.subscriber)
    flush(socket)
  }

  // MARK: - Gateway

  private func identity() -> NewIdentity {
    NewIdentity(
      id: EntryKey(high: random.next(), low: random.next()).uuid,
      token: Token(high: random.next(), low: random.next()), lot: random.next())
  }

  private func receiveAtGateway() throws {
    let busy = sockets.keys.sorted().filter { sockets[$0]?.uplink.isEmpty == false }
    guard !busy.isEmpty, let socket = sockets[busy[random.below(busy.count)]] else { return }
    try receive(socket.uplink.removeFirst(), from: socket)
  }

  func receive(_ uplink: VirtualSocket.Uplink, from socket: VirtualSocket) throws {
    guard !socket.isClosing else { return }
    let connection = socket.subscriber.connection
    if case .join = uplink { return try join(socket) }
    guard let number = session.participant(of: socket.subscriber)?.number else { return }
    var effects: [Effect] = []
    var expected: [Oracle.Refused] = []
    switch uplink {
    case .join: break
    case .entries(let entries):
      let message = SentEntry.message(entries)
      session.receive(message.span, from: socket.subscriber, now: now, effects: &effects)
      expected = try oracle.receive(entries, from: number, now: now, sequence: session.sequence)
      // The session takes the tokens of the rate limit in the order of the entries. The oracle has already taken the tokens for
      // the reliable entries, and takes those for the unreliable entries here. Both orders are the same, because the unreliable
      // entries are last in each message.
      for entry in entries where !entry.flags.contains(.reliable) { _ = oracle.takeToken(number, now: now) }
    case .profile(let name):
      guard admit(socket, number, &effects, &expected) else { break }
      session.setProfile(Profile(name: name), of: socket.subscriber)
      here[number] = name
      clients.first { $0.number == number }?.name = name
    case .activity(let title):
      guard admit(socket, number, &effects, &expected) else { break }
      session.setActivity(ActivityChange(title: title), by: socket.subscriber, now: now)
      self.title = title
    case .leave:
      effects = session.leave(socket.subscriber, now: now)
      here[number] = nil
    }
    expectedRefusals[connection, default: []] += expected
    let refused = effects.compactMap { if case .refused(_, let code) = $0 { code } else { nil } }
    try require(refused == expected.map(\.code), "refused \(refused), not \(expected)")
    try perform(effects)
  }

  private func admit(
    _ socket: VirtualSocket, _ number: ParticipantNumber, _ effects: inout [Effect],
    _ expected: inout [Oracle.Refused]
  ) -> Bool {
    let isAdmitted = session.admitControl(socket.subscriber, size: 40, now: now, effects: &effects)
    if !oracle.takeToken(number, now: now) {
      expected = [
        Oracle.Refused(
          code: .rateLimited, clientSequence: nil, retryAfterMs: oracle.retryAfterMs(number))
      ]
    }
    return isAdmitted
  }

  private func join(_ socket: VirtualSocket) throws {
    guard let client = clients.first(where: { $0.socket === socket }) else {
      // The socket was closed before its first message.
      return
    }
    let effects = session.join(socket.subscriber, client.join, identity: identity(), now: now)
    guard let number = session.participant(of: socket.subscriber)?.number else {
      throw Violation("\(client.name) could not join: \(effects)")
    }
    if client.number == nil || client.isForgotten {
      try oracle.admit(number, now: now)
    } else {
      try require(client.number == number, "\(client.name) came back as \(number)")
    }
    oracle.resume(number)
    here[number] = client.name
    away[number] = nil
    try perform(effects)
  }

  private func perform(_ effects: [Effect]) throws {
    for effect in effects {
      switch effect {
      case .close(let connection, let reason):
        guard let socket = sockets[connection] else { continue }
        try require([1000, 4009].contains(reason.code), "closed with \(reason)")
        socket.isClosing = true
        socket.subscriber.enqueue(
          .close, [UInt8(reason.code >> 8), UInt8(reason.code & 0xFF)] + reason.payloadReason())
        flush(socket)
      case .acknowledgedMoved(let number, let from, let to):
        // A crash may lose the record of a refused entry. Then only the sender knows that the client sequence of this entry is
        // used up.
        try require(disk?.crashes ?? 0 > 0, "P2: \(number) moved from \(from) to \(to)")
        oracle.move(number, to: to)
      case .pauseReading: throw Violation("reading from a client that obeys refusals was paused")
      case .joined, .refused, .gone: break
      }
    }
  }

  func noticeCuts() {
    for connection in sockets.keys.sorted() {
      guard let socket = sockets[connection], socket.isCut else { continue }
      sockets[connection] = nil
      guard !socket.isClosing else { continue }
      if let number = session.participant(of: socket.subscriber)?.number, here[number] != nil,
        !(session.participant(of: socket.subscriber)?.isWaiting ?? true)
      {
        away[number] = now.adding(
          seconds: socket.pageGone ? min(5, limits.graceSeconds) : limits.graceSeconds)
      }
      session.disconnected(socket.subscriber, pageGone: socket.pageGone, now: now)
    }
  }

  func passTime(ticks: Int) throws {
    now = MonotonicTime(nanoseconds: now.nanoseconds + Int64(ticks) * Self.tickNanoseconds)
    session.tick(now: now)
    for (number, until) in away where until <= now {
      away[number] = nil
      here[number] = nil
    }
    session.releaseRoom()
    try endTurn()
  }

  func endTurn() throws {
    try announceOffsets()
    session.endTurn(now: now)
    try perform(session.takeEffects())
    oracle.noteSystemEntries(upTo: session.sequence)
    let frames = session.unreliableFrames
    try checkProgress(frames)
    // If a turn has only changes of presence, members that get no other output may receive these changes in a later turn. In a
    // random half of such turns, the simulation sends nothing to these members yet.
    isPresenceDue = presenceMayWait && random.chance(50)
    for connection in sockets.keys.sorted() {
      guard let socket = sockets[connection] else { continue }
      if isPresenceDue, session.isPlain(socket.subscriber) { continue }
      flush(socket)
      try require(
        socket.subscriber.outboxCount <= Subscriber.outboxBytes + 80_000,
        "P6: an outbox of \(socket.subscriber.outboxCount) bytes")
      guard !frames.isEmpty, !socket.isClosing else { continue }
      let count = session.isAtTail(socket.subscriber) ? socket.send(frames[...]) : 0
      guard count < frames.count else { continue }
      if count > 0 { session.setBlocked(true, socket.subscriber) }
      session.didSendUnreliable(count, socket.subscriber, now: now)
    }
    for (subscriber, frame, _) in session.targetedUnreliable() {
      guard let socket = sockets[subscriber.connection] else { continue }
      let count = socket.send(frame[...])
      if count > 0, count < frame.count { session.bufferRemainder(Array(frame[count...]), for: subscriber) }
      if count < frame.count { session.setBlocked(true, subscriber) }
    }
    _ = session.takeWaitersWithOutput()
    try checkFastReaders()
  }

  /// P5: a client that reads without delay has received all entries at the end of the turn, no matter how slow the other clients
  /// are.
  private func checkFastReaders() throws {
    guard !isPresenceDue else { return }
    for client in clients {
      guard let socket = client.socket, socket.capacity == .max else { continue }
      try readAtClient(client, all: true)
      guard client.isCaughtUp, let number = client.number else { continue }
      for missed in oracle.log[Int(client.position)...] {
        try require(
          !missed.isFor(number),
          "P5: \(client.name) reads at once, but is at \(client.position) and has not received \(missed); \(socket.subscriber.source) \(session.members[max(0, socket.subscriber.memberIndex)]) \(session.log.tail) \(socket.isClosing)"
        )
      }
    }
  }

  private var presenceMayWait: Bool {
    switch session.turnContent {
    case .presence: true
    case .nothing: isPresenceDue
    case .entries: false
    }
  }

  private func flush(_ socket: VirtualSocket) {
    while let piece = session.nextPiece(socket.subscriber) {
      let count = socket.send(piece.bytes[piece.range])
      session.sent(piece, count, to: socket.subscriber)
      guard count == piece.range.count || socket.isCut else {
        session.setBlocked(true, socket.subscriber)
        return
      }
    }
  }
}

extension Session {
  /// True if the subscriber is at the tail, with no other output.
  fileprivate func isPlain(_ subscriber: Subscriber) -> Bool {
    subscriber.memberIndex >= 0 && members[subscriber.memberIndex].flags.isEmpty
  }
}
