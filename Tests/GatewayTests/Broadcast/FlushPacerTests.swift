import Testing
import Primitives

@testable import Gateway

/// The delays of entries in busy sessions.
struct FlushPacerTests {
  /// Simulates a session that gets a message at each of these times (ms).
  ///
  /// - Returns: the number of messages in each flush, and the longest wait of a message.
  private func play(_ times: [Double], interval: Duration, isFixed: Bool = false) -> (
    flushes: [Int], longest: Duration
  ) {
    var pacer = FlushPacer()
    var waiting: [MonotonicTime] = []
    var flushes: [Int] = []
    var longest = Duration.zero
    func flush(_ now: MonotonicTime) {
      pacer.flushed(messages: waiting.count, now: now)
      flushes.append(waiting.count)
      for began in waiting { longest = max(longest, now - began) }
      waiting = []
    }
    for time in times {
      let now = MonotonicTime(nanoseconds: Int64(time * 1_000_000))
      if let until = pacer.heldUntil, until <= now { flush(until) }
      waiting.append(now)
      if pacer.waits(interval, isFixed: isFixed, now: now) == nil { flush(now) }
    }
    return (flushes, longest)
  }

  @Test("if less than 70 % of the loop's time is busy, all entries are sent without delay")
  func atOnce() {
    #expect(FlushPacer.interval(load: 0) == .zero)
    #expect(FlushPacer.interval(load: 0.7) == .zero)
    let (flushes, longest) = play((0..<1000).map { Double($0) }, interval: .zero)
    #expect(flushes == Array(repeating: 1, count: 1000))
    #expect(longest == .zero)
  }

  @Test("the busier the loop, the longer entries may wait, up to 16 ms")
  func intervals() {
    let intervals = stride(from: 0.7, through: 1, by: 0.05).map { FlushPacer.interval(load: $0) }
    #expect(zip(intervals, intervals.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(FlushPacer.interval(load: 0.825) > .milliseconds(7))
    #expect(FlushPacer.interval(load: 1) == .milliseconds(16))
  }

  @Test("many single messages are flushed together, and no message waits longer than the interval")
  func together() {
    // A message arrives every 3 ms, as with five participants that draw at 60 Hz.
    let (flushes, longest) = play((0..<10_000).map { 3 * Double($0) }, interval: .milliseconds(12))
    #expect(Double(flushes.count) < 10_000 / 3)
    #expect(longest <= .milliseconds(12))
  }

  @Test("a message that arrives after a pause is flushed immediately")
  func afterAPause() {
    let (flushes, longest) = play((0..<100).map { 20 * Double($0) }, interval: .milliseconds(16))
    #expect(flushes == Array(repeating: 1, count: 100))
    #expect(longest == .zero)
  }

  @Test("if each message is sent only after the previous one was flushed, flushes soon become immediate")
  func oneAtATime() {
    // Each message arrives 0.3 ms after the flush of the previous message.
    var pacer = FlushPacer()
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var waits = 0
    for _ in 0..<10_000 {
      if let until = pacer.waits(.milliseconds(16), now: now) {
        waits += 1
        now = until
        #expect(pacer.waits(.milliseconds(16), now: now) == nil)
      }
      pacer.flushed(messages: 1, now: now)
      now = now + .microseconds(300)
    }
    #expect(waits < 20)
  }

  @Test("flushes are delayed again when participants no longer wait for the previous flush before they send")
  func tryingAgain() {
    let waitingForEachOther = (0..<2000).map { 0.3 * Double($0) }
    let free = (0..<20_000).map { 600 + 1.0 * Double($0) }
    let (flushes, _) = play(waitingForEachOther + free, interval: .milliseconds(16))
    #expect(flushes.suffix(100).reduce(0, +) > 500)
  }

  @Test("a configured flush interval applies at any load of the loop")
  func fixed() {
    let (flushes, longest) = play((0..<400).map { 5 * Double($0) }, interval: .milliseconds(4), isFixed: true)
    #expect(flushes == Array(repeating: 1, count: 400))
    #expect(longest == .zero)
    let (joined, _) = play((0..<400).map { Double($0) }, interval: .milliseconds(4), isFixed: true)
    #expect(joined.dropFirst(2).allSatisfy { $0 >= 4 })
  }
}

/// The measured load of a loop.
struct LoopLoadTests {
  private func load(_ turns: [(busy: Double, idle: Double)]) -> Double {
    let load = LoopLoad()
    var now = MonotonicTime(nanoseconds: 0)
    for (busy, idle) in turns {
      let end = now + .microseconds(Int64(busy * 1000))
      load.turned(from: now, to: end)
      now = end + .microseconds(Int64(idle * 1000))
    }
    return load.value
  }

  @Test(
    "the load of a loop is its share of busy time",
    arguments: [(0.1, 9.9, 0.01), (1, 1, 0.5), (0.05, 0.05, 0.5), (30, 10, 0.75), (3, 0, 1)])
  func share(busy: Double, idle: Double, expected: Double) {
    let value = load(Array(repeating: (busy, idle), count: 2000))
    #expect(abs(value - expected) < 0.1)
  }

  @Test("the time of asynchronous jobs that run between turns counts as load of the loop")
  func jobs() {
    let load = LoopLoad()
    var now = MonotonicTime(nanoseconds: 0)
    for _ in 0..<1000 {
      let start = now + .microseconds(900)
      let end = start + .microseconds(50)
      load.turned(jobsBegan: now, from: start, to: end)
      now = end + .microseconds(50)
    }
    #expect(abs(load.value - 0.95) < 0.02)
  }

  @Test("time spent on expensive input does not count as load")
  func yielding() {
    let load = LoopLoad()
    var now = MonotonicTime(nanoseconds: 0)
    for _ in 0..<1000 {
      let end = now + .milliseconds(1)
      load.turned(from: now, to: end, yielding: .microseconds(900))
      now = end
    }
    #expect(abs(load.value - 0.1) < 0.02)
  }

  @Test("the measured load follows a change within a few hundredths of a second")
  func change() {
    let busy = Array(repeating: (busy: 1.0, idle: 0.0), count: 100)
    #expect(load(busy + [(0.01, 200), (0.01, 1)]) < 0.2)
    #expect(load([(0.01, 5000)] + busy) > 0.9)
  }
}
