internal import Wire

extension Setting {
  /// A setting for each limit of the contract.
  static let limits: [Setting] = Limits.all.map { limit in
    let range = limit.range
    let isSize = limit.unit == .bytes
    return Setting(
      String(limit.flag.dropFirst(2)), isSize ? "SIZE" : limit.unit == .seconds ? "S" : "N",
      accepts: isSize
        ? "a number of bytes from \(SettingValue.describe(size: range.lowerBound)) to "
          + "\(SettingValue.describe(size: range.upperBound)), where K, M and G are powers of 1,024"
        : "a whole number of \(limit.unit.rawValue) from \(range.lowerBound) to \(range.upperBound)",
      help: limit.help,
      apply: { text, configuration in
        guard let value = isSize ? SettingValue.size(text) : SettingValue.count(text), range.contains(value)
        else { return false }
        configuration.limits[keyPath: limit.keyPath] = value
        return true
      },
      show: { configuration in
        let value = configuration.limits[keyPath: limit.keyPath]
        return isSize ? SettingValue.describe(size: value) : String(value)
      })
  }
}
