internal import Networking

/// One event as a line of logfmt (`key=value`, quoted if needed) or as a JSON object.
package struct LogLine {
  package let time: LogTime
  package let level: Log.Level
  package let event: String
  package let fields: KeyValuePairs<String, LogValue>
  private let addresses: Log.AddressDetail

  /// Creates a line.
  package init(
    time: LogTime, level: Log.Level, event: String, fields: KeyValuePairs<String, LogValue>,
    addresses: Log.AddressDetail = .full
  ) {
    self.addresses = addresses
    self.time = time
    self.level = level
    self.event = event
    self.fields = fields
  }

  /// Returns the line in UTF-8. It ends with its only line feed: line feeds in the fields are escaped.
  package func bytes(in format: Log.Format) -> [UInt8] {
    // This function runs on the reactor's thread for each join and close. It uses one buffer, to save allocations.
    var line: [UInt8] = []
    line.reserveCapacity(256)
    switch format {
    case .text: writeLogfmt(to: &line)
    case .json: writeJSON(to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private func writeLogfmt(to line: inout [UInt8]) {
    line.append(contentsOf: "time=".utf8)
    line.append(contentsOf: time.description.utf8)
    line.append(contentsOf: " level=".utf8)
    line.append(contentsOf: level.rawValue.utf8)
    line.append(contentsOf: " event=".utf8)
    Self.write(logfmt: event, to: &line)
    for (key, value) in fields {
      line.append(UInt8(ascii: " "))
      line.append(contentsOf: key.utf8)
      line.append(UInt8(ascii: "="))
      switch value {
      case .string(let text): Self.write(logfmt: text, to: &line)
      case .address(let address): Self.write(logfmt: text(of: address), to: &line)
      case .integer(let number): line.append(contentsOf: String(number).utf8)
      case .boolean(let flag): line.append(contentsOf: String(flag).utf8)
      }
    }
  }

  private func writeJSON(to line: inout [UInt8]) {
    line.append(contentsOf: #"{"time":""#.utf8)
    line.append(contentsOf: time.description.utf8)
    line.append(contentsOf: #"","level":""#.utf8)
    line.append(contentsOf: level.rawValue.utf8)
    line.append(contentsOf: #"","event":"#.utf8)
    JSONText.append(event, to: &line)
    for (key, value) in fields {
      line.append(UInt8(ascii: ","))
      JSONText.append(key, to: &line)
      line.append(UInt8(ascii: ":"))
      switch value {
      case .string(let text): JSONText.append(text, to: &line)
      case .address(let address): JSONText.append(text(of: address), to: &line)
      case .integer(let number): line.append(contentsOf: String(number).utf8)
      case .boolean(let flag): line.append(contentsOf: String(flag).utf8)
      }
    }
    line.append(UInt8(ascii: "}"))
  }

  private func text(of address: IPAddress?) -> String {
    guard let address else { return "" }
    return switch addresses {
    case .full: "\(address)"
    case .masked: "\(address.masked)"
    case .off: ""
    }
  }

  private static func write(logfmt text: String, to line: inout [UInt8]) {
    let needsQuotes =
      text.isEmpty
      || text.unicodeScalars.contains { scalar in
        scalar.value <= 0x20 || scalar == "\"" || scalar == "=" || scalar == "\\"
          || JSONText.mustBeEscaped(scalar)
      }
    if needsQuotes { JSONText.append(text, to: &line) } else { line.append(contentsOf: text.utf8) }
  }
}

/// Strings in JSON (RFC 8259 §7) that are safe to print on terminals.
package enum JSONText {
  /// Appends the text as `quoted` returns it, but without a temporary string if no character must be escaped.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let isPlain = text.utf8.allSatisfy {
      $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isPlain else { return bytes.append(contentsOf: quoted(text).utf8) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Returns the text in quotes. Quotes, backslashes and all characters that end a line or control a terminal are escaped.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default:
        if mustBeEscaped(scalar) {
          for unit in scalar.utf16 { quoted += escape(unit) }
        } else {
          quoted.unicodeScalars.append(scalar)
        }
      }
    }
    return quoted + "\""
  }

  /// Returns true for control characters, line and paragraph separators, and format characters (such as those that set the text
  /// direction).
  package static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    // An ASCII character needs no lookup in Unicode's tables. The lookup would take as long as all other work on a log line.
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
