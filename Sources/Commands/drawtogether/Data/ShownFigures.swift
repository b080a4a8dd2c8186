internal import FoundationEssentials

/// Formats sizes, ages and texts for people.
enum ShownFigures {
  /// Returns a number of bytes in the largest unit in which it is at least 1: `17 B`, `1.5 MiB`.
  static func size(_ bytes: UInt64) -> String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var value = Double(bytes)
    var unit = "B"
    for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1023.95 || unit == "B" {
      value /= 1024
      unit = next
    }
    let tenths = Int((value * 10).rounded())
    return tenths >= 100 ? "\((tenths + 5) / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  /// Returns a duration in the largest unit in which it is at least 1, rounded down: `59 s`, `3 h`, `12 d`. A negative duration is
  /// `0 s`.
  static func age(seconds: Double) -> String {
    let seconds = seconds.isFinite ? Int(min(max(seconds, 0), 1e15)) : 0
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) d"
    }
  }

  /// Returns a text from a participant in one line without terminal controls: keeps only letters, marks, numbers, symbols,
  /// punctuation and spaces.
  static func line(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        continue
      default: shown.append(scalar)
      }
    }
    return String(shown)
  }
}
