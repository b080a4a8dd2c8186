import FoundationEssentials
import Glibc
import Testing
import Platform
import Wire
import TestSupport

@testable import Storage

@Suite("A data folder contains a mark of the last clean stop, and the version of its format")
struct DataFolderMarkTests {
  @Test("ST11 The mark of a clean stop is valid only once")
  func once() throws {
    let temporary = TemporaryFolder()
    let data = try DataFolder(opening: temporary.path)
    let first = try data.takeMark()
    #expect(first.utf8.count == 32)
    #expect(try data.takeMark() != first)
    try data.leaveMark(first)
    #expect(temporary.contents(of: "clean")?.starts(with: Array("\(first)\n".utf8)) == true)
    #expect(try data.takeMark() == first)
    #expect(temporary.names() == ["format", "lock", "sessions"])
    #expect(try data.takeMark() != first)
  }

  @Test(
    "ST11 The mark of a clean stop is invalid in a copy of the folder, after a restore, and if its content has changed"
  )
  func elsewhere() throws {
    let temporary = TemporaryFolder()
    let data = try DataFolder(opening: temporary.path + "/one")
    let generation = try data.takeMark()
    try data.leaveMark(generation)
    let mark = try #require(temporary.contents(of: "one/clean"))
    let text = String(decoding: mark, as: UTF8.self)

    let copy = try DataFolder(opening: temporary.path + "/two")
    try temporary.write(text, to: "two/clean")
    #expect(try copy.takeMark() != generation)
    #expect(temporary.contents(of: "two/clean") == nil)

    // A restored backup of the file `clean` has the same text. The first file still exists under another name, so the restored
    // file has another inode.
    try FileManager.default.moveItem(
      atPath: temporary.path + "/one/clean", toPath: temporary.path + "/kept")
    try temporary.write(text, to: "one/clean")
    #expect(try data.takeMark() != generation)

    for wrong in ["", "\n", "\(generation)\n", text + text, text.replacing("\n", with: " "), "\u{0}"] {
      try temporary.write(wrong, to: "one/clean")
      #expect(try data.takeMark() != generation, "\(wrong)")
      #expect(temporary.contents(of: "one/clean") == nil)
    }
    try temporary.makeFolder("one/clean")
    #expect(try data.takeMark() != generation)
    try temporary.link("one/clean", to: temporary.path + "/kept")
    #expect(try data.takeMark() != generation)
    #expect(temporary.contents(of: "kept") == mark)
  }

  @Test(
    "ST8 The mark of a clean stop is invalid if its file was replaced by a copy, even if the copy has the same inode number"
  )
  func sameNumber() throws {
    let temporary = TemporaryFolder()
    let data = try DataFolder(opening: temporary.path + "/one")
    var generation = try data.takeMark()
    for _ in 0..<100 {
      try data.leaveMark(generation)
      let mark = try #require(temporary.contents(of: "one/clean"))
      // The file system gives the most recently freed inode number to the next new file.
      try FileManager.default.removeItem(atPath: temporary.path + "/one/clean")
      try temporary.write(String(decoding: mark, as: UTF8.self), to: "one/clean")
      let next = try data.takeMark()
      #expect(next != generation)
      generation = next
    }
    try data.leaveMark(generation)
    #expect(try data.takeMark() == generation)
  }

  @Test("ST8 The folder contains its format, and a newer format is refused with a message")
  func format() throws {
    let temporary = TemporaryFolder()
    do {
      let data = try DataFolder(opening: temporary.path)
      #expect(temporary.contents(of: "format") == Array("3\n".utf8))
      #expect(throws: Never.self) { try DataFolder(beside: temporary.path) }
      withExtendedLifetime(data) {}
    }
    let path = temporary.path
    let cases: [(String, DataFolderError, String)] = [
      (
        "4\n", .newerFormat(path: path, found: 4, known: 3),
        "the data folder \(path) has format 4, and this version reads formats up to 3: "
          + "a newer version of DrawTogether can open it"
      ),
      (
        "", .unknownFormat(path: path),
        "the data folder \(path) has a file 'format' without a valid format: "
          + "it was damaged, or the folder belongs to something else"
      ),
      ("0\n", .unknownFormat(path: path), "\(DataFolderError.unknownFormat(path: path))"),
      ("1", .unknownFormat(path: path), "\(DataFolderError.unknownFormat(path: path))"),
    ]
    for (text, error, words) in cases {
      try temporary.write(text, to: "format")
      #expect(throws: error) { try DataFolder(opening: path) }
      #expect(throws: error) { try DataFolder(beside: path) }
      #expect(error.description == words)
      #expect(temporary.contents(of: "format") == Array(text.utf8))
    }
  }

  @Test("ST8 Only the process that locks a folder of format 1 changes it to format 3")
  func upgrade() throws {
    let temporary = TemporaryFolder()
    try temporary.write("1\n", to: "format")
    try temporary.makeFolder("sessions/\(SessionID.one.text)")
    let looking = try DataFolder(beside: temporary.path)
    try DataFolder.check(temporary.path)
    #expect(temporary.contents(of: "format") == Array("1\n".utf8))
    #expect(looking.earlierFormat == nil)
    let data = try DataFolder(opening: temporary.path)
    #expect(temporary.contents(of: "format") == Array("3\n".utf8))
    #expect(data.earlierFormat == 1)
    #expect(try FolderDisk(data).sessions() == [.one])
    data.unlock()
    #expect(try DataFolder(opening: temporary.path).earlierFormat == nil)
  }

  @Test(
    "ST8 A gateway that knows only format 2 refuses a folder of format 3 with an error that names both formats"
  )
  func downgrade() throws {
    let temporary = TemporaryFolder()
    let data = try DataFolder(opening: temporary.path)
    let text = String(decoding: try #require(temporary.contents(of: "format")), as: UTF8.self)
    #expect(throws: DataFolderError.newerFormat(path: temporary.path, found: 3, known: 2)) {
      try DataFolder.format(in: text, temporary.path, known: 2)
    }
    #expect(try DataFolder.format(in: "1\n", temporary.path) == 1)
    withExtendedLifetime(data) {}
  }

  @Test("Opening a data folder for reading creates no file and takes no lock")
  func beside() throws {
    let temporary = TemporaryFolder()
    #expect(throws: DataFolderError.notADataFolder(path: temporary.path)) {
      try DataFolder(beside: temporary.path)
    }
    #expect(temporary.names() == [])
    #expect(throws: DataFolderError.unusable(path: "/nowhere/at/all", SystemError("open", code: ENOENT))) {
      try DataFolder(beside: "/nowhere/at/all")
    }
    let data = try DataFolder(opening: temporary.path)
    let looking = try DataFolder(beside: temporary.path)
    #expect(try FolderDisk(looking).sessions() == [])
    #expect(temporary.names() == ["format", "lock", "sessions"])
    withExtendedLifetime(data) {}
  }

  @Test(
    "The next start deletes sessions whose creation or removal a crash interrupted, and keeps files that are not sessions"
  )
  func leftovers() throws {
    let temporary = TemporaryFolder()
    for name in ["sessions.new", "sessions.removed"] {
      try temporary.makeFolder("\(name)/\(SessionID.one.text)/attachments")
      try temporary.write("half", to: "\(name)/\(SessionID.one.text)/log")
    }
    try temporary.makeFolder("sessions/lost+found")
    let data = try DataFolder(opening: temporary.path)
    #expect(temporary.names() == ["format", "lock", "sessions"])
    #expect(try FolderDisk(data).sessions() == [])
    #expect(temporary.names(in: "sessions") == ["lost+found"])
  }
}
