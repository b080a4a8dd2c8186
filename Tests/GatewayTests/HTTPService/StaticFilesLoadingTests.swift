import FoundationEssentials
import HTTP
import Testing
import TestSupport

@testable import Gateway

@Suite("StaticFiles loads the files of the page from a folder, and reports unusable files")
struct StaticFilesLoadingTests {
  private func head(_ files: StaticFiles, _ path: String) throws -> ResponseHead? {
    let head = try #require(RequestHead(.get, path))
    return files.answer(to: head, isCrossSiteReferral: false, now: HTTPDate(secondsSinceEpoch: 0))?.head
  }

  private func status(_ files: StaticFiles, _ path: String) throws -> Int? {
    try head(files, path)?.status.code
  }

  private func cacheControl(_ files: StaticFiles, _ path: String) throws -> String? {
    try head(files, path)?.fields.first("Cache-Control")
  }

  @Test("Files of all subfolders are served, hidden files are not")
  func load() throws {
    let folder = TemporaryFolder()
    try folder.write("<p>", to: "index.html")
    try folder.write("1", to: "js/session/socket.js")
    try folder.write("<p>guide", to: "guide/index.html")
    try folder.write("no", to: ".hidden")
    try folder.write("no", to: ".git/config")
    let files = try StaticFiles.load(directory: folder.path)
    #expect(files.count == 3)
    #expect(files.lengthInBytes == 12)
    #expect(try status(files, "/") == 200)
    #expect(try status(files, "/js/session/socket.js") == 200)
    #expect(try status(files, "/guide/") == 200)
    #expect(try status(files, "/.hidden") == nil)
    #expect(try status(files, "/.git/config") == nil)
  }

  @Test(
    "Browsers may keep the hashed files that a release's manifest lists; the manifest itself is not served")
  func release() throws {
    let folder = TemporaryFolder()
    let names = [
      "index.html", "service-worker.js", "js/app-3F5KQ2ZD.js", "js/app-3F5KQ2ZD.js.map", "report-ABCDEFGH.js",
      "js/app-ABCDEFGH.js", "js/release.json",
    ]
    for name in names { try folder.write(name, to: name) }
    let before = try StaticFiles.load(directory: folder.path)
    for name in names { #expect(try cacheControl(before, "/" + name) == "no-cache") }

    let listed = (names.prefix(4) + ["js/gone-ABCDEFGH.js"]).map { "\"\($0)\"" }.joined(separator: ", ")
    try folder.write(#"{"version": "1.0.0", "files": [\#(listed)]}"#, to: "release.json")
    let release = try StaticFiles.load(directory: folder.path)
    for name in names {
      let isImmutable = name.hasPrefix("js/app-3F5KQ2ZD")
      let isMarkup = name == "index.html"
      let expected: Caching =
        isImmutable ? .immutable : isMarkup ? .revalidatedInBackground : .revalidated
      #expect(try cacheControl(release, "/" + name) == expected.rawValue, "\(name)")
    }
    #expect(release.count == names.count)
    #expect(try status(release, "/release.json") == nil)
    #expect(try status(release, "/js/gone-ABCDEFGH.js") == nil)
  }

  @Test(
    "The markup of a release has a policy for its inline parts, and browsers may use their copy meanwhile")
  func markup() throws {
    let folder = TemporaryFolder()
    for name in ["index.html", "guide.html", "service-worker.js"] { try folder.write(name, to: name) }
    let hash = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    try folder.write(
      #"{"version": "1", "files": ["index.html", "guide.html", "service-worker.js"], "#
        + #""inline": {"script": ["\#(hash)"], "style": []}}"#, to: "release.json")
    let files = try StaticFiles.load(directory: folder.path)
    for path in ["/", "/index.html", "/s/AAAAAAAAAAAAAAAAAAAAAA"] {
      #expect(try cacheControl(files, path) == "private, max-age=0, stale-while-revalidate=86400")
      let policy = try #require(try head(files, path)?.fields.first("Content-Security-Policy"))
      #expect(policy.contains("; script-src 'self' '\(hash)'; style-src 'self'; "))
    }
    for path in ["/guide.html", "/service-worker.js"] {
      #expect(try cacheControl(files, path) == "no-cache")
      #expect(try head(files, path)?.fields.first("Content-Security-Policy") == nil)
    }
  }

  @Test("A manifest with invalid hashes is an error, for a start and for a check")
  func invalidHashes() throws {
    let folder = TemporaryFolder()
    try folder.write("<p>", to: "index.html")
    try folder.write(
      #"{"version": "1", "files": [], "inline": {"script": ["x"], "style": []}}"#, to: "release.json")
    let error = GatewayError.invalidInlineHashes(path: folder.path + "/release.json")
    #expect(throws: error) { try StaticFiles.load(directory: folder.path) }
    #expect(throws: error) { try StaticFiles.check(directory: folder.path) }
    #expect(error.description.hasPrefix("in \(folder.path)/release.json, \"inline\" must be an object with "))
  }

  @Test("A file `release.json` that is not a release's manifest is served like any other file")
  func otherRelease() throws {
    let folder = TemporaryFolder()
    try folder.write("<p>", to: "index.html")
    try folder.write("1", to: "app-3F5KQ2ZD.js")
    try folder.write(#"{"files": ["app-3F5KQ2ZD.js"]}"#, to: "release.json")
    let files = try StaticFiles.load(directory: folder.path)
    #expect(try cacheControl(files, "/release.json") == "no-cache")
    #expect(try cacheControl(files, "/app-3F5KQ2ZD.js") == "no-cache")
  }

  @Test("A clone adds its own files to the installed PDF library, and a release has its own copy")
  func library() throws {
    let around = TemporaryFolder()
    let library = around.path + "/share/javascript/pdf"
    let names = [
      "build/pdf.js", "build/pdf.worker.js", "build/pdf.js.map", "web/standard_fonts/Sans.pfb",
      "web/viewer.js",
    ]
    for name in names {
      try around.write("library", to: "share/javascript/pdf/" + name)
    }
    try around.write("map", to: "share/pdf.js/cmaps/H.bcmap")
    try around.link("share/javascript/pdf/web/cmaps", to: "../../../pdf.js/cmaps")
    try around.write("<p>", to: "public/index.html")
    try around.write("own", to: "public/pdf/build/pdf.worker.js")
    let page = around.path + "/public"

    let files = try StaticFiles.load(directory: page, library: library)
    #expect(files.count == 5)
    #expect(try status(files, "/pdf/build/pdf.js") == 200)
    #expect(try status(files, "/pdf/web/cmaps/H.bcmap") == 200)
    #expect(try status(files, "/pdf/web/standard_fonts/Sans.pfb") == 200)
    #expect(try head(files, "/pdf/build/pdf.worker.js")?.fields.first("Content-Length") == "3")
    #expect(try status(files, "/pdf/web/viewer.js") == nil)

    #expect(try StaticFiles.load(directory: page, library: around.path + "/nowhere").count == 2)
    try around.write(#"{"version": "1", "files": ["index.html"]}"#, to: "public/release.json")
    #expect(try StaticFiles.load(directory: page, library: library).count == 2)
  }

  @Test("A manifest outside the folder is not read")
  func linkedManifest() throws {
    let around = TemporaryFolder()
    try around.write(#"{"version": "1", "files": ["app-3F5KQ2ZD.js"]}"#, to: "release.json")
    try around.write("<p>", to: "public/index.html")
    try around.write("1", to: "public/app-3F5KQ2ZD.js")
    try around.link("public/release.json", to: "../release.json")
    let files = try StaticFiles.load(directory: around.path + "/public")
    #expect(files.count == 2)
    #expect(try cacheControl(files, "/app-3F5KQ2ZD.js") == "no-cache")
  }

  @Test("Symbolic links are followed; a cycle of links is an error; a dangling link is skipped")
  func links() throws {
    let folder = TemporaryFolder()
    try folder.write("<p>", to: "index.html")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/other.html", withDestinationPath: "index.html")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/broken", withDestinationPath: "nowhere")
    let files = try StaticFiles.load(directory: folder.path)
    #expect(files.count == 2)
    #expect(try status(files, "/other.html") == 200)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/circle", withDestinationPath: ".")
    #expect(throws: GatewayError.tooManyFiles(directory: folder.path, limit: 10_000)) {
      try StaticFiles.load(directory: folder.path)
    }
  }

  @Test("Symbolic links that lead out of the folder are not followed")
  func linksOutside() throws {
    let around = TemporaryFolder()
    try around.write("no", to: "secret.txt")
    try around.write("no", to: "public-too/secret.txt")
    try around.write("<p>", to: "public/index.html")
    let folder = around.path + "/public"
    for (name, target) in [("file.txt", "../secret.txt"), ("folder", ".."), ("beside", "../public-too")] {
      try FileManager.default.createSymbolicLink(atPath: folder + "/" + name, withDestinationPath: target)
    }
    // The folder itself may be a link.
    try FileManager.default.createSymbolicLink(atPath: around.path + "/link", withDestinationPath: "public")
    for directory in [folder, around.path + "/link", around.path + "/link/"] {
      let files = try StaticFiles.load(directory: directory)
      #expect(files.count == 1)
      #expect(try status(files, "/") == 200)
    }
  }

  @Test("The size limit of the page applies to the sum of all its files", arguments: [(9, false), (8, true)])
  func limit(_ limit: Int, _ isTooLarge: Bool) throws {
    let folder = TemporaryFolder()
    try folder.write("<p>", to: "index.html")
    try folder.write("123456", to: "b/c.txt")
    if isTooLarge {
      let error = GatewayError.filesTooLarge(directory: folder.path, limit: limit)
      #expect(throws: error) { try StaticFiles.load(directory: folder.path, maximumLength: limit) }
      #expect(throws: error) { try StaticFiles.check(directory: folder.path, maximumLength: limit) }
    } else {
      try StaticFiles.check(directory: folder.path, maximumLength: limit)
      #expect(try StaticFiles.load(directory: folder.path, maximumLength: limit).count == 2)
    }
  }

  @Test("An error about static files contains the path of the file and the reason")
  func errors() throws {
    let folder = TemporaryFolder()
    try folder.write("<p>", to: "page.html")
    let noIndex = #expect(throws: GatewayError.self) { try StaticFiles.load(directory: folder.path) }
    #expect(noIndex?.description == "\(folder.path) has no index.html, so it is not the folder of a page")
    let missing = #expect(throws: GatewayError.self) {
      try StaticFiles.load(directory: folder.path + "/no")
    }
    #expect(missing?.description == "\(folder.path)/no cannot be read (open: No such file or directory)")
    let file = #expect(throws: GatewayError.self) {
      try StaticFiles.load(directory: folder.path + "/page.html")
    }
    #expect(file?.description == "\(folder.path)/page.html cannot be read (open: Not a directory)")
    for (path, error) in [("", noIndex), ("/no", missing), ("/page.html", file)] {
      let checked = #expect(throws: GatewayError.self) {
        try StaticFiles.check(directory: folder.path + path)
      }
      #expect(checked == error)
    }
    let large = GatewayError.filesTooLarge(directory: "Public", limit: StaticFiles.maximumLength)
    #expect(large.description == "Public has more than 64M bytes, the maximum in memory")
  }
}
