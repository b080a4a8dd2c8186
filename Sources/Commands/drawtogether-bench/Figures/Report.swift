internal import Wire

/// The result of a run: an ordered list of figures, each with a name for programs and a label for people.
struct Report: Sendable {
  /// The unit of a figure. The name of a figure contains its unit.
  enum Unit: String, CaseIterable, Sendable {
    case bytes
    case kibibytes = "KiB"
    case mebibytes = "MiB"
    case seconds = "s"
    case microseconds = "us"
    case percent = "%"
    case perSecond = "/s"
    case mebibytesPerSecond = "MiB/s"

    /// Returns true if a name contains the unit, as in `latencyP50Microseconds` or `bytesPerJoin`.
    func isNamed(in name: String) -> Bool {
      switch self {
      case .bytes: name.contains("Bytes") || name.hasPrefix("bytes")
      case .kibibytes: name.contains("KiB")
      case .mebibytes: name.contains("MiB")
      case .seconds: name.contains("Seconds") || name == "seconds"
      case .microseconds: name.contains("Microseconds")
      case .percent: name.contains("Percent")
      case .perSecond: name.contains("PerSecond")
      case .mebibytesPerSecond: name.contains("MiBPerSecond")
      }
    }
  }

  private enum Value: Sendable {
    case text(String)
    case count(Int)
    case number(Double)
    case flag(Bool)
  }

  private struct Figure: Sendable {
    let name: String
    let label: String
    let value: Value
    let unit: Unit?

    init(_ name: String, _ label: String, _ value: Value, _ unit: Unit? = nil) {
      precondition(unit?.isNamed(in: name) ?? true, "the name of a figure must contain its unit")
      self.name = name
      self.label = label
      self.value = value
      self.unit = unit
    }
  }

  private var figures: [Figure] = []
  /// The warnings about doubtful figures. Each warning has one or more sentences.
  private(set) var warnings: [String] = []

  /// Adds a text.
  mutating func add(_ name: String, _ label: String, _ text: String) {
    figures.append(Figure(name, label, .text(text)))
  }

  /// Adds a whole number, unless it is nil.
  mutating func add(_ name: String, _ label: String, _ count: Int?, _ unit: Unit? = nil) {
    guard let count else { return }
    figures.append(Figure(name, label, .count(count), unit))
  }

  /// Adds a number, rounded to four decimal places, unless it is nil.
  mutating func add(_ name: String, _ label: String, _ number: Double?, _ unit: Unit? = nil) {
    guard let number, number.isFinite else { return }
    figures.append(Figure(name, label, .number(number), unit))
  }

  /// Adds a boolean.
  mutating func add(_ name: String, _ label: String, _ flag: Bool) {
    figures.append(Figure(name, label, .flag(flag)))
  }

  /// Adds the number of earlier connections of the server, unless it is nil. Warns if the number exceeds a tenth of the run's
  /// sockets: the server reuses the memory of these connections, so the measured memory per socket would be too low.
  mutating func add(connectionsBefore: Int?, sockets: Int) {
    guard let connectionsBefore else { return }
    add("connectionsBefore", "connections of the server before the run", connectionsBefore)
    guard connectionsBefore * 10 > sockets else { return }
    warn(
      "The server had \(connectionsBefore) connections before this run and reuses their memory. "
        + "The memory per socket cannot be measured. Restart the server to measure it.")
  }

  /// Adds a warning.
  mutating func warn(_ sentence: String) {
    warnings.append(sentence)
  }

  /// The report with one figure per line.
  var text: String {
    let width = figures.map(\.label.count).max() ?? 0
    return figures.map { figure in
      let gap = String(repeating: " ", count: width - figure.label.count + 2)
      let unit = figure.unit.map { " " + $0.rawValue } ?? ""
      return figure.label + gap + Self.text(figure.value) + unit + "\n"
    }.joined()
  }

  /// The report as one flat JSON object in a line.
  var json: String {
    var writer = JSONWriter()
    writer.object { writer in
      for figure in figures {
        writer.name(figure.name)
        switch figure.value {
        case .text(let text): writer.write(text)
        case .count(let count): writer.write(count)
        case .number(let number): writer.write(json: Self.rounded(number).description.utf8)
        case .flag(let flag): writer.write(flag)
        }
      }
      writer.name("warnings")
      writer.array { writer in
        for warning in warnings {
          writer.element()
          writer.write(warning)
        }
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }

  /// Returns a number with about three significant digits, the precision of the measurements.
  private static func readable(_ number: Double) -> String {
    switch abs(number) {
    case 100...: Int(number.rounded()).description
    case 10...: ((number * 10).rounded() / 10).description
    default: ((number * 1000).rounded() / 1000).description
    }
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .text(let text): text
    case .count(let count): count.description
    case .number(let number): readable(number)
    case .flag(let flag): flag ? "yes" : "no"
    }
  }

  private static func rounded(_ number: Double) -> Double {
    (number * 10_000).rounded() / 10_000
  }
}
