internal import Wire

/// The result of a run: figures in an order, each with a name for programs and words for people.
struct Report: Sendable {
  /// What a figure counts: as people read it, and as its name says it to programs.
  enum Unit: String, CaseIterable, Sendable {
    case bytes
    case kibibytes = "KiB"
    case mebibytes = "MiB"
    case seconds = "s"
    case microseconds = "us"
    case percent = "%"
    case perSecond = "/s"
    case mebibytesPerSecond = "MiB/s"

    /// Whether a name says the unit, as in `latencyP50Microseconds` or `bytesPerJoin`.
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
    let words: String
    let value: Value
    let unit: Unit?

    init(_ name: String, _ words: String, _ value: Value, _ unit: Unit? = nil) {
      precondition(unit?.isNamed(in: name) ?? true, "a figure's name says its unit")
      self.name = name
      self.words = words
      self.value = value
      self.unit = unit
    }
  }

  private var figures: [Figure] = []
  /// What makes the figures doubtful, in sentences.
  private(set) var warnings: [String] = []

  /// Adds words.
  mutating func add(_ name: String, _ words: String, _ text: String) {
    figures.append(Figure(name, words, .text(text)))
  }

  /// Adds a whole number; nothing when there is none.
  mutating func add(_ name: String, _ words: String, _ count: Int?, _ unit: Unit? = nil) {
    guard let count else { return }
    figures.append(Figure(name, words, .count(count), unit))
  }

  /// Adds a number, which is rounded to four places; nothing when there is none.
  mutating func add(_ name: String, _ words: String, _ number: Double?, _ unit: Unit? = nil) {
    guard let number, number.isFinite else { return }
    figures.append(Figure(name, words, .number(number), unit))
  }

  /// Adds what is so or not.
  mutating func add(_ name: String, _ words: String, _ flag: Bool) {
    figures.append(Figure(name, words, .flag(flag)))
  }

  /// Adds how many connections a server had had before; nothing when that is not known. From a tenth of the run's own sockets
  /// on, its memory tells little.
  mutating func add(connectionsBefore: Int?, sockets: Int) {
    guard let connectionsBefore else { return }
    add("connectionsBefore", "connections the server had had before", connectionsBefore)
    guard connectionsBefore * 10 > sockets else { return }
    warn(
      "The server had had \(connectionsBefore) connections before: what they left of its memory is used again, so that what a "
        + "socket takes is not seen. Start it anew to see it.")
  }

  /// Adds a reason for doubt.
  mutating func warn(_ sentence: String) {
    warnings.append(sentence)
  }

  /// A figure in a line.
  var text: String {
    let width = figures.map(\.words.count).max() ?? 0
    return figures.map { figure in
      let gap = String(repeating: " ", count: width - figure.words.count + 2)
      let unit = figure.unit.map { " " + $0.rawValue } ?? ""
      return figure.words + gap + Self.shown(figure.value) + unit + "\n"
    }.joined()
  }

  /// One flat object in a line.
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

  /// Three figures are as much as any of these is good for.
  private static func readable(_ number: Double) -> String {
    switch abs(number) {
    case 100...: Int(number.rounded()).description
    case 10...: ((number * 10).rounded() / 10).description
    default: ((number * 1000).rounded() / 1000).description
    }
  }

  private static func shown(_ value: Value) -> String {
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
