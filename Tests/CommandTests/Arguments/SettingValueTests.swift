import Testing

@testable import drawtogether

/// The syntax of sizes and durations.
@Suite("Sizes and durations in settings are parsed and printed")
struct SettingValueTests {
  @Test(
    "A duration is parsed from a number of seconds, or from numbers with units",
    arguments: [
      ("90", 90), ("90s", 90), ("0", 0), ("0s", 0), ("2m", 120), ("2min", 120), ("1h30m", 5_400),
      ("30d", 2_592_000),
      ("1d12h", 129_600), ("3000ms", 3), ("1S", 1), ("007", 7),
    ])
  func seconds(_ text: String, _ seconds: Int) {
    #expect(SettingValue.seconds(text) == seconds)
  }

  @Test(
    "Durations that are invalid or contain fractions of seconds are rejected",
    arguments: [
      "", " ", "s", "-1", "+1", "1.5h", "500ms", "30m1h", "1m1m", "10x", "1h30", "1 h", "5s ", "1w", "1mo",
      "9223372036854775807", "9223372036854775807d", "99999999999999999999", "\u{0661}s",
    ])
  func noSeconds(_ text: String) {
    #expect(SettingValue.seconds(text) == nil)
  }

  @Test(
    "In a setting with milliseconds, a number without a unit is a number of milliseconds",
    arguments: [("5", 5), ("5ms", 5), ("1s", 1_000)])
  func milliseconds(_ text: String, _ milliseconds: Int) {
    #expect(SettingValue.milliseconds(text) == milliseconds)
  }

  @Test(
    "A printed duration is parsed as the same value",
    arguments: [(0, "0s"), (1, "1s"), (90, "1m30s"), (600, "10m"), (86_400, "1d"), (100_000, "1d3h46m40s")])
  func shown(_ seconds: Int, _ text: String) {
    #expect(SettingValue.describe(seconds: seconds) == text)
    #expect(SettingValue.seconds(text) == seconds)
  }

  @Test(
    "A measured size is rounded, and printed with the unit K, M, G or T if it is 1,024 bytes or more",
    arguments: [
      (0, "0"), (17, "17"), (1_023, "1023"), (1_024, "1K"), (1_536, "1.5K"), (10_240, "10K"),
      (1_048_575, "1M"),
      (1_395_864_371, "1.3G"), (21_474_836_480, "20G"), (1 << 50, "1024T"),
    ] as [(UInt64, String)])
  func rough(_ size: UInt64, _ text: String) {
    #expect(SettingValue.rough(size: size) == text)
  }
}
