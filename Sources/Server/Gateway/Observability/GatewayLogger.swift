internal import Networking
internal import Primitives

/// The counters of one reactor, shared by its components.
final class ReactorCounters {
  var values = Counters()
}

/// Counts the events that peers cause in one reactor, and logs them within budgets of lines.
final class GatewayLogger {
  private let log: Log
  private let counters: ReactorCounters
  private let clock: LoopClock
  /// By the raw value of a budget.
  private var budgets = PeerEvent.Budget.allCases.map {
    LogBudget(burst: $0.rate.burst, perSecond: $0.rate.perSecond)
  }

  /// Creates a logger with full budgets.
  init(_ log: Log, counters: ReactorCounters, clock: LoopClock) {
    self.log = log
    self.counters = counters
    self.clock = clock
  }

  /// Counts an event. Writes its line if the event's budget allows it, and else counts the line as omitted.
  func log(_ event: PeerEvent) {
    event.count(in: &counters.values)
    if let budget = event.budget, !budgets[budget.rawValue].allows(now: clock.now) {
      counters.values.logLinesLeftOut += 1
      return
    }
    event.write(to: log)
  }

  /// True while omitted lines have not been reported.
  var hasOmittedLines: Bool { budgets.contains { $0.leftOut > 0 } }

  /// Reports the number of omitted lines of each budget that allows lines again.
  func reportOmittedLines() {
    for budget in PeerEvent.Budget.allCases {
      guard let lines = budgets[budget.rawValue].takeLeftOut(now: clock.now) else { continue }
      log(.warning, "log lines left out", ["of": "\(budget.name)", "lines": .number(lines)])
    }
  }
}
