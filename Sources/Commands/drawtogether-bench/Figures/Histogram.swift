/// A histogram that divides each power of two into 128 equal ranges (steps). So a quantile is lower than the exact value by less
/// than 1 %.
struct Histogram: Sendable {
  private static let stepBits = 7
  private static let steps = 1 << stepBits

  private var counts = [UInt32](repeating: 0, count: (64 - stepBits + 1) << stepBits)
  /// The number of recorded values.
  private(set) var total = 0
  /// The exact maximum of the recorded values.
  private(set) var maximum: UInt64 = 0

  /// Counts a value.
  mutating func record(_ value: UInt64) {
    counts[Self.index(of: value)] &+= 1
    total += 1
    if value > maximum { maximum = value }
  }

  /// Returns the quantile for `share` (0 to 1), rounded down to the lowest value of its histogram bucket; 0 if no values were
  /// recorded.
  func quantile(_ share: Double) -> UInt64 {
    guard total > 0 else { return 0 }
    let wanted = max(1, Int((share * Double(total)).rounded(.up)))
    var seen = 0
    for (index, count) in counts.enumerated() where count > 0 {
      seen += Int(count)
      if seen >= wanted { return min(Self.value(at: index), maximum) }
    }
    return maximum
  }

  /// Returns the index of the step (range of values) that contains a value. Values below 128 have one step each. For a larger
  /// value, the seven bits after its highest bit select the step within the power of two.
  private static func index(of value: UInt64) -> Int {
    guard value >= UInt64(steps) else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount - stepBits
    return (exponent + 1) << stepBits + Int(value >> UInt64(exponent)) & (steps - 1)
  }

  private static func value(at index: Int) -> UInt64 {
    let exponent = index >> stepBits
    let step = UInt64(index & (steps - 1))
    return exponent == 0 ? step : (UInt64(steps) + step) << UInt64(exponent - 1)
  }
}
