import Testing

@testable import drawtogether_bench

@Suite("A histogram counts values, and computes quantiles with a small error")
struct HistogramTests {
  @Test("A histogram records small values exactly")
  func exact() {
    var histogram = Histogram()
    for value in 1...100 as ClosedRange<UInt64> { histogram.record(value) }
    #expect(histogram.total == 100)
    #expect(histogram.quantile(0.5) == 50)
    #expect(histogram.quantile(0.99) == 99)
    #expect(histogram.quantile(1) == 100)
    #expect(histogram.maximum == 100)
  }

  @Test(
    "For a large value, the reported quantile is too low by at most 1/128 of the value",
    arguments: [127, 128, 129, 255, 256, 1_000, 65_535, 1_000_000, 123_456_789, UInt64.max])
  func large(_ value: UInt64) {
    var histogram = Histogram()
    histogram.record(value)
    // The second value raises the maximum. With `value` alone, the quantile would be limited to the maximum, which is exactly
    // `value`.
    histogram.record(.max)
    let told = histogram.quantile(0.5)
    #expect(told <= value)
    #expect(value - told <= value / 128)
  }

  @Test("At least 99 % of the values are less than or equal to the 0.99 quantile")
  func shares() {
    var histogram = Histogram()
    for _ in 0..<99 { histogram.record(10) }
    histogram.record(1_000_000)
    #expect(histogram.quantile(0.99) == 10)
    #expect(histogram.quantile(0.991) > 900_000)
  }

  @Test("A histogram without values has the quantile 0 and the maximum 0")
  func empty() {
    #expect(Histogram().quantile(0.5) == 0)
    #expect(Histogram().maximum == 0)
  }
}
