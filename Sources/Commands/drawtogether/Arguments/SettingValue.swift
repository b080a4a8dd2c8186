internal import Gateway

/// Parsers and printers for the values of settings. A parser returns nil for invalid text.
enum SettingValue {
  /// Parses `true`, `yes`, `on`, `1` or their opposites, in upper or lower case.
  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }

  /// Parses a whole number that consists of decimal digits only.
  static func count(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Parses a number of bytes. The suffixes K, M, G and T (or KB, KiB, …) are powers of 1,024.
  static func size(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = count(String(digits)) else { return nil }
    let shift: Int
    switch text[digits.endIndex...].lowercased() {
    case "": shift = 0
    case "k", "kb", "kib": shift = 10
    case "m", "mb", "mib": shift = 20
    case "g", "gb", "gib": shift = 30
    case "t", "tb", "tib": shift = 40
    default: return nil
    }
    let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << shift)
    return overflows ? nil : bytes
  }

  /// Parses an address or `off`. The outer optional is nil for invalid text; the inner optional is nil for `off`.
  static func listener(_ text: String) -> ListenAddress?? {
    if text.lowercased() == "off" { return .some(nil) }
    return ListenAddress(text).map { .some($0) }
  }

  /// Parses one or more origins, separated by commas or spaces.
  static func origins(_ text: String) -> [WebOrigin]? {
    var origins: [WebOrigin] = []
    for part in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
      guard let origin = WebOrigin(String(part)) else { return nil }
      if !origins.contains(origin) { origins.append(origin) }
    }
    return origins.isEmpty ? nil : origins
  }

  /// Parses the path of a file or a directory: not empty and without NUL.
  static func path(_ text: String) -> String? {
    text.isEmpty || text.utf8.contains(0) ? nil : text
  }

  /// Parses 1–256 visible ASCII characters, which fit into a header field.
  static func token(_ text: String) -> String? {
    (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? text : nil
  }

  /// Parses an origin that browsers can open: no wildcard address.
  static func publicURL(_ text: String) -> WebOrigin? {
    guard let origin = WebOrigin(text), !["0.0.0.0", "[::]"].contains(origin.host) else { return nil }
    return origin
  }

  /// Returns a size with the largest suffix that divides it, in the syntax of `size`.
  static func describe(size: Int) -> String {
    for (shift, suffix) in [(40, "T"), (30, "G"), (20, "M"), (10, "K")]
    where size != 0 && size % (1 << shift) == 0 {
      return "\(size >> shift)\(suffix)"
    }
    return String(size)
  }

  /// Returns a measured size with a suffix K, M, G or T, rounded to two digits or to the whole unit: `17`, `1.3G`, `20G`.
  static func rough(size: UInt64) -> String {
    var value = Double(size)
    var suffix = ""
    for next in ["K", "M", "G", "T"] where value >= 1_023.5 {
      value /= 1_024
      suffix = next
    }
    let tenths = Int((value * 10).rounded())
    return suffix.isEmpty || tenths >= 100 || tenths % 10 == 0
      ? "\((tenths + 5) / 10)\(suffix)" : "\(tenths / 10).\(tenths % 10)\(suffix)"
  }
}
