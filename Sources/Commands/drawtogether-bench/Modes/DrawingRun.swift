/// The modes `fan-out` and `rooms`, in which members draw.
enum DrawingRun {
  /// Runs the measurement and returns its report.
  static func measure(_ options: BenchOptions) throws(BenchError) -> Report {
    let isRooms = options.mode == .rooms
    let members = Members(
      sessions: options.sessions, senders: isRooms ? options.members : options.senders,
      listeners: isRooms ? 0 : options.members)
    let generator = try members.makeGenerator(options, maker: MessageMaker(options))
    let memory = try options.process.map { (process) throws(BenchError) in try Memory.of(process) }
    try generator.open(0..<generator.links.count, inFlight: options.inFlight)
    try generator.settle()
    let grown = try memory.map { (empty) throws(BenchError) in
      try Memory.of(options.process ?? 0).privateDirty - empty.privateDirty
    }
    let measurement = try Measurement.run(generator, seconds: options.seconds, warmUp: options.warmUp)

    guard measurement.counters.delivered > 0 else {
      throw .nothingDelivered(sent: measurement.counters.sent, seconds: measurement.interval.seconds)
    }

    var report = Report(options, generator)
    report.add("sessions", "sessions", members.sessions)
    report.add("senders", "senders per session", members.senders)
    report.add("listeners", "listening members", members.listeners)
    report.add("pacing", "pacing", options.pacing.text)
    report.add("payloadBytes", "payload", options.payload, .bytes)
    report.add(measurement, deliveriesEach: generator.sessions[0].deliveriesEach)
    report.add(
      "deliveredInAll", "messages delivered, including warm-up",
      generator.sessions.reduce(0) { $0 + $1.delivered })
    report.add(
      "memoryBytesPerSocket", "growth of the server's memory per socket",
      grown.map { Double($0) / Double(generator.links.count) },
      .bytes)
    report.add(connectionsBefore: generator.connectionsBefore, sockets: generator.links.count)
    report.addOwnLimits(measurement, isOpenLoop: generator.schedule != nil)
    return report
  }
}

extension Report {
  /// Creates a report with the figures of all modes.
  init(_ options: BenchOptions, _ generator: Generator) {
    self.init()
    add("mode", "mode", options.mode.rawValue)
    add("server", "server", generator.server.description)
    add("deflate", "permessage-deflate offered", options.offersDeflate)
    add("sockets", "sockets", generator.links.count)
  }
}

extension BenchOptions.Pacing {
  /// The description of the pacing in the report.
  var text: String {
    switch self {
    case .window(let window): "window \(window)"
    case .burst(let burst): "burst \(burst)"
    case .rate(let rate): "rate \(rate)"
    }
  }
}
