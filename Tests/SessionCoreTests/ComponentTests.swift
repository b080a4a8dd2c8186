import FoundationEssentials
import Primitives
import Testing
import Wire

@testable import SessionCore

@Suite("Components of a session: quota warning, growth gate, kinds of turns, and retention times")
struct ComponentTests {
  @Test(
    "The quota warning is sent at four fifths of the quota, and again only after usage fell below three fifths",
    arguments: [
      ([0, 79, 80, 99], [false, false, true, false]),
      ([80, 61, 80], [true, false, false]),
      ([80, 59, 80], [true, false, true]),
    ] as [([UInt64], [Bool])])
  func fillLevel(uses: [UInt64], warnings: [Bool]) {
    var level = FillLevel()
    let actual = uses.map { level.reachesWarning($0, of: 100) }
    #expect(actual == warnings)
  }

  @Test("A quota of zero causes no warning")
  func emptyQuota() {
    var level = FillLevel()
    let warns = level.reachesWarning(0, of: 0)
    #expect(!warns)
  }

  @Test(
    "`GrowthGate` is closed while memory is short or new data is refused, so that the session does not grow"
  )
  func growth() {
    var gate = GrowthGate()
    #expect(!gate.isClosed)
    gate.memoryPressure = 5
    gate.dataRefusal = .noRoom(.storageFull, "full", limit: 1, actual: 2)
    gate.memoryPressure = nil
    #expect(gate.isClosed)
    gate.dataRefusal = nil
    #expect(!gate.isClosed)
  }

  @Test("A turn is classified by its content: nothing, only changes of presence, or entries")
  func turns() {
    var turn = TurnSummary()
    func end(_ last: UInt64, presence: UInt64 = 0, unreliable: Bool = false, segment: Bool = false)
      -> TurnContent
    {
      turn.end(
        lastSequence: last, presenceEntries: presence, hasUnreliable: unreliable, hasNewSegment: segment)
      return turn.content
    }
    #expect(end(0) == .nothing)
    #expect(end(2, presence: 2) == .presence)
    #expect(end(4, presence: 1) == .entries(withPresence: true))
    #expect(end(5) == .entries(withPresence: false))
    #expect(end(5, unreliable: true) == .entries(withPresence: false))
    #expect(end(6, presence: 1, segment: true) == .entries(withPresence: true))
    #expect(end(6) == .nothing)
  }

  @Test(
    "A session without content is kept for `emptySessionKeepSeconds`; if it is damaged, for `sessionKeepSeconds`"
  )
  func expiry() {
    let limits = Limits()
    #expect(limits.keepSeconds(retainedBytes: 0, isDamaged: false) == limits.emptySessionKeepSeconds)
    #expect(limits.keepSeconds(retainedBytes: 1, isDamaged: false) == limits.sessionKeepSeconds)
    #expect(limits.keepSeconds(retainedBytes: 0, isDamaged: true) == limits.sessionKeepSeconds)
  }
}

@Suite("The empty period of a session is the time without active participants")
struct EmptyPeriodTests {
  private let now = MonotonicTime.zero.adding(seconds: 1_000)
  private let date = Date(timeIntervalSince1970: 50_000)

  @Test(
    "The start date of an empty period (without participants) is the present wall time minus the elapsed monotonic time"
  )
  func beginning() {
    var period = EmptyPeriod(since: .zero)
    #expect(period.date(now: now, date: date) == date - 1_000)
    period.begin(at: now)
    #expect(period.since == .zero, "the period has begun already")
    period.end()
    #expect(period.since == nil && period.date(now: now, date: date) == nil)
    period.begin(at: now)
    #expect(period.date(now: now.adding(seconds: 5), date: date) == date - 5)
  }

  @Test(
    "A restored empty period (the time without active participants) keeps the start date from its record until it ends"
  )
  func restored() {
    var period = EmptyPeriod(since: now)
    period.restore(date - 300, now: now, date: date)
    #expect(period.since == now.adding(seconds: -300))
    #expect(period.date(now: now, date: date + 9) == date - 300)
    period.end()
    period.begin(at: now)
    #expect(period.date(now: now, date: date) == date)
  }
}
