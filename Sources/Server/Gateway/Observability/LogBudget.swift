internal import Primitives

/// How many lines of a kind may come that peers can bring about as often as they like: some at once, then some a second.
struct LogBudget {
  private let burst: Double
  private let perSecond: Double
  private var left: Double
  private var filledAt: MonotonicTime?
  /// Lines that were left out and not told of.
  private(set) var leftOut: UInt64 = 0

  /// So many lines at once, and so many a second.
  init(burst: Int, perSecond: Int) {
    self.burst = Double(burst)
    self.perSecond = Double(perSecond)
    left = self.burst
  }

  /// Whether one more may be written now; else it is counted as left out.
  mutating func allows(now: MonotonicTime) -> Bool {
    fill(now)
    guard left >= 1 else {
      leftOut += 1
      return false
    }
    left -= 1
    return true
  }

  /// How many lines were left out, when that may be told now: nil while more would be.
  mutating func takeLeftOut(now: MonotonicTime) -> UInt64? {
    guard leftOut > 0 else { return nil }
    fill(now)
    guard left >= 1 else { return nil }
    left -= 1
    defer { leftOut = 0 }
    return leftOut
  }

  private mutating func fill(_ now: MonotonicTime) {
    if let filledAt {
      let seconds = Double((now - filledAt).wholeNanoseconds) / 1e9
      left = min(burst, left + max(0, seconds) * perSecond)
    }
    filledAt = now
  }
}
