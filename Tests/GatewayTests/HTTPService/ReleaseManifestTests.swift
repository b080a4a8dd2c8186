import Testing

@testable import Gateway

@Suite("ReleaseManifest names the files of a release that never change")
struct ReleaseManifestTests {
  private func parse(_ text: String) -> ReleaseManifest? { ReleaseManifest(parsing: Array(text.utf8)) }

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
    let manifest = try #require(parse(#"{"version": "1.0.0", "files": ["js/main.js", "\#(path)"]}"#))
    #expect(manifest.isImmutable(path) == isImmutable)
  }

  @Test(
    "A file that is not listed under exactly its path may change, even if its name looks like one with a hash",
    arguments: ["report-ABCDEFGH.js", "app-3F5KQ2ZD.js", "js/app-3F5KQ2ZD.js.map", "JS/app-3F5KQ2ZD.js"])
  func unlisted(_ path: String) throws {
    let manifest = try #require(parse(#"{"files": ["js/app-3F5KQ2ZD.js"], "version": "1", "more": null}"#))
    #expect(!manifest.isImmutable(path))
    #expect(manifest.isImmutable("js/app-3F5KQ2ZD.js"))
  }

  @Test(
    "Any other text is not a manifest",
    arguments: [
      "", "{}", "[]", "null", #"["app-ABCDEFGH.js"]"#, #"{"version": "1"}"#,
      #"{"files": ["app-ABCDEFGH.js"]}"#,
      #"{"version": 1, "files": []}"#, #"{"version": "1", "files": "app-ABCDEFGH.js"}"#,
      #"{"version": "1", "files": ["app-ABCDEFGH.js", 1]}"#, #"{"version": "1", "files": ["app-ABCDEFGH.js""#,
      #"{"version": null, "files": []}"#,
    ])
  func others(_ text: String) {
    #expect(parse(text) == nil)
  }
}
