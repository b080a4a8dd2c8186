import Platform
import Primitives
import Testing

@testable import Gateway

@Suite("FairQueue shares the time of a turn among its elements")
struct FairQueueTests {
  /// A clock that shows the time that a test has set.
  private final class Clock {
    var time = MonotonicTime(nanoseconds: 0)
  }

  private let clock = Clock()
  private let queue: FairQueue<Int>

  init() {
    let clock = clock
    queue = FairQueue { clock.time }
  }

  /// Serves the queue for `time`, where each element takes the time `each`. Returns the served elements.
  private func serve(for time: Duration, each: Duration) -> [Int] {
    var served: [Int] = []
    queue.serve(for: time) { element, _ in
      served.append(element)
      clock.time = clock.time + each
    }
    return served
  }

  @Test(
    "Elements are served in their order until the time is used up; the remaining elements keep their order")
  func order() {
    for element in 1...5 { queue.append(element) }
    #expect(serve(for: .milliseconds(4), each: .milliseconds(2)) == [1, 2])
    queue.append(6)
    #expect(serve(for: .milliseconds(4), each: .milliseconds(2)) == [3, 4])
    #expect(serve(for: .milliseconds(4), each: .milliseconds(1)) == [5, 6])
    #expect(queue.isEmpty)
  }

  @Test("The first element is served even if it takes longer than the available time")
  func slowElement() {
    for element in 1...2 { queue.append(element) }
    #expect(serve(for: .milliseconds(1), each: .seconds(1)) == [1])
    #expect(serve(for: .milliseconds(1), each: .seconds(1)) == [2])
  }

  @Test(
    "An element that is appended while the queue is served waits for the next call, behind the remaining elements"
  )
  func appendedMeanwhile() {
    for element in 1...3 { queue.append(element) }
    var served: [Int] = []
    queue.serve(for: .milliseconds(2)) { element, _ in
      served.append(element)
      queue.append(element + 10)
      clock.time = clock.time + .milliseconds(1)
    }
    #expect(served == [1, 2])
    #expect(serve(for: .seconds(1), each: .zero) == [3, 11, 12])
  }

  @Test(
    "Each element gets an equal share of the time, and at least 50 µs", arguments: [(4, 1000), (1000, 50)])
  func share(count: Int, microseconds: Int64) {
    for element in 0..<count { queue.append(element) }
    var shares: Set<Int64> = []
    queue.serve(for: .milliseconds(4)) { _, end in shares.insert((end - clock.time).wholeNanoseconds) }
    #expect(shares == [microseconds * 1000])
  }

  @Test(
    "No element is served if `mayServe` returns false; all are served if it returns true, even with 0 ms of time"
  )
  func callersRule() {
    for element in 1...3 { queue.append(element) }
    queue.serve(for: .seconds(1), mayServe: { _, _ in false }) { _, _ in Issue.record("an element was served")
    }
    var served: [Int] = []
    queue.serve(for: .zero, mayServe: { _, _ in true }) { element, _ in served.append(element) }
    #expect(served == [1, 2, 3])
  }
}
