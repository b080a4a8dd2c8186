/// How somebody wants to be shown; what is missing, or of no use, the gateway makes up.
package struct Profile: JSONWritable, Equatable, Sendable {
  /// The most Unicode scalars of a name.
  package static let maximumNameScalars = 64
  /// The most bytes of a name in UTF-8.
  package static let maximumNameBytes = 256

  /// As it was sent, or sanitised.
  package var name: String?
  /// As it was sent, or sanitised: `#` and six hex digits.
  package var color: String?

  /// A profile as it was sent.
  package init(name: String? = nil, color: String? = nil) {
    self.name = name
    self.color = color
  }

  /// Reads the two members.
  ///
  /// - Throws: `wrongMember` when one is no text.
  init(_ members: [String: JSONValue]) throws(WireError) {
    name = try members.text("name")
    color = try members.text("color")
  }

  /// Writes the object with what there is.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes what there is into an object that has more members.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("color", color)
  }

  /// The same within the rules: bad characters taken out, the name trimmed and cut, the color in lower case;
  /// `nil` where nothing is left.
  package var sanitised: Profile {
    Profile(name: name.flatMap(Self.sanitised(name:)), color: color.flatMap(Self.sanitised(color:)))
  }

  private static func sanitised(name: String) -> String? {
    ShownText.sanitised(name, maximumScalars: maximumNameScalars, maximumBytes: maximumNameBytes)
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
