/// A stretch of a run that is measured: what passed, and what it cost.
struct Measurement {
  let tally: Tally
  let interval: Interval
  let before: GatewayMetrics?
  let after: GatewayMetrics?

  /// Lets the load run for the warm-up, and then measures until the time is over.
  static func run(_ generator: Generator, seconds: Double, warmUp: Double) throws(BenchFailure) -> Measurement
  {
    generator.beginSending()
    try generator.run(until: Clock.now() + UInt64(max(0, warmUp - 0.1) * 1e9))
    return try run(generator) { (generator) throws(BenchFailure) in
      guard let messages = generator.options.messages else {
        return try generator.run(until: Clock.now() + UInt64(seconds * 1e9))
      }
      _ = try generator.run(atMost: 3_600) { $0.tally.sent >= messages }
    }
  }

  /// Measures what happens in `body`, while the load runs.
  static func run(
    _ generator: Generator, _ body: (Generator) throws(BenchFailure) -> Void
  ) throws(BenchFailure) -> Measurement {
    let client = try generator.options.isPeer ? nil : HTTPClient(generator.server)
    let before = try client.flatMap { (client) throws(BenchFailure) in try GatewayMetrics.ask(client) }
    // What waited while that was asked is not to be seen in the latencies.
    try generator.run(until: Clock.now() + 100_000_000)
    generator.tally = Tally()
    let start = Sample(generator.options.process)
    try body(generator)
    let end = Sample(generator.options.process)
    let tally = generator.tally
    let after = try client.flatMap { (client) throws(BenchFailure) in try GatewayMetrics.ask(client) }
    if let process = generator.options.process, end.server == nil { throw .process(process) }
    return Measurement(
      tally: tally, interval: Interval(from: start, to: end), before: before, after: after)
  }

  /// How many entries the gateway put into a `send`.
  var entriesPerSend: Double? {
    guard let before, let after, after.sendCalls > before.sendCalls else { return nil }
    return (after.entriesDelivered - before.entriesDelivered) / (after.sendCalls - before.sendCalls)
  }

  /// How often the gateway called `send`.
  var sendCalls: Int? {
    guard let before, let after else { return nil }
    return Int(after.sendCalls - before.sendCalls)
  }
}

extension Report {
  /// What was delivered, how late, and what it cost.
  mutating func add(_ measurement: Measurement, deliveriesEach: Int) {
    let tally = measurement.tally
    let interval = measurement.interval
    let delivered = Double(tally.delivered)
    add("seconds", "measured", interval.seconds, .seconds)
    add("sent", "sent", tally.sent)
    add("sentPerSecond", "sent a second", Double(tally.sent) / interval.seconds, .perSecond)
    add("delivered", "delivered", tally.delivered)
    add("deliveredPerSecond", "delivered a second", delivered / interval.seconds, .perSecond)
    add(
      "deliveredShare", "delivered of what was sent",
      tally.sent > 0 ? delivered / Double(tally.sent * deliveriesEach) : nil)
    add("echoes", "came back to their senders", tally.echoes)
    add(latency: tally.latency)
    if let server = interval.server {
      add(
        "serverMicrosecondsPerDelivered", "server CPU per delivered", server * 1e6 / delivered, .microseconds)
      add("serverCPUPercent", "server CPU", server / interval.seconds * 100, .percent)
      if server < 0.001, tally.delivered > 1000 {
        warn(
          "The process of --pid did nothing while \(tally.delivered) messages were delivered: it is not the server."
        )
      }
    }
    add("sendCalls", "send calls of the gateway", measurement.sendCalls)
    add("entriesPerSend", "entries per send", measurement.entriesPerSend)
    add("messagesPerRead", "delivered per read of ours", delivered / Double(max(1, tally.reads)))
    add("generatorCPUPercent", "generator CPU", interval.own / interval.seconds * 100, .percent)
    add(
      "generatorMicrosecondsPerDelivered", "generator CPU per delivered", interval.own * 1e6 / delivered,
      .microseconds
    )
  }

  /// The usual quantiles of a latency, in microseconds.
  mutating func add(latency: Histogram, _ name: String = "latency", _ words: String = "latency") {
    guard latency.total > 0 else { return }
    for (suffix, share) in [("P50", 0.5), ("P90", 0.9), ("P99", 0.99)] {
      add(
        name + suffix + "Microseconds", "\(words) \(suffix.lowercased())",
        Double(latency.quantile(share)) / 1e3, .microseconds)
    }
    add(name + "MaxMicroseconds", "\(words) max", Double(latency.maximum) / 1e3, .microseconds)
  }

  /// Whether the generator kept up, in the words of the load.
  mutating func addOwnLimits(_ measurement: Measurement, isOpenLoop: Bool) {
    let share = measurement.interval.own / measurement.interval.seconds
    guard isOpenLoop else {
      let isBusy = share > 0.9
      add("generatorBusy", "generator was busy", isBusy)
      if isBusy {
        warn(
          "The generator used \(Int(share * 100)) % of a core: what is delivered a second is a lower bound.")
      }
      return
    }
    let late = measurement.tally.lateness.quantile(0.99)
    add("latenessP99Microseconds", "messages were sent late by p99", Double(late) / 1e3, .microseconds)
    add("skipped", "messages left out", measurement.tally.skipped)
    let isStarved = measurement.tally.skipped > 0 || late > 5_000_000 || share > 0.95
    add("starved", "generator was starved", isStarved)
    if isStarved {
      warn(
        "The generator was starved: \(measurement.tally.skipped) messages left out, p99 \(late / 1_000) us late, "
          + "\(Int(share * 100)) % of a core. The load was less, or less even, than asked for.")
    }
  }
}
