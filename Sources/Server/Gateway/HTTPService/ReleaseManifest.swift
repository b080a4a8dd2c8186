internal import Wire

/// The list of the files that the build of a release wrote into the folder of the page.
struct ReleaseManifest {
  /// The hashes in the member `inline` have the wrong form.
  struct InvalidInlineHashes: Error {}

  /// The path of the manifest inside the folder. The manifest itself is not served.
  static let path = "release.json"
  /// The path of the markup inside the folder.
  private static let markup = "index.html"

  /// The paths of the listed files inside the folder, as UTF-8: as strings, two paths with canonically equivalent characters
  /// would be equal.
  private let files: Set<[UInt8]>
  /// The hashes of the scripts and style sheets inside the markup.
  private let inline: InlineHashes

  /// Parses a manifest such as `{"version": "1.0.0", "files": ["js/app-3F5KQ2ZD.js"]}`. Ignores unknown members. Returns nil for
  /// any other text, because an operator may have another file of this name.
  ///
  /// - Throws: `InvalidInlineHashes` if the text is a manifest, and its member `inline` has the wrong form. Without these hashes,
  ///   browsers would refuse the scripts and style sheets inside the markup.
  init?(parsing bytes: [UInt8]) throws(InvalidInlineHashes) {
    // Text that is not JSON is not a manifest either.
    guard case .object(let members)? = try? JSONParser.parse(bytes.span),
      case .string? = members["version"], case .array(let paths)? = members["files"]
    else { return nil }
    var files: Set<[UInt8]> = []
    for path in paths {
      guard case .string(let path) = path else { return nil }
      files.insert(Array(path.utf8))
    }
    self.files = files
    guard let inline = members["inline"].map(InlineHashes.init(_:)) ?? InlineHashes() else {
      throw InvalidInlineHashes()
    }
    self.inline = inline
  }

  /// Returns the rule for the copies of a file in browsers' caches.
  func caching(of path: String) -> Caching {
    if isImmutable(path) { return .immutable }
    return path == Self.markup && files.contains(Array(path.utf8)) ? .revalidatedInBackground : .revalidated
  }

  /// Returns the policy that also allows the scripts and style sheets inside a file; nil if the file has none.
  func contentSecurityPolicy(for path: String) -> String? {
    path == Self.markup && !inline.isEmpty ? SecurityFields.policy(allowing: inline) : nil
  }

  /// Returns true if a file never changes under its path: the file is listed, and its name contains a hash of the content. The
  /// name alone proves nothing, because an operator's own file may be called `report-ABCDEFGH.js`. A listed file without a hash,
  /// such as `service-worker.js`, changes with the next release.
  private func isImmutable(_ path: String) -> Bool {
    Self.hasContentHash(path) && files.contains(Array(path.utf8))
  }

  /// Returns true if a name has esbuild's form `[name]-[hash]`, as in `app-3F5KQ2ZD.js` and its source map
  /// `app-3F5KQ2ZD.js.map`. The hash has eight characters of base32 (RFC 4648 §6).
  private static func hasContentHash(_ path: String) -> Bool {
    let hashed = path.hasSuffix(".map") ? path.dropLast(4) : path[...]
    guard let name = hashed.utf8.split(separator: UInt8(ascii: "/")).last,
      let dot = name.lastIndex(of: UInt8(ascii: "."))
    else { return false }
    let end = name[..<dot].suffix(9)
    return end.count == 9 && end.first == UInt8(ascii: "-") && end.dropFirst().allSatisfy(isBase32)
  }

  private static func isBase32(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "2")...UInt8(ascii: "7"): true
    default: false
    }
  }
}
