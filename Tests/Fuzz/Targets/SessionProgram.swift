internal import SessionCore
internal import Wire

/// A session that is controlled by the bytes of the input: clients join, draw, lag, disconnect and resume, and the log of the
/// session is written and read again.
enum SessionProgram {
  private static let steps = 400

  static func check(_ input: [UInt8]) throws {
    var program = InputReader(input)
    let isKept = program.byte() & 1 != 0
    let shell = SessionShell(limits(&program), isKept: isKept)
    var gone: [SessionClient] = []
    var step = 0
    while !program.isAtEnd, step < steps {
      step += 1
      try perform(&program, shell, &gone, isKept)
    }
    if isKept { try shell.saveAll() }
    try shell.settle()
    guard isKept else { return }
    try shell.saveAll()
    let before = try shell.stateOfNewcomer()
    // If the restart continues or removes interrupted uploads (`restart` returns false), the state changes. The states before and
    // after the restart are then not compared.
    guard try shell.restart(), let before else { return }
    if let after = try shell.stateOfNewcomer() {
      try expect(before == after, "\(before.count) keys became \(after.count) by a restart")
    }
  }

  /// Returns small limits, so that short programs reach them.
  private static func limits(_ program: inout InputReader) -> Limits {
    var limits = Limits()
    let choice = program.byte()
    limits.catchUpTailBytes = [200, 2_000, 20_000, 4 << 20][Int(choice & 3)]
    limits.sessionLogBytes = choice & 4 == 0 ? 1 << 20 : 600
    limits.participantsPerSession = choice & 8 == 0 ? 1_000 : 3
    limits.pastParticipants = choice & 16 == 0 ? 10_000 : 2
    if choice & 32 != 0 { (limits.entriesPerSecond, limits.bytesPerSecond) = (10, 2_000) }
    if choice & 64 != 0 { limits.messageBytes = 32 }
    if choice & 128 != 0 { limits.unsavedSessionBytes = 500 }
    return limits
  }

  private static func perform(
    _ program: inout InputReader, _ shell: SessionShell, _ gone: inout [SessionClient], _ isKept: Bool
  ) throws {
    let choice = program.byte()
    let step = choice & 31
    guard step > 2, !shell.clients.isEmpty else {
      return try come(&program, shell, &gone, choice)
    }
    let client = shell.clients[program.below(shell.clients.count)]
    switch step {
    case 3...9: try draw(&program, shell, client)
    case 10: try shell.send(program.take(program.below(64)), from: client)
    case 11, 12, 13: try shell.endTurn(taken: Int(choice >> 5) * 7)
    case 14: try shell.read(client, upTo: Int(program.byte()) << (choice >> 5))
    case 15: client.isSlow.toggle()
    case 16:
      gone.append(client)
      shell.breakWire(client, pageGone: choice & 32 != 0)
    case 17: try shell.leave(client)
    case 18: shell.pass(milliseconds: 1 << Int(choice >> 5) * 2)
    case 19: try control(&program, shell, client)
    // A client joins only once here, because the gateway refuses a second join before the session gets it.
    case 20 where client.isWaiting: try shell.join(client, Join(profile: profile(&program)))
    case 21 where isKept: shell.beginSaving(upTo: Int(program.byte()) * 8)
    case 22 where isKept: shell.endSaving(works: choice & 32 == 0)
    case 23 where isKept: try shell.compact()
    case 24 where isKept && choice & 32 != 0:
      try shell.restart()
      // After the restart, the session has another epoch. Earlier clients have sequences of the former epoch, so they do not
      // resume.
      gone = []
    case 24 where isKept:
      let epoch = shell.session.epoch
      gone += shell.clients
      _ = try shell.stopAndStart()
      if shell.session.epoch != epoch { gone = [] }
    case 25: shell.changeAttachment(&program)
    default: try shell.endTurn()
    }
  }

  /// Connects a client, new or returning, that joins or waits.
  private static func come(
    _ program: inout InputReader, _ shell: SessionShell, _ gone: inout [SessionClient], _ choice: UInt8
  ) throws {
    guard shell.clients.count < 6 else { return try shell.endTurn() }
    var join = Join(profile: profile(&program))
    if choice & 32 != 0, !gone.isEmpty {
      let earlier = gone[program.below(gone.count)]
      join.resume = Resume(
        token: earlier.joined?.token, epoch: shell.session.epoch,
        after: choice & 64 == 0 ? earlier.applied : nil,
        next: choice & 128 == 0 ? nil : earlier.nextClientSequence)
      try shell.connect(join, as: choice & 64 == 0 ? earlier : nil)
    } else if choice & 64 != 0 {
      join.resume = Resume(
        token: Token(high: 3, low: 1_000 + UInt64(program.byte())), epoch: shell.session.epoch,
        next: UInt32(program.byte()))
      try shell.connect(join)
    } else {
      try shell.connect(join, waits: choice & 128 != 0)
    }
  }

  /// Sends an entry, usually a valid one.
  private static func draw(_ program: inout InputReader, _ shell: SessionShell, _ client: SessionClient)
    throws
  {
    var flags = EntryFlags(rawValue: program.byte())
    let size = program.byte()
    if size & 128 == 0 { flags.subtract([.system, .reserved]) }
    if flags.retention == .none { flags.remove(.existing) }
    let isReliable = flags.contains(.reliable)
    var targets: [ParticipantNumber] = []
    if flags.contains(.targeted) {
      for _ in 0..<program.below(4) { targets.append(ParticipantNumber(program.below(8))) }
    }
    let payload =
      flags.retention == .remove
      ? [] : [UInt8](repeating: program.byte(), count: Int(size & 127) * (size & 127 > 120 ? 600 : 1))
    var message: [UInt8] = []
    ClientEntry.append(
      to: &message, flags: flags, clientSequence: isReliable ? client.nextClientSequence : 0,
      key: EntryKey(high: 0, low: UInt64(program.below(6))), targets: targets, type: [0x54].span,
      payload: payload.span)
    if isReliable { client.nextClientSequence += 1 }
    try shell.send(message, from: client)
  }

  private static func control(
    _ program: inout InputReader, _ shell: SessionShell, _ client: SessionClient
  ) throws {
    guard try shell.admitControl(client, size: 40) else { return }
    switch program.below(3) {
    case 0: shell.session.setProfile(profile(&program).sanitised, of: client.subscriber)
    case 1:
      shell.session.setActivity(
        ActivityChange(title: "T\(program.byte())"), by: client.subscriber, now: shell.now)
    default:
      // An unknown token is refused.
      _ = try? shell.session.follow(by: Token(high: 3, low: 1_001), now: shell.now) { Self.next }
    }
  }

  private static let next = SessionID(high: 5, low: 6)

  private static func profile(_ program: inout InputReader) -> Profile {
    let choice = program.byte()
    return Profile(
      name: choice & 1 == 0 ? nil : String(decoding: program.take(Int(choice >> 2 & 15)), as: UTF8.self),
      color: choice & 2 == 0 ? nil : "#00000\(choice >> 6)")
  }
}
