internal import Networking
internal import Primitives

/// The counters of one reactor, shared by its components.
final class ReactorCounters {
  /// The counters. An access must not call another module or release memory. Then the compiler can remove the run-time
  /// exclusivity checks from all accesses. Use `countLabel` to change counters with labels.
  var values = Counters()

  /// Changes several counters with one access.
  @inline(__always)
  func update(_ change: (inout Counters) -> Void) {
    change(&values)
  }

  /// Changes the counter of a label. `change` gets the index of the label, which is found before the access to `values`: finding
  /// the index may call other modules.
  @inline(__always)
  func count(_ label: some CounterLabel, _ change: (inout Counters, Int) -> Void) {
    let ordinal = label.ordinal
    change(&values, ordinal)
  }

  /// Changes counters with labels. This takes longer than `count`: the change is made in a copy of `values`, because finding the
  /// counter of a label may call other modules.
  func countLabel(_ change: (inout Counters) -> Void) {
    var changed = values
    change(&changed)
    values = changed
  }
}

/// Counts the events that peers cause in one reactor. Logs these events, but limits the number of log lines.
final class GatewayLogger {
  private let log: Log
  private let counters: ReactorCounters
  private let clock: LoopClock
  /// The limits of all budgets, indexed by `Budget.rawValue`.
  private var lineLimits = PeerEvent.Budget.allCases.map { LineLimit($0) }

  /// The limit for the log lines of one budget: a token bucket, and the number of lines that were omitted since the last report.
  private struct LineLimit {
    private let rate: TokenBucket.Rate
    private var bucket: TokenBucket
    var omitted: UInt64 = 0

    init(_ budget: PeerEvent.Budget) {
      rate = budget.rate
      bucket = TokenBucket(full: rate)
    }

    mutating func allowsLine(now: MonotonicTime) -> Bool { bucket.tryConsume(1, by: rate, at: now) }
  }

  /// Creates a logger whose token buckets are full.
  init(_ log: Log, counters: ReactorCounters, clock: LoopClock) {
    self.log = log
    self.counters = counters
    self.clock = clock
  }

  /// True if the log writes lines of the level `debug`.
  var logsDebug: Bool { log.level <= .debug }

  /// Counts an event. Writes its line if the event's budget allows it. Otherwise counts the line as omitted.
  func log(_ event: PeerEvent) {
    switch event {
    case .joined, .resumed, .left: break
    case .socketClosed(let close): counters.count(CloseCodeLabel(close.code)) { $0.closes.increment($1) }
    default: counters.countLabel { event.count(in: &$0) }
    }
    if let budget = event.budget, !lineLimits[budget.rawValue].allowsLine(now: clock.now) {
      lineLimits[budget.rawValue].omitted += 1
      counters.values.logLinesOmitted += 1
      return
    }
    event.write(to: log)
  }

  /// True if lines were omitted that have not been reported yet.
  var hasOmittedLines: Bool { lineLimits.contains { $0.omitted > 0 } }

  /// Reports the number of omitted lines for each budget that allows lines again.
  func reportOmittedLines() {
    for budget in PeerEvent.Budget.allCases {
      let lines = lineLimits[budget.rawValue].omitted
      guard lines > 0, lineLimits[budget.rawValue].allowsLine(now: clock.now) else { continue }
      lineLimits[budget.rawValue].omitted = 0
      log(.warning, "log lines omitted", ["of": "\(budget.name)", "lines": .number(lines)])
    }
  }
}
