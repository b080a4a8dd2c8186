internal import CLinux
internal import Wire

/// The mode `slow-readers`: members that stop reading during a transfer, and then read again.
enum SlowReadersRun {
  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    guard let process = options.process else { preconditionFailure("the options have no process") }
    let members = Members(sessions: 1, senders: 1, listeners: options.members)
    let maker = MessageMaker(payloadLength: options.payload, retention: .replace)
    let generator = try members.makeGenerator(options, maker: maker)
    let reading = generator.links.count
    let target = generator.links[0].target
    for link in generator.links { link.retained = RetainedSequences(of: 0) }
    try generator.open(0..<reading, inFlight: options.inFlight)
    generator.beginSending()
    let entries = max(4, (options.megabytes << 20) / options.payload)
    // This first transfer fills the session to its full size. Memory growth during the second transfer of the same size is
    // then caused by the slow readers.
    let alone = try transfer(entries, generator)

    for _ in 0..<options.readers {
      generator.addLink(session: 1, target: target).retained = RetainedSequences(of: 0)
    }
    try pause(generator)
    try generator.open(reading..<generator.links.count, inFlight: options.inFlight)
    let slow = generator.links[reading...]
    for link in slow {
      // With the default buffer, the kernel would accept megabytes for a reader before the server notices that the reader does
      // not read.
      _ = clinux_socket_set_receive_buffer(link.descriptor, 65_536)
      link.isReading = false
      link.mayBeClosed = true
      link.caughtUpBy = nil
    }
    let before = try Memory.of(process)
    let waitedBefore = WaitingBytes.now(serverPort: generator.server.port)
    generator.beginSending()
    let beside = try transfer(entries, generator)
    let full = try Memory.of(process)
    let waited = WaitingBytes.now(serverPort: generator.server.port)
    try pause(generator)
    let outcome = try readAgain(generator, slow)

    var report = Report(options, generator)
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    report.add("readers", "members that do not read", options.readers)
    report.add("readingMembers", "members that read", options.members)
    report.add("passedMiB", "transferred payload", Double(entries * options.payload) / 1_048_576, .mebibytes)
    report.add(
      "processGrowthKiB", "memory growth of the server process",
      (full.privateDirty - before.privateDirty) / 1_024, .kibibytes)
    report.add(
      "processGrowthBytesPerReader", "memory growth of the server process per slow reader",
      Double(full.privateDirty - before.privateDirty) / Double(options.readers), .bytes)
    report.add(
      "kernelGrowthKiB", "growth of the socket buffers of both ends", (full.sockets - before.sockets) / 1_024,
      .kibibytes)
    report.add(
      "serverQueueGrowthKiB", "growth of the server's socket queues",
      (waited.atServer - waitedBefore.atServer) / 1_024, .kibibytes)
    report.add(
      "readerQueueGrowthKiB", "growth of the readers' socket queues",
      (waited.atOthers - waitedBefore.atOthers) / 1_024,
      .kibibytes)
    report.add(
      "entriesPerSecondAlone", "entries per second before slow readers stop reading",
      Double(entries) / alone.seconds,
      .perSecond)
    report.add(
      "entriesPerSecondBeside", "entries per second while slow readers do not read",
      Double(entries) / beside.seconds,
      .perSecond)
    report.add(
      "aloneLatencyP99Microseconds", "latency p99 before slow readers stop reading", alone.p99, .microseconds)
    report.add(
      "besideLatencyP99Microseconds", "latency p99 while slow readers do not read", beside.p99, .microseconds)
    add(outcome, to: &report)
    return report
  }

  private static func add(_ outcome: Outcome, to report: inout Report) {
    for (name, count) in outcome.ways {
      report.add("returnedBy\(name)", "slow readers by kind of catch-up: \(name)", count)
    }
    report.add("closed", "slow readers closed by the gateway", outcome.closed)
    report.add("complete", "slow readers that received all entries", outcome.complete)
    report.add(
      "catchUpSeconds", "time until all slow readers have the last entry", outcome.seconds, .seconds)
    if outcome.complete + outcome.closed < outcome.total {
      report.warn(
        "\(outcome.total - outcome.complete - outcome.closed) slow readers do not have the same entries as the other members."
      )
    }
  }

  /// The result of a transfer for the reading members.
  private struct Transfer {
    let seconds: Double
    /// The 99th percentile of the latency in microseconds.
    let p99: Double
  }

  /// Sends until all reading members have received `entries` entries.
  private static func transfer(_ entries: Int, _ generator: Generator) throws(BenchError) -> Transfer {
    generator.counters = TrafficCounters()
    let start = Clock.now()
    let each = generator.sessions[0].deliveriesEach
    let isOver = try generator.run(atMost: 600) { $0.counters.delivered >= entries * each }
    guard isOver else { throw .stalled(expected: entries * each, delivered: generator.counters.delivered) }
    return Transfer(
      seconds: Double(Clock.now() - start) / 1e9, p99: Double(generator.counters.latency.quantile(0.99)) / 1e3
    )
  }

  /// Stops sending, and waits until all sent messages are delivered.
  private static func pause(_ generator: Generator) throws(BenchError) {
    generator.isSending = false
    _ = try generator.run(atMost: 10) {
      $0.sessions[0].delivered >= $0.sessions[0].sent * $0.sessions[0].deliveriesEach
    }
    generator.sessions[0].isDue = true
  }

  /// The counts of the slow readers after their reading was resumed, and the time until each slow reader had the last entry or
  /// was closed.
  private struct Outcome {
    let total: Int
    let closed: Int
    let complete: Int
    let ways: [(String, Int)]
    let seconds: Double
  }

  private static func readAgain(
    _ generator: Generator, _ slow: ArraySlice<Link>
  ) throws(BenchError) -> Outcome {
    let wanted = generator.links[0].retained?.digest
    let start = Clock.now()
    for link in slow where !link.isClosed {
      link.isReading = true
      try generator.receive(link, untilEnd: false)
    }
    // Computing a digest takes microseconds, so the loop compares sequences. The digests are compared once, after the loop.
    let last = generator.links[0].lastSequence
    _ = try generator.run(atMost: 30) { _ in slow.allSatisfy { $0.isClosed || $0.lastSequence >= last } }
    let stayed = slow.filter { !$0.isClosed }
    let ways = [("Continued", Link.Return.continued), ("Tail", .tail), ("Snapshot", .snapshot)]
    return Outcome(
      total: slow.count, closed: slow.count - stayed.count,
      complete: stayed.count { $0.retained?.digest == wanted },
      ways: ways.map { (name, way) in (name, stayed.count { ($0.caughtUpBy ?? .continued) == way }) },
      seconds: Double(Clock.now() - start) / 1e9)
  }
}
