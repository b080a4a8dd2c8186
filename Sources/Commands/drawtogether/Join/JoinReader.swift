internal import FoundationEssentials
internal import Gateway

/// Reads the command line of `join`: a link, what to do there, its words, and flags anywhere between them.
struct JoinReader {
  /// What was asked.
  enum Reading: Equatable {
    case help
    case request(JoinRequest)
  }

  /// What can be done, for people.
  static let works = "watch, say, attach or tail"

  private static let everywhere = ["certificates", "name", "color"]
  /// The flags that each work has besides.
  private static let flags: [String: [String]] = [
    "watch": ["once"], "say": ["at"], "attach": ["at", "size"],
    "tail": ["since-start"],
  ]
  /// Characters of a name.
  private static let maximumName = 64
  private static let switches = ["once", "since-start"]
  private static let accepted: [String: String] = [
    "certificates": "a PEM file", "name": "1 to 64 characters", "color": "# and six hexadecimal digits",
    "at": "X,Y in points of the canvas, within ±1000000", "size": "a width in points, from 1 to 1000000",
  ]

  private var words: [String] = []
  private var values: [String: String] = [:]

  /// Reads the words behind `join`.
  static func read(_ arguments: [String]) throws(JoinUsageError) -> Reading {
    var reader = JoinReader()
    guard try reader.take(arguments) else { return .help }
    return .request(try reader.request())
  }

  /// Sorts words from flags; false: help is wanted.
  private mutating func take(_ arguments: [String]) throws(JoinUsageError) -> Bool {
    var rest = arguments[...]
    var takesFlags = true
    while let argument = rest.popFirst() {
      if takesFlags, argument == "--help" || argument == "-h" { return false }
      if takesFlags, argument == "--" {
        takesFlags = false
      } else if takesFlags, argument.hasPrefix("--") {
        try take(flag: argument, &rest)
      } else {
        words.append(argument)
      }
    }
    return true
  }

  private mutating func take(flag argument: String, _ rest: inout ArraySlice<String>) throws(JoinUsageError) {
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let known = Self.everywhere + Self.flags.values.flatMap(\.self)
    guard known.contains(name) else {
      throw .unknownFlag(
        "--\(name)", nearest: EditDistance.nearest(to: name, among: known + ["help"]).map { "--\($0)" })
    }
    let value = parts.count == 2 ? String(parts[1]) : nil
    guard !Self.switches.contains(name) else {
      guard value == nil else { throw .valueOfSwitch("--\(name)") }
      values[name] = ""
      return
    }
    guard let value = value ?? rest.popFirst() else {
      throw .missingValue("--\(name)", accepted: Self.accepted[name] ?? "")
    }
    values[name] = value
  }

  private func request() throws(JoinUsageError) -> JoinRequest {
    guard let link = words.first else { throw .noLink }
    guard words.count > 1 else {
      // Who wrote the work first left the link out.
      guard Self.flags[link] == nil else { throw .noLink }
      if URL(string: link)?.scheme?.hasPrefix("http") != true { throw .notALink(Self.shown(link)) }
      throw .noWork
    }
    let (word, rest) = (words[1], Array(words[2...]))
    guard let own = Self.flags[word] else {
      throw Self.flags[link] == nil ? .unknownWork(Self.shown(word)) : .notALink(Self.shown(link))
    }
    let takes = own + Self.everywhere
    if let wrong = values.keys.sorted().first(where: { !takes.contains($0) }) {
      throw .flagOfOther("--\(wrong)", work: word, takes: takes.map { "--\($0)" })
    }
    return JoinRequest(
      link: link, certificates: values["certificates"], name: try name(), color: try color(),
      work: try work(word, rest))
  }

  private func work(_ word: String, _ rest: [String]) throws(JoinUsageError) -> JoinRequest.Work {
    let most = word == "watch" || word == "tail" ? 0 : 1
    if rest.count > most, word != "say" { throw .unexpected(Self.shown(rest[most]), work: word) }
    switch word {
    case "watch": return .watch(once: values["once"] != nil)
    case "tail": return .tail(sinceStart: values["since-start"] != nil)
    case "say":
      let text = rest.joined(separator: " ")
      guard TextMark.clean(text).contains(where: { !$0.isWhitespace }) else {
        throw .missing("words", of: word)
      }
      let whole = TextMark.clean(text, limit: .max)
      guard whole == TextMark.clean(text) else {
        throw .tooLong("say", limit: TextMark.maximumCharacters, actual: whole.unicodeScalars.count)
      }
      return .say(text, at: try point())
    default:
      guard let file = rest.first, !file.isEmpty else {
        throw .missing("a file", of: word)
      }
      return .attach(file, at: try point(), width: try size())
    }
  }

  private func name() throws(JoinUsageError) -> String? {
    guard let name = values["name"] else { return nil }
    guard name.contains(where: { !$0.isWhitespace }) else { throw refusal(of: "name", name) }
    let count = name.unicodeScalars.count
    guard count <= Self.maximumName else { throw .tooLong("--name", limit: Self.maximumName, actual: count) }
    return name
  }

  private func color() throws(JoinUsageError) -> String? {
    guard let text = values["color"] else { return nil }
    guard let color = RGB(text) else { throw refusal(of: "color", text) }
    return color.description
  }

  private func point() throws(JoinUsageError) -> PlanePoint? {
    guard let text = values["at"] else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1], PlanePoint(x: x, y: y).isOnPlane else {
      throw refusal(of: "at", text)
    }
    return PlanePoint(x: x, y: y)
  }

  private func size() throws(JoinUsageError) -> Double? {
    guard let text = values["size"] else { return nil }
    guard let size = Double(text), (1...PlanePoint.reach).contains(size) else {
      throw refusal(of: "size", text)
    }
    return size
  }

  private func refusal(of flag: String, _ value: String) -> JoinUsageError {
    .notAccepted("--\(flag)", value: Self.shown(value), accepted: Self.accepted[flag] ?? "")
  }

  /// As it was typed, but for what could move what stands beside it.
  private static func shown(_ text: String) -> String {
    CellWidth.fitted(TextMark.line(text), to: 80)
  }
}
