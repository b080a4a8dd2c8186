/// The components of a request's path, which are safe to append to the path of a folder: no component is empty, begins with a
/// dot or contains a separator.
///
/// Compare components by their UTF-8 bytes: `String` treats two encodings of an accented letter as equal, but a file system
/// does not.
package struct TargetPath: Equatable, Sendable {
  /// The names, outermost first, percent-decoded once.
  package let components: [String]
  /// True if the path ended in `/`, as the root does.
  package let isDirectory: Bool

  /// The maximum length of a file name in Linux file systems, in bytes.
  private static let componentBytes = 255
  private static let depth = 32

  /// Parses the raw path of a request, without its query. `%2e` is a dot, `%252e` the three characters `%2e`.
  ///
  /// - Throws: the rule that was broken.
  package static func resolve(_ rawPath: String) throws(TargetPathError) -> TargetPath {
    let bytes = Array(rawPath.utf8)
    guard bytes.first == slash else { throw .notAbsolute }
    var parts = bytes[1...].split(separator: slash, omittingEmptySubsequences: false)
    let isDirectory = parts.last?.isEmpty ?? true
    if isDirectory { parts = parts.dropLast() }
    guard parts.count <= depth else { throw .tooDeep(limit: depth) }
    var components: [String] = []
    for part in parts { components.append(try component(part)) }
    return TargetPath(components: components, isDirectory: isDirectory)
  }

  private static let slash: UInt8 = 0x2F

  private static func component(_ encoded: ArraySlice<UInt8>) throws(TargetPathError) -> String {
    let bytes = try decode(encoded)
    guard let first = bytes.first else { throw .emptyComponent }
    guard first != 0x2E else { throw .dotComponent }
    guard bytes.count <= componentBytes else { throw .componentTooLong(limit: componentBytes) }
    // Overlong forms and surrogates are malformed UTF-8 too.
    guard let name = String(validating: bytes, as: UTF8.self) else { throw .malformedUTF8 }
    return name
  }

  private static func decode(_ encoded: ArraySlice<UInt8>) throws(TargetPathError) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = encoded
    while let byte = rest.popFirst() {
      var decoded = byte
      if byte == 0x25 {  // %
        guard let high = rest.popFirst().flatMap(Grammar.hexValue),
          let low = rest.popFirst().flatMap(Grammar.hexValue)
        else { throw .malformedPercentEncoding }
        decoded = high << 4 | low
      }
      switch decoded {
      case slash: throw .encodedSeparator
      case 0x5C: throw .backslash
      case 0..<0x20, 0x7F: throw .controlCharacter(decoded)
      default: bytes.append(decoded)
      }
    }
    return bytes
  }
}

/// A rule that the path broke. No file can have such a path, so 400 and 404 are both correct.
package enum TargetPathError: Error, Equatable, Sendable {
  case notAbsolute
  case malformedPercentEncoding
  case encodedSeparator
  case backslash
  case controlCharacter(UInt8)
  case malformedUTF8
  case emptyComponent
  /// A component that begins with a dot: a hidden file, `.` or `..`, percent-encoded or plain.
  case dotComponent
  case componentTooLong(limit: Int)
  case tooDeep(limit: Int)
}
