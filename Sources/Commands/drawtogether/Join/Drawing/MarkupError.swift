internal import Wire

/// Why a text is no XML, or none that is read here: one clause for a person, with the line.
enum MarkupError: Error, Equatable, CustomStringConvertible {
  /// It has more bytes than that.
  case tooLarge(limit: Int, actual: Int)
  /// It is no UTF-8.
  case notUTF8
  /// It is compressed.
  case compressed
  /// It ends in the middle of that.
  case endsWithin(String, line: Int)
  /// Something else was to be there.
  case unexpected(String, expected: String, line: Int)
  /// An end tag for another element than the one that is open.
  case wrongEnd(String, open: String, openedAt: Int, line: Int)
  /// An attribute twice in one tag.
  case twice(String, line: Int)
  /// `&name;` without a meaning.
  case unknownEntity(String, line: Int)
  /// `&name;` that stands for what is in another file.
  case outsideEntity(String, line: Int)
  /// `&#…;` that is no character.
  case noCharacter(String, line: Int)
  /// What stands behind entities is longer than that in all.
  case tooMuchInEntities(limit: Int, line: Int)
  /// Elements within elements, more than that.
  case tooDeep(limit: Int, line: Int)
  /// More elements than that.
  case tooMany(limit: Int, line: Int)
  /// There is no element.
  case nothing

  var description: String {
    switch self {
    case .tooLarge(let limit, let actual): "it has \(actual) bytes, and \(limit) are the limit"
    case .notUTF8: "it is no text in UTF-8"
    case .compressed: "it is compressed: gunzip makes an SVG of it"
    case .endsWithin(let what, let line): "line \(line): the file ends within \(what)"
    case .unexpected(let found, let expected, let line):
      "line \(line): \(found) stands where \(expected) should"
    case .wrongEnd(let name, let open, let openedAt, let line):
      "line \(line): </\(name)> ends nothing: <\(open)> of line \(openedAt) is open"
    case .twice(let name, let line): "line \(line): the attribute \(name) is there twice"
    case .unknownEntity(let name, let line): "line \(line): &\(name); has no meaning"
    case .outsideEntity(let name, let line):
      "line \(line): &\(name); stands for what is in another file, and none is read"
    case .noCharacter(let text, let line): "line \(line): &#\(text); is no character"
    case .tooMuchInEntities(let limit, let line):
      "line \(line): what entities stand for is longer than \(limit) bytes, the limit"
    case .tooDeep(let limit, let line): "line \(line): elements are nested more than \(limit) deep, the limit"
    case .tooMany(let limit, let line): "line \(line): there are more than \(limit) elements, the limit"
    case .nothing: "there is nothing in it"
    }
  }
}
