/// An element of an XML document, with all that is in it. Of names the prefix is left out: `svg:path` is `path`.
struct MarkupElement: Equatable, Sendable {
  let name: String
  let attributes: [String: String]
  /// The line of its begin, from 1 on.
  let line: Int
  var children: [MarkupElement] = []
  /// Its own characters, without those of its children.
  var text = ""

  /// The value of an attribute; nil when it is missing.
  subscript(_ name: String) -> String? { attributes[name] }
}
