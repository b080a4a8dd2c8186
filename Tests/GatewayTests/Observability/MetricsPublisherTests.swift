import Networking
import Primitives
import Testing

@testable import Gateway

@Suite("MetricsPublisher publishes the counters of a reactor at intervals")
struct MetricsPublisherTests {
  @Test("Counters are published at most every 20 ms, but during a drain after every turn")
  func interval() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let (clock, counters, board) = (LoopClock(start), ReactorCounters(), MetricsBoard(reactors: 1))
    let publisher = MetricsPublisher(board, reactor: 0, clock: clock, counters: counters)
    #expect(publisher.nextDeadline == nil)
    counters.values.turns = 1
    publisher.turnEnded(isDraining: false)
    #expect(board.total.turns == 1 && publisher.nextDeadline == nil)
    clock.set(start + .milliseconds(19))
    counters.values.turns = 2
    publisher.turnEnded(isDraining: false)
    #expect(board.total.turns == 1 && publisher.nextDeadline == start + .milliseconds(20))
    clock.set(start + .milliseconds(20))
    publisher.turnEnded(isDraining: false)
    #expect(board.total.turns == 2 && publisher.nextDeadline == nil)
    counters.values.turns = 3
    publisher.turnEnded(isDraining: true)
    #expect(board.total.turns == 3)
  }
}
