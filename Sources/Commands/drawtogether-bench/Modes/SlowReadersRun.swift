internal import CLinux
internal import Wire

/// `slow-readers`: members that take nothing from their sockets while much passes, and then read again.
enum SlowReadersRun {
  /// Does it, and says what came of it.
  static func measure(_ options: BenchOptions) throws(BenchFailure) -> Report {
    guard let process = options.process else { preconditionFailure("the options were checked for a process") }
    let crowd = Crowd(sessions: 1, senders: 1, listeners: options.members)
    let maker = MessageMaker(payloadLength: options.payload, retention: .replace)
    let generator = try crowd.makeGenerator(options, maker: maker)
    let reading = generator.links.count
    let target = generator.links[0].target
    for link in generator.links { link.held = HeldState(of: 0) }
    try generator.open(0..<reading, inFlight: options.inFlight)
    generator.beginSending()
    let entries = max(4, (options.megabytes << 20) / options.payload)
    // As much as later, so that what the session itself comes to hold is there.
    let alone = try pass(entries, generator)

    for _ in 0..<options.readers { generator.addLink(session: 1, target: target).held = HeldState(of: 0) }
    try pause(generator)
    try generator.open(reading..<generator.links.count, inFlight: options.inFlight)
    let slow = generator.links[reading...]
    for link in slow {
      // Else the reader's own kernel would take megabytes before the server feels anything.
      _ = clinux_socket_set_receive_buffer(link.descriptor, 65_536)
      link.isReading = false
      link.mayBeClosed = true
      link.caughtUpBy = nil
    }
    let before = try Memory.of(process)
    let waitedBefore = WaitingBytes.now(serverPort: generator.server.port)
    generator.beginSending()
    let beside = try pass(entries, generator)
    let full = try Memory.of(process)
    let waited = WaitingBytes.now(serverPort: generator.server.port)
    try pause(generator)
    let returned = try readAgain(generator, slow)

    var report = Report(options, generator)
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    report.add("readers", "members that do not read", options.readers)
    report.add("readingMembers", "members that read", options.members)
    report.add("passedMiB", "payload that passed", Double(entries * options.payload) / 1_048_576, .mebibytes)
    report.add(
      "processGrowthKiB", "the process grew by", (full.privateDirty - before.privateDirty) / 1_024, .kibibytes
    )
    report.add(
      "processGrowthBytesPerReader", "that is per slow reader",
      Double(full.privateDirty - before.privateDirty) / Double(options.readers), .bytes)
    report.add(
      "kernelGrowthKiB", "socket buffers grew by, both ends", (full.sockets - before.sockets) / 1_024,
      .kibibytes)
    report.add(
      "serverQueueGrowthKiB", "what waits at the server's sockets grew by",
      (waited.atServer - waitedBefore.atServer) / 1_024, .kibibytes)
    report.add(
      "readerQueueGrowthKiB", "what waits at ours grew by", (waited.atOthers - waitedBefore.atOthers) / 1_024,
      .kibibytes)
    report.add(
      "entriesPerSecondAlone", "entries a second before", Double(entries) / alone.seconds, .perSecond)
    report.add(
      "entriesPerSecondBeside", "entries a second with them", Double(entries) / beside.seconds, .perSecond)
    report.add("aloneLatencyP99Microseconds", "latency p99 before", alone.p99, .microseconds)
    report.add("besideLatencyP99Microseconds", "latency p99 with them", beside.p99, .microseconds)
    add(returned, to: &report)
    return report
  }

  private static func add(_ returned: Returned, to report: inout Report) {
    for (name, count) in returned.ways { report.add("returnedBy\(name)", "came back: \(name)", count) }
    report.add("closed", "closed by the gateway", returned.closed)
    report.add("complete", "hold what the others hold", returned.complete)
    report.add("catchUpSeconds", "until all read again", returned.seconds, .seconds)
    if returned.complete + returned.closed < returned.total {
      report.warn(
        "\(returned.total - returned.complete - returned.closed) slow readers do not hold what others do.")
    }
  }

  /// How a stretch went for those who read.
  private struct Passage {
    let seconds: Double
    /// In microseconds.
    let p99: Double
  }

  /// Lets so many entries come to everybody who reads.
  private static func pass(_ entries: Int, _ generator: Generator) throws(BenchFailure) -> Passage {
    generator.tally = Tally()
    let start = Clock.now()
    let each = generator.sessions[0].deliveriesEach
    let isOver = try generator.run(atMost: 600) { $0.tally.delivered >= entries * each }
    guard isOver else { throw .stalled(expected: entries * each, delivered: generator.tally.delivered) }
    return Passage(
      seconds: Double(Clock.now() - start) / 1e9, p99: Double(generator.tally.latency.quantile(0.99)) / 1e3)
  }

  /// Sends no more, and waits until all that was sent has come.
  private static func pause(_ generator: Generator) throws(BenchFailure) {
    generator.isSending = false
    _ = try generator.run(atMost: 10) {
      $0.sessions[0].delivered >= $0.sessions[0].sent * $0.sessions[0].deliveriesEach
    }
    generator.sessions[0].isDue = true
  }

  /// What became of those who did not read.
  private struct Returned {
    let total: Int
    let closed: Int
    let complete: Int
    let ways: [(String, Int)]
    let seconds: Double
  }

  private static func readAgain(
    _ generator: Generator, _ slow: ArraySlice<Link>
  ) throws(BenchFailure) -> Returned {
    let wanted = generator.links[0].held?.digest
    let start = Clock.now()
    for link in slow where !link.isClosed {
      link.isReading = true
      try generator.receive(link, untilEnd: false)
    }
    // A digest takes microseconds: asked only of those that have moved on.
    let last = generator.links[0].lastSequence
    _ = try generator.run(atMost: 30) { _ in slow.allSatisfy { $0.isClosed || $0.lastSequence >= last } }
    let stayed = slow.filter { !$0.isClosed }
    let ways = [("Continued", Link.Return.continued), ("Tail", .tail), ("Snapshot", .snapshot)]
    return Returned(
      total: slow.count, closed: slow.count - stayed.count,
      complete: stayed.count { $0.held?.digest == wanted },
      ways: ways.map { (name, way) in (name, stayed.count { ($0.caughtUpBy ?? .continued) == way }) },
      seconds: Double(Clock.now() - start) / 1e9)
  }
}
