import Storage
import Testing
import Platform
import Primitives
import TestSupport

@Suite("A data folder is checked without being changed")
struct DataFolderCheckTests {
  @Test("The check of a data folder accepts a missing folder that could be created, and does not create it")
  func missing() throws {
    let temporary = TemporaryFolder()
    try DataFolder.check(temporary.path + "/a/b")
    try DataFolder.check(temporary.path)
    #expect(temporary.names() == [])
  }

  @Test("The check of a data folder accepts the folder of a running gateway, and does not change it")
  func inUse() throws {
    let temporary = TemporaryFolder()
    try withExtendedLifetime(DataFolder(opening: temporary.path)) {
      try DataFolder.check(temporary.path)
      #expect(temporary.names() == ["format", "lock", "sessions"])
    }
  }

  @Test(
    "The check of a data folder throws the errors that opening the folder would throw",
    arguments: ["file", "file/below", "dangling", "newer", "rubbish"])
  func faults(_ name: String) throws {
    let temporary = TemporaryFolder()
    try temporary.write("words", to: "file")
    try temporary.link("dangling", to: temporary.path + "/nowhere")
    for (folder, format) in [("newer", "1000\n"), ("rubbish", "x")] {
      try temporary.makeFolder(folder)
      try temporary.write(format, to: folder + "/format")
    }
    let path = "\(temporary.path)/\(name)"
    let checked = #expect(throws: DataFolderError.self) { try DataFolder.check(path) }
    let opened = #expect(throws: DataFolderError.self) { try DataFolder(opening: path) }
    #expect(checked?.description == opened?.description)
  }

  @Test("The free space is known even if the data folder does not exist yet")
  func room() throws {
    let temporary = TemporaryFolder()
    let room = try #require(DataFolder.room(for: temporary.path + "/a/b/c"))
    #expect(room.total > room.free && room.free > 0)
  }

  @Test("The sizes of all session files are added up until the deadline. Symbolic links are not followed")
  func usedBytes() throws {
    let one = try OneSession()
    let future = MonotonicTime.now() + .seconds(3600)
    #expect(one.data.usedBytes(until: future) == (0, true))
    _ = try one.place("abc")
    try one.temporary.write("12345", to: one.folder + "/log")
    try one.temporary.link(one.folder + "/elsewhere", to: "/usr")
    #expect(one.data.usedBytes(until: future) == (8, true))
    #expect(one.data.usedBytes(until: .distantPast) == (0, false))
  }
}
