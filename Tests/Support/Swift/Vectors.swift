import FoundationEssentials

/// The vectors of `Tests/Vectors`: cases of the protocol that the tests in Swift, JavaScript and Python share.
package enum Vectors {
  /// Returns the content of a file; traps if it cannot be read. `name` is without `.json`.
  package static func load<Content: Decodable>(_ name: String) -> Content {
    let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Vectors"
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(name).json") else {
      preconditionFailure("\(folder)/\(name).json cannot be read")
    }
    do {
      return try JSONDecoder().decode(Content.self, from: data)
    } catch {
      preconditionFailure("\(name).json: \(error)")
    }
  }
}

/// A text of a vector: in the file a string, or an array of strings and of objects with `repeat` and `times`.
package struct VectorText: Decodable, Sendable {
  /// The text in full.
  package let text: String

  private struct Part: Decodable {
    let text: String

    private enum CodingKeys: String, CodingKey {
      case copied = "repeat"
      case times
    }

    init(from decoder: any Decoder) throws {
      // Without members, the part is a string.
      guard let copies = try? decoder.container(keyedBy: CodingKeys.self) else {
        text = try decoder.singleValueContainer().decode(String.self)
        return
      }
      text = String(
        repeating: try copies.decode(String.self, forKey: .copied),
        count: try copies.decode(Int.self, forKey: .times))
    }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // A value that is not a string is an array of parts.
    if let text = try? container.decode(String.self) {
      self.text = text
    } else {
      text = try container.decode([Part].self).map(\.text).joined()
    }
  }
}

/// Bytes of a vector: in the file a text of hexadecimal digits and spaces.
package struct VectorBytes: Decodable, Sendable {
  package let bytes: [UInt8]

  package init(from decoder: any Decoder) throws {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in try VectorText(from: decoder).text.utf8 where character != UInt8(ascii: " ") {
      guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no hexadecimal digit"))
      }
      if let first = high {
        bytes.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    self.bytes = bytes
  }
}
