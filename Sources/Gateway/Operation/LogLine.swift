/// One event as it is written: logfmt (`key=value`, quoted where needed) or a JSON object, in one line.
package struct LogLine {
  package let time: LogTime
  package let level: Log.Level
  package let event: String
  package let fields: KeyValuePairs<String, LogValue>

  /// A line of its parts.
  package init(time: LogTime, level: Log.Level, event: String, fields: KeyValuePairs<String, LogValue>) {
    self.time = time
    self.level = level
    self.event = event
    self.fields = fields
  }

  /// The line in UTF-8 with its line feed; whatever the fields hold, there is no other one in it.
  package func bytes(in format: Log.Format) -> [UInt8] {
    let text =
      switch format {
      case .text: logfmt
      case .json: json
      }
    return Array(text.utf8)
  }

  private var logfmt: String {
    var line = "time=\(time) level=\(level.rawValue) event=\(Self.logfmtValue(event))"
    for (key, value) in fields {
      line += " \(key)=\(Self.logfmtValue(value))"
    }
    return line + "\n"
  }

  private var json: String {
    var line = "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"event\":\(JSONText.quoted(event))"
    for (key, value) in fields {
      line += ",\(JSONText.quoted(key)):"
      switch value {
      case .string(let text): line += JSONText.quoted(text)
      case .integer(let number): line += String(number)
      case .boolean(let flag): line += String(flag)
      }
    }
    return line + "}\n"
  }

  private static func logfmtValue(_ value: LogValue) -> String {
    switch value {
    case .string(let text): logfmtValue(text)
    case .integer(let number): String(number)
    case .boolean(let flag): String(flag)
    }
  }

  private static func logfmtValue(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty
      || text.unicodeScalars.contains { scalar in
        scalar.value <= 0x20 || scalar == "\"" || scalar == "=" || scalar == "\\"
          || JSONText.mustBeEscaped(scalar)
      }
    return needsQuotes ? JSONText.quoted(text) : text
  }
}

/// A text as JSON writes it (RFC 8259 §7), safe to show on a terminal.
enum JSONText {
  /// The text in quotes; quotes, backslashes and everything that could end a line or steer a terminal escaped.
  static func quoted(_ text: String) -> String {
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

  /// Controls, line and paragraph separators, and marks that turn the direction of writing.
  static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
