/// An element of an XML document, with all that is in it. Of names the prefix is left out: `svg:path` is `path`.
struct MarkupElement: Equatable, Sendable {
  let name: String
  let attributes: [String: String]
  /// The line of its begin, from 1 on.
  let line: Int
  private(set) var children: [MarkupElement] = []
  /// Its own characters before each of its children, and behind the last one.
  private(set) var texts = [""]

  init(name: String, attributes: [String: String], line: Int) {
    (self.name, self.attributes, self.line) = (name, attributes, line)
  }

  /// All of its own characters, without those of its children.
  var text: String { texts.joined() }

  /// Goes on with characters.
  mutating func append(_ text: String) { texts[texts.count - 1] += text }

  /// Goes on with a child.
  mutating func append(_ child: MarkupElement) {
    children.append(child)
    texts.append("")
  }

  /// The value of an attribute; nil when it is missing.
  subscript(_ name: String) -> String? { attributes[name] }
}
