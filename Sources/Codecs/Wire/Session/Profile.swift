/// The name and color that a participant requests. The gateway replaces missing and invalid values.
package struct Profile: JSONWritable, Equatable, Sendable {
  /// The maximum number of Unicode scalars of a name.
  package static let maximumNameScalars = 64
  /// The maximum number of bytes of a name in UTF-8.
  package static let maximumNameBytes = 256

  /// The name: as the client sent it, or sanitised.
  package var name: String?
  /// The color: as the client sent it, or sanitised (`#` and six hex digits).
  package var color: String?

  /// Creates a profile from a name and a color, without sanitising them.
  package init(name: String? = nil, color: String? = nil) {
    self.name = name
    self.color = color
  }

  /// Parses the members `name` and `color`.
  ///
  /// - Throws: `invalidMember` if a member is not a string.
  init(_ members: [String: JSONValue]) throws(WireError) {
    name = try members.text("name")
    color = try members.text("color")
  }

  /// Writes the profile as a JSON object; a missing value has no member.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes the members `name` and `color` into a JSON object that may have other members.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("color", color)
  }

  /// The sanitised profile. The name has no forbidden characters, is trimmed and truncated, and is `nil` if nothing is left.
  /// The color is in lower case, and `nil` if it is invalid.
  package var sanitised: Profile {
    Profile(name: name.flatMap(Self.sanitised(name:)), color: color.flatMap(Self.sanitised(color:)))
  }

  private static func sanitised(name: String) -> String? {
    DisplayText.sanitised(name, maximumScalars: maximumNameScalars, maximumBytes: maximumNameBytes)
  }

  private static func sanitised(color: String) -> String? {
    let bytes = Array(color.utf8)
    guard bytes.count == 7, bytes[0] == UInt8(ascii: "#") else { return nil }
    let isHex = bytes.dropFirst().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
      default: false
      }
    }
    return isHex ? color.lowercased() : nil
  }
}
