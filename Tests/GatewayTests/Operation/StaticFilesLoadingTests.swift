import FoundationEssentials
import HTTP
import Testing

@testable import Gateway

/// How the folder of the page is read.
@Suite("Loading static files")
struct StaticFilesLoadingTests {
  /// A folder of this test's own, removed with all in it at the end.
  private final class Folder {
    let path: String

    init() throws {
      path = FileManager.default.temporaryDirectory.path + "/drawtogether-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func write(_ name: String, _ text: String) throws {
      let file = path + "/" + name
      let folder = String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: file))
    }

    deinit {
      // What cannot be removed stays in the temporary folder, and harms nobody.
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private func status(_ files: StaticFiles, _ path: String) throws -> Int? {
    let head = try #require(RequestHead(.get, path))
    return files.answer(to: head, isReferredElsewhere: false, now: HTTPDate(secondsSinceEpoch: 0))?.head
      .status.code
  }

  @Test("Files of all folders are served, hidden ones not")
  func load() throws {
    let folder = try Folder()
    try folder.write("index.html", "<p>")
    try folder.write("js/session/socket.js", "1")
    try folder.write("guide/index.html", "<p>guide")
    try folder.write(".hidden", "no")
    try folder.write(".git/config", "no")
    let files = try StaticFiles.load(directory: folder.path)
    #expect(files.count == 3)
    #expect(files.lengthInBytes == 12)
    #expect(try status(files, "/") == 200)
    #expect(try status(files, "/js/session/socket.js") == 200)
    #expect(try status(files, "/guide/") == 200)
    #expect(try status(files, "/.hidden") == nil)
    #expect(try status(files, "/.git/config") == nil)
  }

  @Test("Links are followed, a circle of them ends in words, one that leads nowhere is left out")
  func links() throws {
    let folder = try Folder()
    try folder.write("index.html", "<p>")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/other.html", withDestinationPath: "index.html")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/broken", withDestinationPath: "nowhere")
    let files = try StaticFiles.load(directory: folder.path)
    #expect(files.count == 2)
    #expect(try status(files, "/other.html") == 200)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/circle", withDestinationPath: ".")
    #expect(throws: StaticFilesError.tooMany(directory: folder.path, limit: 10_000)) {
      try StaticFiles.load(directory: folder.path)
    }
  }

  @Test("No link leads out of the folder")
  func linksOutside() throws {
    let around = try Folder()
    try around.write("secret.txt", "no")
    try around.write("public-too/secret.txt", "no")
    try around.write("public/index.html", "<p>")
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

  @Test("The limit counts all files together, to the byte", arguments: [(9, false), (8, true)])
  func limit(_ limit: Int, _ isTooLarge: Bool) throws {
    let folder = try Folder()
    try folder.write("index.html", "<p>")
    try folder.write("b/c.txt", "123456")
    if isTooLarge {
      let error = StaticFilesError.tooLarge(directory: folder.path, limit: limit)
      #expect(throws: error) { try StaticFiles.load(directory: folder.path, maximumLength: limit) }
      #expect(throws: error) { try StaticFiles.check(directory: folder.path, maximumLength: limit) }
    } else {
      try StaticFiles.check(directory: folder.path, maximumLength: limit)
      #expect(try StaticFiles.load(directory: folder.path, maximumLength: limit).count == 2)
    }
  }

  @Test("What is wrong is said in words")
  func errors() throws {
    let folder = try Folder()
    try folder.write("page.html", "<p>")
    let noIndex = #expect(throws: StaticFilesError.self) { try StaticFiles.load(directory: folder.path) }
    #expect(noIndex?.description == "\(folder.path) has no index.html, so it is not the folder of a page")
    let missing = #expect(throws: StaticFilesError.self) {
      try StaticFiles.load(directory: folder.path + "/no")
    }
    #expect(missing?.description == "\(folder.path)/no cannot be read (open: No such file or directory)")
    let file = #expect(throws: StaticFilesError.self) {
      try StaticFiles.load(directory: folder.path + "/page.html")
    }
    #expect(file?.description == "\(folder.path)/page.html cannot be read (open: Not a directory)")
    for (path, error) in [("", noIndex), ("/no", missing), ("/page.html", file)] {
      let checked = #expect(throws: StaticFilesError.self) {
        try StaticFiles.check(directory: folder.path + path)
      }
      #expect(checked == error)
    }
    let large = StaticFilesError.tooLarge(directory: "Public", limit: StaticFiles.maximumLength)
    #expect(large.description == "Public holds more than 64M bytes, which are kept in memory")
  }
}
