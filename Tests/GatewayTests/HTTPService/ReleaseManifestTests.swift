import Testing

@testable import Gateway

@Suite("ReleaseManifest names the files of a release that never change, and the parts inside its markup")
struct ReleaseManifestTests {
  private static let hash = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  private func parse(_ text: String) throws -> ReleaseManifest? {
    try ReleaseManifest(parsing: Array(text.utf8))
  }

  /// Parses a manifest whose member `inline` has this text.
  private func parse(inline: String) throws -> ReleaseManifest? {
    try parse(#"{"version": "1", "files": ["index.html"], "inline": \#(inline)}"#)
  }

  @Test(
    "A listed file whose name contains a hash never changes",
    arguments: [
      ("js/app-3F5KQ2ZD.js", true), ("app-ABCDEFGH.css", true), ("a/b/c.d-e-22334455.js", true),
      ("js/app-3F5KQ2ZD.js.map", true), ("größe-ABCDEFGH.png", true),
      // Without a hash.
      ("index.html", false), ("service-worker.js", false), ("js/app.js", false), ("ABCDEFGH.js", false),
      // Not esbuild's hash: the length, the alphabet, the place.
      ("app-ABCDEFG.js", false), ("app-ABCDEFGHI.js", false), ("app_ABCDEFGH.js", false),
      ("app-abcdefgh.js", false), ("app-ABCDEFG1.js", false), ("app-ABCDEFG8.js", false),
      ("app-ABCDEFGH", false), ("app-ABCDEFGH.min.js", false), ("app-ABCDEFGH.map", false),
      ("app-ABCDEFGH.d/main.js", false), ("app-ABCDEFGH.d/main", false), ("app-AB/DEFGH.js", false),
      ("", false),
    ])
  func names(_ path: String, _ isImmutable: Bool) throws {
    let text = #"{"version": "1.0.0", "files": ["js/main.js", "\#(path)"]}"#
    let manifest = try #require(try parse(text))
    #expect((manifest.caching(of: path) == .immutable) == isImmutable)
  }

  @Test(
    "A file that is not listed under exactly its path may change, even if its name looks like one with a hash",
    arguments: ["report-ABCDEFGH.js", "app-3F5KQ2ZD.js", "js/app-3F5KQ2ZD.js.map", "JS/app-3F5KQ2ZD.js"])
  func unlisted(_ path: String) throws {
    let text = #"{"files": ["js/app-3F5KQ2ZD.js"], "version": "1", "more": null}"#
    let manifest = try #require(try parse(text))
    #expect(manifest.caching(of: path) == .revalidated)
    #expect(manifest.caching(of: "js/app-3F5KQ2ZD.js") == .immutable)
  }

  @Test("RFC 5861 §3: a browser may use its copy of the listed markup while it asks for a newer one")
  func markup() throws {
    let text = #"{"version": "1", "files": ["index.html", "guide/index.html", "service-worker.js"]}"#
    let manifest = try #require(try parse(text))
    #expect(manifest.caching(of: "index.html") == .revalidatedInBackground)
    for path in ["guide/index.html", "service-worker.js"] {
      #expect(manifest.caching(of: path) == .revalidated, "\(path)")
    }
    let unlisted = try #require(try parse(#"{"version": "1", "files": []}"#))
    #expect(unlisted.caching(of: "index.html") == .revalidated)
  }

  @Test("CSP Level 3 §2.3.1: the policy of the markup lists the hashes of its inline parts")
  func inline() throws {
    let other = "sha256-RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="
    let manifest = try #require(
      try parse(inline: #"{"script": ["\#(Self.hash)", "\#(other)"], "style": ["\#(other)"]}"#))
    let policy = try #require(manifest.contentSecurityPolicy(for: "index.html"))
    #expect(
      policy.hasPrefix(
        "default-src 'none'; script-src 'self' '\(Self.hash)' '\(other)'; style-src 'self' '\(other)'; "))
    #expect(policy.hasSuffix("; frame-ancestors 'none'"))
    for path in ["service-worker.js", "guide/index.html", "js/index.html"] {
      #expect(manifest.contentSecurityPolicy(for: path) == nil, "\(path)")
    }
    for text in [
      #"{"version": "1", "files": []}"#,
      #"{"version": "1", "files": [], "inline": {"script": [], "style": []}}"#,
    ] {
      #expect(try parse(text)?.contentSecurityPolicy(for: "index.html") == nil)
    }
  }

  @Test(
    "A manifest whose hashes have another form is an error",
    arguments: [
      "null", "{}", "[]", #""\#(hash)""#, #"["\#(hash)"]"#, #"{"script": []}"#,
      #"{"script": [], "style": [], "font": []}"#,
      #"{"script": "\#(hash)", "style": []}"#, #"{"script": [1], "style": []}"#,
      #"{"script": [], "style": [null]}"#,
    ])
  func invalidInline(_ text: String) {
    #expect(throws: ReleaseManifest.InvalidInlineHashes.self) { try parse(inline: text) }
  }

  @Test(
    "No text other than the hash of a SHA-256 gets into the policy",
    arguments: [
      "", "'unsafe-inline'", "sha256-", "sha256", "'\(hash)'", "\(hash) ", " \(hash)", "\(hash)=",
      "sha384-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
      "SHA256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
      "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF=",
      "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFUU",
      "sha256-47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
      "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hS; x=",
      "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hS'==",
      "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSué=",
    ])
  func invalidHash(_ hash: String) {
    for text in [#"{"script": ["\#(hash)"], "style": []}"#, #"{"script": [], "style": ["\#(hash)"]}"#] {
      #expect(throws: ReleaseManifest.InvalidInlineHashes.self) { try parse(inline: text) }
    }
  }

  @Test(
    "Any other text is not a manifest",
    arguments: [
      "", "{}", "[]", "null", #"["app-ABCDEFGH.js"]"#, #"{"version": "1"}"#,
      #"{"files": ["app-ABCDEFGH.js"]}"#,
      #"{"version": 1, "files": []}"#, #"{"version": "1", "files": "app-ABCDEFGH.js"}"#,
      #"{"version": "1", "files": ["app-ABCDEFGH.js", 1]}"#, #"{"version": "1", "files": ["app-ABCDEFGH.js""#,
      #"{"version": null, "files": []}"#, #"{"files": [], "inline": {}}"#, #"{"version": "1", "inline": {}}"#,
    ])
  func others(_ text: String) throws {
    #expect(try parse(text) == nil)
  }
}
