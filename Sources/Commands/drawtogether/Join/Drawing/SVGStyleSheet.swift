/// The rules of a file's `<style>` elements, of the kind that drawing programs write: by element, `.class`, `#id` and `*`,
/// alone or together (`path.thin`). Other selectors match nothing.
struct SVGStyleSheet: Sendable {
  private struct Rule {
    var element: String?
    var id: String?
    var classes: [String] = []
    var declarations: [(String, String)] = []

    /// What goes before what, when both match (Selectors 4, section 17).
    var weight: Int { (id == nil ? 0 : 10_000) + 100 * classes.count + (element == nil ? 0 : 1) }

    func matches(_ other: MarkupElement, _ names: [Substring]) -> Bool {
      (element ?? other.name) == other.name && (id == nil || id == other["id"])
        && classes.allSatisfy { name in names.contains { $0 == name } }
    }
  }

  private var rules: [Rule] = []

  /// Nothing more is taken from a file.
  private static let maximumRules = 1000

  /// Takes the rules of one `<style>` element.
  mutating func add(_ text: String) {
    var rest = Self.withoutComments(text)[...]
    while let open = rest.firstIndex(of: "{"), rules.count < Self.maximumRules {
      let head = rest[..<open]
      let end = rest[open...].firstIndex(of: "}") ?? rest.endIndex
      let declarations = Self.declarations(String(rest[rest.index(after: open)..<end]))
      rest = end == rest.endIndex ? "" : rest[rest.index(after: end)...]
      for selector in head.split(separator: ",") {
        guard rules.count < Self.maximumRules else { break }
        guard var rule = Self.rule(selector) else { continue }
        rule.declarations = declarations
        rules.append(rule)
      }
    }
    // Sorting is stable: of equals the later goes before the earlier.
    rules.sort { $0.weight < $1.weight }
  }

  /// What the rules say of an element; what goes before the others comes last.
  func declarations(for element: MarkupElement) -> [(String, String)] {
    guard !rules.isEmpty else { return [] }
    let names = (element["class"] ?? "").split { $0.isWhitespace }
    return rules.filter { $0.matches(element, names) }.flatMap(\.declarations)
  }

  /// Reads `name: value; …`.
  static func declarations(_ text: String) -> [(String, String)] {
    text.split(separator: ";").compactMap { declaration in
      let parts = declaration.split(separator: ":", maxSplits: 1).map(trimmed)
      guard parts.count == 2 else { return nil }
      return (parts[0].lowercased(), trimmed(parts[1].prefix { $0 != "!" }))
    }
  }

  private static func rule(_ selector: Substring) -> Rule? {
    var rest = trimmed(selector)[...]
    var rule = Rule()
    guard !rest.isEmpty, !rest.contains(where: { " >+~[:".contains($0) }) else { return nil }
    let first = rest.prefix { $0 != "." && $0 != "#" }
    if !first.isEmpty, first != "*" { rule.element = String(first) }
    rest = rest[first.endIndex...]
    while let sign = rest.first {
      let name = rest.dropFirst().prefix { $0 != "." && $0 != "#" }
      guard !name.isEmpty else { return nil }
      if sign == "." { rule.classes.append(String(name)) } else { rule.id = String(name) }
      rest = rest[name.endIndex...]
    }
    return rule
  }

  private static func withoutComments(_ text: String) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      guard rest.starts(with: "/*".utf8) else {
        result.append(byte)
        rest.removeFirst()
        continue
      }
      rest.removeFirst(2)
      while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
      rest = rest.dropFirst(2)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    String(String(text).drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
