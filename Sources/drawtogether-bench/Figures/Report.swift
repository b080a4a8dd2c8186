internal import Wire

/// The result of a run: figures in an order, each with a name for programs and words for people.
struct Report: Sendable {
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
    let unit: String
  }

  private var figures: [Figure] = []
  /// What makes the figures doubtful, in sentences.
  private(set) var warnings: [String] = []

  /// Adds words.
  mutating func add(_ name: String, _ words: String, _ text: String) {
    figures.append(Figure(name: name, words: words, value: .text(text), unit: ""))
  }

  /// Adds a whole number; nothing when there is none.
  mutating func add(_ name: String, _ words: String, _ count: Int?, _ unit: String = "") {
    guard let count else { return }
    figures.append(Figure(name: name, words: words, value: .count(count), unit: unit))
  }

  /// Adds a number, which is rounded to four places; nothing when there is none.
  mutating func add(_ name: String, _ words: String, _ number: Double?, _ unit: String = "") {
    guard let number, number.isFinite else { return }
    figures.append(Figure(name: name, words: words, value: .number(number), unit: unit))
  }

  /// Adds what is so or not.
  mutating func add(_ name: String, _ words: String, _ flag: Bool) {
    figures.append(Figure(name: name, words: words, value: .flag(flag), unit: ""))
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
      return figure.words + gap + Self.shown(figure.value) + (figure.unit.isEmpty ? "" : " " + figure.unit)
        + "\n"
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
