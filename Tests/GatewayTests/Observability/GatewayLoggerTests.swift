import Networking
import Platform
import Primitives
import SessionCore
import Testing
import Wire

@testable import Gateway

@Suite("The gateway's logger omits and counts log lines over a budget")
struct GatewayLoggerTests {
  private let clock = LoopClock(MonotonicTime(nanoseconds: 1_000_000_000))
  private let counters = ReactorCounters()
  private let lines = LogLines()
  private let logger: GatewayLogger

  init() {
    logger = GatewayLogger(lines.log, counters: counters, clock: clock)
  }

  private static let subject = EventSubject(session: SessionID(high: 1, low: 2), participant: 3)

  @Test("No log line is omitted if 10,000 participants lose their connections and rejoin at the same time")
  func burstOfParticipants() {
    for _ in 0..<10_000 {
      logger.log(.left(Self.subject, reason: "gone"))
      logger.log(.joined(Self.subject, sequence: 0))
    }
    #expect(lines.count == 20_000)
    #expect(counters.values.logLinesOmitted == 0)
    #expect(!logger.hasOmittedLines)
  }

  @Test(
    "Log lines over a budget are omitted and counted; the count is logged once when the budget allows a line again"
  )
  func omittedLines() {
    for _ in 0..<25 { logger.log(.refused(.entry, .badRequest, Self.subject)) }
    #expect(lines.count == 20)
    #expect(counters.values.logLinesOmitted == 5)
    #expect(counters.values.refusals[.badRequest] == 25, "every event is counted")
    logger.reportOmittedLines()
    #expect(lines.count == 20, "the budget is still empty")
    clock.set(clock.now + .seconds(1))
    logger.reportOmittedLines()
    #expect(lines.last?.contains("lines=5") == true)
    #expect(lines.last?.contains("of=refused") == true)
    #expect(!logger.hasOmittedLines)
    logger.reportOmittedLines()
    #expect(lines.count == 21)
  }

  @Test("Log lines about peers that never joined do not use up the budget for participants")
  func separateBudgets() {
    for _ in 0..<1_005 { logger.log(.socketClosed(Self.close(participant: 0))) }
    #expect(lines.count == 1_000)
    logger.log(.socketClosed(Self.close(participant: 7)))
    #expect(lines.count == 1_001)
    #expect(lines.last?.contains("participant=7") == true)
    #expect(counters.values.closes[CloseCodeLabel(1006)] == 1_006)
  }

  @Test(
    "The log line of a resume has the number of missed entries; with a snapshot, all entries count as missed",
    arguments: [
      (JoinKind.new, 7, "participant joined", "sequence=10"), (.tail, 7, "participant resumed", "missed=3"),
      (.tail, nil, "participant resumed", "missed=10"), (.tail, 12, "participant resumed", "missed=0"),
      (.snapshot, 7, "participant resumed", "missed=10"),
    ] as [(JoinKind, UInt64?, String, String)])
  func join(_ kind: JoinKind, _ after: UInt64?, _ event: String, _ field: String) throws {
    logger.log(.join(Self.subject, kind, sequence: 10, after: after))
    let line = try #require(lines.last)
    #expect(line.contains("event=\"\(event)\"") && line.contains(field))
  }

  private static func close(participant: ParticipantNumber) -> PeerEvent.SocketClose {
    PeerEvent.SocketClose(
      subject: EventSubject(participant: participant), code: 1006, reason: "broken", closedBy: .nobody,
      end: "closed", socket: Socket(-1), duration: .zero)
  }
}
