/// The measured part of a run: traffic and cost.
struct Measurement {
  let counters: TrafficCounters
  let interval: Interval
  let before: GatewayMetrics?
  let after: GatewayMetrics?

  /// Runs the warm-up and then the measurement.
  static func run(_ generator: Generator, seconds: Double, warmUp: Double) throws(BenchError) -> Measurement {
    generator.beginSending()
    try generator.run(until: Clock.now() + UInt64(max(0, warmUp - 0.1) * 1e9))
    return try run(generator) { (generator) throws(BenchError) in
      guard let messages = generator.options.messages else {
        return try generator.run(until: Clock.now() + UInt64(seconds * 1e9))
      }
      _ = try generator.run(atMost: 3_600) { $0.counters.sent >= messages }
    }
  }

  /// Measures the load while `body` runs.
  static func run(
    _ generator: Generator, _ body: (Generator) throws(BenchError) -> Void
  ) throws(BenchError) -> Measurement {
    let client = try generator.options.isPeer ? nil : ServerRequests(generator.server)
    let before = try client.flatMap { (client) throws(BenchError) in try GatewayMetrics.ask(client) }
    // Messages that arrived while the metrics were requested are read now, so that they do not affect the latencies.
    try generator.run(until: Clock.now() + 100_000_000)
    generator.counters = TrafficCounters()
    let start = Sample(generator.options.process)
    try body(generator)
    let end = Sample(generator.options.process)
    let counters = generator.counters
    let after = try client.flatMap { (client) throws(BenchError) in try GatewayMetrics.ask(client) }
    if let process = generator.options.process, end.server == nil { throw .process(process) }
    return Measurement(
      counters: counters, interval: Interval(from: start, to: end), before: before, after: after)
  }

  /// The entries per `send` call of the gateway.
  var entriesPerSend: Double? {
    guard let before, let after, after.sendCalls > before.sendCalls else { return nil }
    return (after.entriesDelivered - before.entriesDelivered) / (after.sendCalls - before.sendCalls)
  }

  /// The share of the gateway's busiest reactor in the busy time of all its reactors: with N evenly loaded reactors, 1/N.
  var busiestReactorShare: Double? {
    guard let before, let after, before.busySeconds.count == after.busySeconds.count else { return nil }
    let busy = zip(after.busySeconds, before.busySeconds).map { $0 - $1 }
    let total = busy.reduce(0, +)
    return total > 0 ? busy.max().map { $0 / total } : nil
  }

  /// The number of `send` calls of the gateway.
  var sendCalls: Int? {
    guard let before, let after else { return nil }
    return Int(after.sendCalls - before.sendCalls)
  }
}

extension Report {
  /// Adds deliveries, latencies and CPU.
  mutating func add(_ measurement: Measurement, deliveriesEach: Int) {
    let counters = measurement.counters
    let interval = measurement.interval
    let delivered = Double(counters.delivered)
    add("seconds", "measured", interval.seconds, .seconds)
    add("sent", "messages sent", counters.sent)
    add("sentPerSecond", "messages sent per second", Double(counters.sent) / interval.seconds, .perSecond)
    add("delivered", "messages delivered", counters.delivered)
    add("deliveredPerSecond", "messages delivered per second", delivered / interval.seconds, .perSecond)
    add(
      "deliveredShare", "delivered share of sent messages",
      counters.sent > 0 ? delivered / Double(counters.sent * deliveriesEach) : nil)
    add("echoes", "messages returned to their senders", counters.echoes)
    add(latency: counters.latency)
    if let server = interval.server {
      add(
        "serverMicrosecondsPerDelivered", "server CPU per delivered message", server * 1e6 / delivered,
        .microseconds)
      add("serverCPUPercent", "server CPU", server / interval.seconds * 100, .percent)
      if server < 0.001, counters.delivered > 1000 {
        warn(
          "The process of --pid used no CPU while \(counters.delivered) messages were delivered: it is not the server."
        )
      }
    }
    add("sendCalls", "send calls of the gateway", measurement.sendCalls)
    add("entriesPerSend", "entries per send call", measurement.entriesPerSend)
    add("busiestReactorShare", "busiest reactor's share of the busy time", measurement.busiestReactorShare)
    add("messagesPerRead", "messages delivered per read", delivered / Double(max(1, counters.reads)))
    add("generatorCPUPercent", "generator CPU", interval.own / interval.seconds * 100, .percent)
    add(
      "generatorMicrosecondsPerDelivered", "generator CPU per delivered message",
      interval.own * 1e6 / delivered,
      .microseconds
    )
  }

  /// Adds quantiles of a latency, in microseconds.
  mutating func add(latency: Histogram, _ name: String = "latency", _ label: String = "latency") {
    guard latency.total > 0 else { return }
    for (suffix, share) in [("P50", 0.5), ("P90", 0.9), ("P99", 0.99)] {
      add(
        name + suffix + "Microseconds", "\(label) \(suffix.lowercased())",
        Double(latency.quantile(share)) / 1e3, .microseconds)
    }
    add(name + "MaxMicroseconds", "\(label) max", Double(latency.maximum) / 1e3, .microseconds)
  }

  /// Adds the load of the generator, and a warning if it was the bottleneck.
  mutating func addOwnLimits(_ measurement: Measurement, isOpenLoop: Bool) {
    let share = measurement.interval.own / measurement.interval.seconds
    guard isOpenLoop else {
      let isBusy = share > 0.9
      add("generatorBusy", "generator used more than 90 % of a core", isBusy)
      if isBusy {
        warn(
          "The generator used \(Int(share * 100)) % of a core: the delivered messages per second are a lower bound."
        )
      }
      return
    }
    let late = measurement.counters.lateness.quantile(0.99)
    add(
      "latenessP99Microseconds", "delay of a send after its scheduled time, p99", Double(late) / 1e3,
      .microseconds)
    add("skipped", "skipped messages", measurement.counters.skipped)
    let isStarved = measurement.counters.skipped > 0 || late > 5_000_000 || share > 0.95
    add("starved", "generator was too slow for its schedule (starved)", isStarved)
    if isStarved {
      warn(
        "The generator was starved: it skipped \(measurement.counters.skipped) messages, "
          + "sent 1 % of the others at least \(late / 1_000) us late, "
          + "and used \(Int(share * 100)) % of a core. The load was lower, or less even, than requested.")
    }
  }
}
