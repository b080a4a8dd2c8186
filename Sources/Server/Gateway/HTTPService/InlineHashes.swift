internal import Wire

/// The hashes of the scripts and style sheets inside the markup of a release, as a `Content-Security-Policy` lists them:
/// `sha256-` and the digest in base64 (CSP Level 3 §2.3.1).
struct InlineHashes: Equatable {
  let scripts: [String]
  let styles: [String]

  var isEmpty: Bool { scripts.isEmpty && styles.isEmpty }

  init(scripts: [String] = [], styles: [String] = []) {
    self.scripts = scripts
    self.styles = styles
  }

  /// Reads an object such as `{"script": ["sha256-…"], "style": []}`. Returns nil unless it has exactly these members, and each
  /// text in them is the hash of a SHA-256. So no text from the manifest can add anything else to the policy.
  init?(_ value: JSONValue) {
    guard case .object(let members) = value, members.count == 2,
      let scripts = Self.hashes(members["script"]), let styles = Self.hashes(members["style"])
    else { return nil }
    self.scripts = scripts
    self.styles = styles
  }

  private static func hashes(_ value: JSONValue?) -> [String]? {
    guard case .array(let values)? = value else { return nil }
    var hashes: [String] = []
    for value in values {
      guard case .string(let text) = value, isHash(text) else { return nil }
      hashes.append(text)
    }
    return hashes
  }

  private static func isHash(_ text: String) -> Bool {
    let algorithm = "sha256-"
    let digest = text.utf8.dropFirst(algorithm.utf8.count)
    // 32 bytes are 43 characters of base64 (RFC 4648 §4) and one character of padding.
    return text.hasPrefix(algorithm) && digest.count == 44 && digest.last == UInt8(ascii: "=")
      && digest.dropLast().allSatisfy(isBase64)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
