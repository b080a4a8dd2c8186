internal import Gateway
internal import Wire

extension Setting {
  /// One setting for each limit in `Limits.all`.
  static let limits: [Setting] = Limits.all.map { limit in
    let notation = Notation(limit.unit)
    let range = limit.range
    let least = notation.describe(range.lowerBound)
    let most = notation.describe(range.upperBound)
    return Setting(
      String(limit.flag.dropFirst(2)), notation.placeholder,
      expects: notation.expected(from: least, to: most),
      help: limit.help,
      apply: { text, configuration in
        guard let value = notation.read(text), range.contains(value) else { return false }
        configuration.limits[keyPath: limit.keyPath] = value
        return true
      },
      show: { notation.describe($0.limits[keyPath: limit.keyPath]) })
  }

  /// Returns the value of a limit in the syntax of its flag.
  static func describe(_ limit: LimitDescription, in limits: Limits) -> String {
    Notation(limit.unit).describe(limits[keyPath: limit.keyPath])
  }
}

/// The syntax of a limit's value.
private enum Notation {
  case size
  case time
  case count

  init(_ unit: LimitDescription.Unit) {
    self =
      switch unit {
      case .bytes: .size
      case .seconds: .time
      case .entries, .participants, .sessions, .connections, .attachments, .uploads: .count
      }
  }

  /// The placeholder in the help.
  var placeholder: String {
    switch self {
    case .size: "SIZE"
    case .time: "TIME"
    case .count: "N"
    }
  }

  func expected(from least: String, to most: String) -> String {
    switch self {
    case .size: "a size from \(least) to \(most), in bytes or with a suffix K, M, G or T"
    case .time: "a time from \(least) to \(most), in seconds or with units, such as 1m30s"
    case .count: "a whole number from \(least) to \(most)"
    }
  }

  func read(_ text: String) -> Int? {
    switch self {
    case .size: SettingValue.size(text)
    case .time: SettingValue.seconds(text)
    case .count: SettingValue.count(text)
    }
  }

  func describe(_ value: Int) -> String {
    switch self {
    case .size: SettingValue.describe(size: value)
    case .time: SettingValue.describe(seconds: value)
    case .count: String(value)
    }
  }
}
