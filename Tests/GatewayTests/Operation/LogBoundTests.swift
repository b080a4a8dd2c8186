import Testing
import Platform

@testable import Gateway

extension OverSockets {
  /// What peers can bring about as often as they like writes no more lines than there is leave for.
  @Suite("Bounds of the log")
  struct LogBoundTests {
    @Test("Who comes and goes without end fills no log: what is left out is counted")
    func comingAndGoing() async throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let metrics = try Metrics(of: gateway)
      // All lose their line and come back, with 10,000 people: none is missing of that.
      await gateway.gateway.shared.owner(of: session).spendLines(10_000)
      for _ in 0..<5 { try ParticipantClient(gateway, session).join().cut() }
      try metrics.waitForNoSockets()
      #expect(try metrics.value("log_lines_left_out_total") == 0)
      await gateway.gateway.shared.owner(of: session).haveFewLines()
      for _ in 0..<20 { try ParticipantClient(gateway, session).join().cut() }
      try metrics.waitForNoSockets()
      #expect(try metrics.value("log_lines_left_out_total") == 2 * 20 - 3 - 4)
    }
  }
}

extension Reactor {
  /// As if so many had come and gone just now.
  fileprivate func spendLines(_ count: Int) {
    now = .now()
    for _ in 0..<count {
      _ = participantLines.allows(now: now)
      _ = closeLines.allows(now: now)
    }
  }

  /// Leaves three comings, and four ends of sockets.
  fileprivate func haveFewLines() {
    participantLines = LogBudget(burst: 3, perSecond: 0)
    closeLines = LogBudget(burst: 4, perSecond: 0)
  }
}
