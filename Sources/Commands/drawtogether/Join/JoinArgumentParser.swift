internal import CommandSupport
internal import FoundationEssentials
internal import Gateway

/// Parses the command line of `join`: a link, an action, its operands, and flags anywhere between them.
struct JoinArgumentParser {
  /// A parsed command line.
  enum Invocation: Equatable {
    case help
    case request(JoinRequest)
  }

  /// The actions, as a phrase.
  static let actions = "watch, say, attach or tail"

  private static let commonFlags = ["certificates", "name", "color"]
  /// The additional flags of each action.
  private static let flags: [String: [String]] = [
    "watch": ["once"], "say": ["at"], "attach": ["at", "size"],
    "tail": ["since-start"],
  ]
  /// The maximum number of characters of a name.
  private static let maximumNameLength = 64
  private static let switches = ["once", "since-start"]
  private static let expected: [String: String] = [
    "certificates": "a PEM file", "name": "1 to 64 characters", "color": "# and six hexadecimal digits",
    "at": "X,Y in points of the canvas, within ±1000000", "size": "a width in points, from 1 to 1000000",
  ]

  private var operands: [String] = []
  private var values: [String: String] = [:]

  /// Parses the arguments after `join`.
  static func parse(_ arguments: [String]) throws(CommandError) -> Invocation {
    var parser = JoinArgumentParser()
    guard try parser.take(arguments) else { return .help }
    return .request(try parser.request())
  }

  /// Separates operands from flags. Returns false for `--help`.
  private mutating func take(_ arguments: [String]) throws(CommandError) -> Bool {
    var reader = CommandLineReader(arguments, endsFlagsAtDashes: true)
    while let argument = reader.next() {
      switch argument {
      case .flag(CommandLineReader.Flag(name: "help", attachedValue: nil)): return false
      case .operand("-h") where reader.takesFlags: return false
      case .flag(let flag): try take(flag, &reader)
      case .operand(let operand): operands.append(operand)
      }
    }
    return true
  }

  private mutating func take(_ flag: CommandLineReader.Flag, _ reader: inout CommandLineReader)
    throws(CommandError)
  {
    let name = flag.name
    let known = Self.commonFlags + Self.flags.values.flatMap(\.self)
    guard known.contains(name) else {
      throw .unknownJoinFlag("--\(name)")
    }
    guard !Self.switches.contains(name) else {
      guard flag.attachedValue == nil else { throw .valueOfSwitch("--\(name)") }
      values[name] = ""
      return
    }
    guard let value = reader.value(of: flag) else {
      throw .missingValue(setting: "--\(name)", expected: Self.expected[name] ?? "")
    }
    values[name] = value
  }

  private func request() throws(CommandError) -> JoinRequest {
    guard let link = operands.first else { throw .missingLink }
    guard operands.count > 1 else {
      // If the first operand is an action, the link is missing.
      guard Self.flags[link] == nil else { throw .missingLink }
      if URL(string: link)?.scheme?.hasPrefix("http") != true { throw .invalidLink(Self.shown(link)) }
      throw .missingAction
    }
    let (word, rest) = (operands[1], Array(operands[2...]))
    guard let own = Self.flags[word] else {
      throw Self.flags[link] == nil ? .unknownAction(Self.shown(word)) : .invalidLink(Self.shown(link))
    }
    let takes = own + Self.commonFlags
    if let wrong = values.keys.sorted().first(where: { !takes.contains($0) }) {
      throw .flagOfOtherAction("--\(wrong)", action: word, takes: takes.map { "--\($0)" })
    }
    return JoinRequest(
      link: link, certificates: values["certificates"], name: try name(), color: try color(),
      action: try action(word, rest))
  }

  private func action(_ word: String, _ rest: [String]) throws(CommandError) -> JoinRequest.Action {
    let most = word == "watch" || word == "tail" ? 0 : 1
    if rest.count > most, word != "say" { throw .extraOperand(Self.shown(rest[most]), action: word) }
    switch word {
    case "watch": return .watch(once: values["once"] != nil)
    case "tail": return .tail(sinceStart: values["since-start"] != nil)
    case "say":
      let text = rest.joined(separator: " ")
      guard TextMark.clean(text).contains(where: { !$0.isWhitespace }) else {
        throw .missingOperand("a text", action: word)
      }
      let whole = TextMark.clean(text, limit: .max)
      guard whole == TextMark.clean(text) else {
        throw .tooLong("say", limit: TextMark.maximumCharacters, actual: whole.unicodeScalars.count)
      }
      return .say(text, at: try point())
    default:
      guard let file = rest.first, !file.isEmpty else {
        throw .missingOperand("a file", action: word)
      }
      return .attach(file, at: try point(), width: try size())
    }
  }

  private func name() throws(CommandError) -> String? {
    guard let name = values["name"] else { return nil }
    guard name.contains(where: { !$0.isWhitespace }) else { throw refusal(of: "name", name) }
    let count = name.unicodeScalars.count
    guard count <= Self.maximumNameLength else {
      throw .tooLong("--name", limit: Self.maximumNameLength, actual: count)
    }
    return name
  }

  private func color() throws(CommandError) -> String? {
    guard let text = values["color"] else { return nil }
    guard let color = RGB(text) else { throw refusal(of: "color", text) }
    return color.description
  }

  private func point() throws(CommandError) -> PlanePoint? {
    guard let text = values["at"] else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1], PlanePoint(x: x, y: y).isOnPlane else {
      throw refusal(of: "at", text)
    }
    return PlanePoint(x: x, y: y)
  }

  private func size() throws(CommandError) -> Double? {
    guard let text = values["size"] else { return nil }
    guard let size = Double(text), (1...PlanePoint.reach).contains(size) else {
      throw refusal(of: "size", text)
    }
    return size
  }

  private func refusal(of flag: String, _ value: String) -> CommandError {
    .invalidJoinValue(Self.shown(value), flag: "--\(flag)", expected: Self.expected[flag] ?? "")
  }

  /// Returns a text as typed, without terminal controls, in at most 80 columns.
  private static func shown(_ text: String) -> String {
    CellWidth.fitted(TextMark.line(text), to: 80)
  }
}
