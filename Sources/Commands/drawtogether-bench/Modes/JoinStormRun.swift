internal import Wire

/// The mode `join-storm`: many members join one session at the same time. The session has many retained entries.
enum JoinStormRun {
  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    let generator = try Generator(
      options,
      maker: MessageMaker(
        payloadLength: options.payload, retention: .append, keys: .max, isPeer: options.isPeer))
    var target = try Members.targets(1, options, generator.server)[0]
    let entries = options.snapshotEntries
    let bytes = entries * options.payload
    if options.isPeer {
      target += "?snapshot=\(bytes)"
    } else {
      try fill(generator, target, entries)
    }

    let firstLive = generator.links.count
    let calm = try options.isLive ? generator.beginLivePair(target) : nil
    let first = generator.links.count
    for _ in 0..<options.joins { generator.addLink(session: 0, target: target).isSkimming = true }
    let before = try options.process.map { (process) throws(BenchError) in try Memory.of(process) }
    generator.counters = TrafficCounters()
    let start = Sample(options.process)
    try generator.open(first..<generator.links.count, inFlight: max(options.inFlight, options.joins))
    if options.isPeer { try waitForBytes(generator, first, bytes) }
    let storm = Interval(from: start, to: Sample(options.process))
    let live = generator.counters.latency
    let received = generator.links[first...].reduce(0) { $0 + $1.bytesReceived }
    if !options.isPeer, !options.offersDeflate,
      let short = generator.links[first...].first(where: { $0.bytesReceived < bytes })
    {
      throw .protocolViolation(
        "a snapshot has \(short.bytesReceived) bytes, although \(bytes) bytes are retained")
    }

    var each = Histogram()
    for link in generator.links[first...] { each.record(link.liveAt - link.startedAt) }
    var report = Report(options, generator)
    report.add("joins", "members that joined at the same time", options.joins)
    report.add("entries", "retained entries", entries)
    report.add("snapshotBytes", "payload of the retained entries", bytes, .bytes)
    report.add(
      "bytesPerJoin", "bytes received by each member, with headers", received / options.joins, .bytes)
    report.add("seconds", "time until all snapshots were complete", storm.seconds, .seconds)
    report.add(latency: each, "joinLatency", "duration of a join")
    report.add(
      "receivedMiBPerSecond", "snapshots received", Double(received) / 1_048_576 / storm.seconds,
      .mebibytesPerSecond)
    report.add("serverCPUSeconds", "server CPU", storm.server, .seconds)
    report.add("serverCPUPercent", "server CPU", storm.server.map { $0 / storm.seconds * 100 }, .percent)
    report.add("generatorCPUPercent", "generator CPU", storm.own / storm.seconds * 100, .percent)
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    if let before, let process = options.process {
      let grown = try Memory.of(process).privateDirty - before.privateDirty
      report.add("memoryGrowthKiB", "growth of the server's private memory", grown / 1_024, .kibibytes)
    }
    if let calm {
      report.add(latency: calm.counters.latency, "calmLatency", "latency of live messages before the joins")
      report.add(latency: live, "stormLatency", "latency of live messages during the joins")
      report.add("liveSockets", "live members", first - firstLive)
    }
    return report
  }

  /// Sends the retained entries from one member until all are on disk. The number of unsaved entries is limited.
  private static func fill(_ generator: Generator, _ target: String, _ entries: Int) throws(BenchError) {
    let writer = generator.addLink(session: 0, target: target)
    writer.followsCommitted = true
    // The entries that return to the writer are parsed only if `retained` is set.
    writer.retained = RetainedSequences(of: writer.index)
    try generator.open(writer.index..<writer.index + 1, inFlight: 1)
    let first = writer.lastSequence
    let ahead = max(16, 262_144 / generator.options.payload)
    while Int(writer.clientSequence) < entries {
      let batch = min(64, entries - Int(writer.clientSequence))
      generator.send(batch, from: writer)
      let isTaken = try generator.run(atMost: 30) {
        Int(writer.clientSequence) - $0.counters.echoes < ahead
      }
      guard isTaken else {
        throw .stalled(expected: Int(writer.clientSequence), delivered: generator.counters.echoes)
      }
    }
    let isKept = try generator.run(atMost: 30) {
      $0.counters.echoes >= entries && writer.lastSequence > first && writer.committed >= writer.lastSequence
    }
    guard isKept else { throw .stalled(expected: entries, delivered: generator.counters.echoes) }
  }

  /// Waits for snapshots from a peer: a server that is not a gateway (`--peer`). A peer does not signal the end of a snapshot, so
  /// a snapshot counts as complete at `bytes` bytes.
  private static func waitForBytes(_ generator: Generator, _ first: Int, _ bytes: Int) throws(BenchError) {
    let end = Clock.now() + 60_000_000_000
    var waiting = generator.links[first...].filter { $0.bytesReceived < bytes }
    while !waiting.isEmpty {
      guard Clock.now() < end else {
        throw .openedTooFew(
          opened: generator.links.count - first - waiting.count, of: generator.options.joins)
      }
      try generator.step(until: Clock.now() + 10_000_000)
      let now = Clock.now()
      for link in waiting where link.bytesReceived >= bytes { link.liveAt = now }
      waiting.removeAll { $0.bytesReceived >= bytes }
    }
  }
}
