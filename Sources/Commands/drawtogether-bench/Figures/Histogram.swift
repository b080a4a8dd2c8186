/// Counts values, in 128 steps for each power of two: what it says of them is low by at most one in 128.
struct Histogram: Sendable {
  private static let stepBits = 7
  private static let steps = 1 << stepBits

  private var counts = [UInt32](repeating: 0, count: (64 - stepBits + 1) << stepBits)
  /// How many values were counted.
  private(set) var total = 0
  /// The greatest of them, exactly.
  private(set) var maximum: UInt64 = 0

  /// Counts a value.
  mutating func record(_ value: UInt64) {
    counts[Self.index(of: value)] &+= 1
    total += 1
    if value > maximum { maximum = value }
  }

  /// The least step that so large a share of the values, 0 to 1, are not above; 0 without values.
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

  /// Values below 128 have a step each; above, the seven bits behind the first say which.
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
