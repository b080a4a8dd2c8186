/// `fan-out` and `rooms`: members that draw.
enum DrawingRun {
  /// Does it, and says what came of it.
  static func measure(_ options: BenchOptions) throws(BenchFailure) -> Report {
    let isRooms = options.mode == .rooms
    let crowd = Crowd(
      sessions: options.sessions, senders: isRooms ? options.members : options.senders,
      listeners: isRooms ? 0 : options.members)
    let generator = try crowd.makeGenerator(options, maker: MessageMaker(options))
    let memory = try options.process.map { (process) throws(BenchFailure) in try Memory.of(process) }
    try generator.open(0..<generator.links.count, inFlight: options.inFlight)
    try generator.settle()
    let grown = try memory.map { (empty) throws(BenchFailure) in
      try Memory.of(options.process ?? 0).privateDirty - empty.privateDirty
    }
    let measurement = try Measurement.run(generator, seconds: options.seconds, warmUp: options.warmUp)

    guard measurement.tally.delivered > 0 else {
      throw .nothingDelivered(sent: measurement.tally.sent, seconds: measurement.interval.seconds)
    }

    var report = Report(options, generator)
    report.add("sessions", "sessions", crowd.sessions)
    report.add("senders", "senders of a session", crowd.senders)
    report.add("listeners", "members that only listen", crowd.listeners)
    report.add("pacing", "pacing", options.pacing.words)
    report.add("payloadBytes", "payload", options.payload, .bytes)
    report.add(measurement, deliveriesEach: generator.sessions[0].deliveriesEach)
    report.add(
      "deliveredInAll", "delivered, warm-up and all", generator.sessions.reduce(0) { $0 + $1.delivered })
    report.add(
      "memoryBytesPerSocket", "memory per socket", grown.map { Double($0) / Double(generator.links.count) },
      .bytes)
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    report.addOwnLimits(measurement, isOpenLoop: generator.schedule != nil)
    return report
  }
}

extension Report {
  /// Begins with what every run says.
  init(_ options: BenchOptions, _ generator: Generator) {
    self.init()
    add("mode", "what", options.mode.rawValue)
    add("server", "server", generator.server.description)
    add("deflate", "permessage-deflate offered", options.offersDeflate)
    add("sockets", "sockets", generator.links.count)
  }
}

extension BenchOptions.Pacing {
  /// As the report says it.
  var words: String {
    switch self {
    case .window(let window): "window \(window)"
    case .burst(let burst): "burst \(burst)"
    case .rate(let rate): "rate \(rate)"
    }
  }
}
