/// The mode `idle`: the cost of silent sockets that have joined, and the latency of a sender and a reader beside them.
enum IdleRun {
  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    let whole = options.sockets / options.members
    let rest = options.sockets % options.members
    let sessions = whole + (rest > 0 ? 1 : 0)
    let generator = try Generator(options, maker: MessageMaker(options))
    // The last target is for the two sockets whose latency is measured: a sender and a reader.
    let targets = try Members.targets(sessions + (options.isLive ? 1 : 0), options, generator.server)
    let calm = try options.isLive ? generator.beginLivePair(targets[sessions]) : nil
    let first = generator.links.count
    for socket in 0..<options.sockets {
      let session = socket / options.members
      generator.addLink(session: session, target: targets[session])
    }
    let empty = try Self.memory(options)
    let kernelBefore = Memory.ofSockets()
    let begun = Sample(options.process)
    try generator.open(first..<generator.links.count, inFlight: options.inFlight)
    let opened = Sample(options.process)
    if options.isLive { try generator.run(until: Clock.now() + 500_000_000) } else { try generator.settle() }
    generator.counters = TrafficCounters()
    let start = Sample(options.process)
    try generator.run(until: Clock.now() + UInt64(options.seconds * 1e9))
    let end = Sample(options.process)

    let sockets = Double(options.sockets)
    let opening = Interval(from: begun, to: opened)
    let idling = Interval(from: start, to: end)
    var report = Report(options, generator)
    report.add("sessions", "sessions", sessions)
    report.add("opensPerSecond", "sockets opened per second", sockets / opening.seconds, .perSecond)
    report.add(
      "serverMicrosecondsPerOpen", "server CPU time per opened socket",
      opening.server.map { $0 * 1e6 / sockets },
      .microseconds)
    if let empty {
      let full = try Self.memory(options) ?? empty
      report.add(
        "memoryBeforeKiB", "server's private memory before the sockets were opened",
        empty.privateDirty / 1_024, .kibibytes)
      report.add(
        "memoryWithKiB", "server's private memory with the sockets open", full.privateDirty / 1_024,
        .kibibytes)
      report.add(
        "memoryBytesPerSocket", "growth of the server's private memory per socket",
        Double(full.privateDirty - empty.privateDirty) / sockets,
        .bytes)
      report.add(
        "residentBeforeKiB", "server's resident memory before the sockets were opened",
        empty.resident / 1_024, .kibibytes)
      report.add(
        "residentWithKiB", "server's resident memory with the sockets open", full.resident / 1_024,
        .kibibytes)
      report.add(
        "residentBytesPerSocket", "growth of the server's resident memory per socket",
        Double(full.resident - empty.resident) / sockets,
        .bytes)
    }
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    report.add(
      "kernelBytesPerSocket", "kernel buffers per connection, for both of its sockets",
      Double(Memory.ofSockets() - kernelBefore) / sockets,
      .bytes)
    report.add("idleSeconds", "duration of the idle period", idling.seconds, .seconds)
    report.add(
      "serverCPUPercent", "server CPU use during the idle period",
      idling.server.map { $0 / idling.seconds * 100 }, .percent)
    if let calm {
      report.add(
        latency: calm.counters.latency, "calmLatency",
        "latency of live messages before the silent sockets were opened")
      report.add(
        latency: generator.counters.latency, "idleLatency",
        "latency of live messages with the silent sockets open")
    }
    return report
  }

  private static func memory(_ options: BenchOptions) throws(BenchError) -> Memory? {
    guard let process = options.process else { return nil }
    return try Memory.of(process)
  }
}
