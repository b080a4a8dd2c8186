import Testing
import Primitives

@testable import Gateway

/// How many lines peers can bring about.
@Suite("Lines about what peers do")
struct LogBudgetTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  @Test("Some come at once, then some a second; the rest is counted, and told when there is room again")
  func bounds() {
    var budget = LogBudget(burst: 20, perSecond: 5)
    #expect((0..<1000).count { _ in budget.allows(now: start) } == 20)
    #expect(budget.takeLeftOut(now: start) == nil)
    let second = start + .seconds(1)
    #expect((0..<1000).count { _ in budget.allows(now: second) } == 5)
    #expect(budget.takeLeftOut(now: second + .milliseconds(100)) == nil)
    #expect(budget.takeLeftOut(now: second + .milliseconds(200)) == 1975)
    #expect(budget.takeLeftOut(now: second + .seconds(60)) == nil)
    #expect((0..<1000).count { _ in budget.allows(now: second + .seconds(60)) } == 20)
  }

  @Test("Who is refused a thousand times a second for a minute writes some three hundred lines")
  func flood() {
    var budget = LogBudget(burst: 20, perSecond: 5)
    let lines = (0..<60_000).count { budget.allows(now: start + .milliseconds($0)) }
    #expect((310...325).contains(lines))
    #expect(budget.leftOut == UInt64(60_000 - lines))
  }
}
