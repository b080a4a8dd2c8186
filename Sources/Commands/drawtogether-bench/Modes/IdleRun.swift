/// The mode `idle`: the cost of silent sockets that have joined.
enum IdleRun {
  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    let whole = options.sockets / options.members
    let rest = options.sockets % options.members
    let members = Members(sessions: whole, senders: 0, listeners: options.members)
    let generator = try members.makeGenerator(options, maker: MessageMaker(options))
    if rest > 0 {
      let target = try Members.target(of: whole, options, generator.server)
      for _ in 0..<rest { generator.addLink(session: whole, target: target) }
    }
    let empty = try Self.memory(options)
    let kernelBefore = Memory.ofSockets()
    let begun = Sample(options.process)
    try generator.open(0..<generator.links.count, inFlight: options.inFlight)
    let opened = Sample(options.process)
    try generator.settle()
    let start = Sample(options.process)
    try generator.run(until: Clock.now() + UInt64(options.seconds * 1e9))
    let end = Sample(options.process)

    let sockets = Double(options.sockets)
    let opening = Interval(from: begun, to: opened)
    let idling = Interval(from: start, to: end)
    var report = Report(options, generator)
    report.add("sessions", "sessions", whole + (rest > 0 ? 1 : 0))
    report.add("opensPerSecond", "opened per second", sockets / opening.seconds, .perSecond)
    report.add(
      "serverMicrosecondsPerOpen", "server CPU per opened socket", opening.server.map { $0 * 1e6 / sockets },
      .microseconds)
    if let empty {
      let full = try Self.memory(options) ?? empty
      report.add("memoryBeforeKiB", "private memory before", empty.privateDirty / 1_024, .kibibytes)
      report.add("memoryWithKiB", "private memory after", full.privateDirty / 1_024, .kibibytes)
      report.add(
        "memoryBytesPerSocket", "private memory per socket",
        Double(full.privateDirty - empty.privateDirty) / sockets,
        .bytes)
      report.add("residentBeforeKiB", "resident before", empty.resident / 1_024, .kibibytes)
      report.add("residentWithKiB", "resident after", full.resident / 1_024, .kibibytes)
      report.add(
        "residentBytesPerSocket", "resident per socket", Double(full.resident - empty.resident) / sockets,
        .bytes)
    }
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    report.add(
      "kernelBytesPerSocket", "kernel buffers per socket, for both ends",
      Double(Memory.ofSockets() - kernelBefore) / sockets,
      .bytes)
    report.add("idleSeconds", "silent for", idling.seconds, .seconds)
    report.add(
      "serverCPUPercent", "idle server CPU", idling.server.map { $0 / idling.seconds * 100 }, .percent)
    return report
  }

  private static func memory(_ options: BenchOptions) throws(BenchError) -> Memory? {
    guard let process = options.process else { return nil }
    return try Memory.of(process)
  }
}
