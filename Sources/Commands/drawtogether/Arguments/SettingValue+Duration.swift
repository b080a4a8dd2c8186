/// Durations such as `90s`, `1h30m`, `500ms`, `30d`.
extension SettingValue {
  /// The units in milliseconds, longest first.
  private static let units: [(name: String, milliseconds: Int)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]

  /// Parses whole seconds: a plain number, or numbers with units, longer units first.
  static func seconds(_ text: String) -> Int? {
    guard let time = milliseconds(text, plain: 1_000), time.isMultiple(of: 1_000) else { return nil }
    return time / 1_000
  }

  /// Parses whole milliseconds: a plain number, or numbers with units. A plain number is multiplied by `plain`.
  static func milliseconds(_ text: String, plain: Int = 1) -> Int? {
    if let number = count(text) { return Self.product(number, plain) }
    var rest = text.lowercased()[...]
    var sum = 0
    var longest = Int.max
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      let unit = rest[digits.endIndex...].prefix { $0.isLetter }
      // `m` is a minute. Months have no unit, to avoid confusion.
      let name = unit == "min" ? "m" : unit
      guard let number = count(String(digits)), let known = units.first(where: { $0.name == name }),
        known.milliseconds < longest, let part = Self.product(number, known.milliseconds)
      else { return nil }
      longest = known.milliseconds
      let (total, overflows) = sum.addingReportingOverflow(part)
      guard !overflows else { return nil }
      sum = total
      rest = rest[unit.endIndex...]
    }
    return text.isEmpty ? nil : sum
  }

  /// Returns a duration in the syntax that `seconds(_:)` parses.
  static func describe(seconds: Int) -> String {
    seconds == 0 ? "0s" : describe(milliseconds: seconds * 1_000)
  }

  /// Returns a duration in the syntax that `milliseconds(_:plain:)` parses.
  static func describe(milliseconds: Int) -> String {
    guard milliseconds != 0 else { return "0ms" }
    var text = ""
    var rest = milliseconds
    for (name, length) in units where rest >= length {
      text += "\(rest / length)\(name)"
      rest %= length
    }
    return text
  }

  private static func product(_ number: Int, _ factor: Int) -> Int? {
    let (result, overflows) = number.multipliedReportingOverflow(by: factor)
    return overflows ? nil : result
  }
}
