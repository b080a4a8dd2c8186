import FoundationEssentials
import Glibc
import Testing
import Platform
import Primitives
import Wire
import TestSupport

@testable import Storage

@Suite("Copies of a data folder, for backups and restores")
struct DataFolderCopyTests {
  private let one: OneSession
  private let target: String

  init() throws {
    one = try OneSession()
    target = one.temporary.path + "/copy"
  }

  private func begin(
    _ purpose: DataFolderCopy.Purpose = .backup, at path: String? = nil, reserve: UInt64 = 0
  ) throws -> DataFolderCopy {
    try DataFolderCopy(of: one.data, at: path ?? target, for: purpose, reserve: reserve)
  }

  /// Opens a data folder when its lock is free. A child process that another test starts inherits the lock file, and keeps the
  /// lock until it executes its program.
  private func open(_ path: String) throws -> DataFolder {
    let deadline = MonotonicTime.now() + .seconds(10)
    while true {
      do throws(DataFolderError) {
        return try DataFolder(opening: path)
      } catch {
        // Child processes release the lock long before the deadline. So an error after the deadline means that the previous
        // owner in this process has not closed the folder.
        guard case .inUse = error, MonotonicTime.now() < deadline else { throw error }
        sched_yield()
      }
    }
  }

  @Test("An unfinished copy is not accepted as a data folder", arguments: DataFolderCopy.Purpose.allCases)
  func unfinished(_ purpose: DataFolderCopy.Purpose) throws {
    do { _ = try begin(purpose) }
    #expect(one.temporary.contents(of: "copy/format") == Array("unfinished \(purpose)\n".utf8))
    #expect(throws: DataFolderError.unfinished(path: target, purpose)) { try open(target) }
    #expect(throws: DataFolderError.unfinished(path: target, purpose)) { try DataFolder(beside: target) }
    // A second copy with the other purpose (backup or restore) is refused. A second copy with the same purpose starts again.
    let other: DataFolderCopy.Purpose = purpose == .backup ? .restore : .backup
    #expect(throws: DataFolderError.self) { try begin(other) }
    try one.temporary.makeFolder("copy/sessions/left")
    try begin(purpose).finish()
    #expect(one.temporary.contents(of: "copy/format") == DataFolder.formatText)
    #expect(one.temporary.names(in: "copy/sessions")?.isEmpty == true)
    _ = try open(target)
  }

  @Test("A folder that contains a file of the user is refused as the target of a backup, and is not changed")
  func notEmpty() throws {
    try one.temporary.makeFolder("copy")
    try one.temporary.write("mine", to: "copy/notes.txt")
    let error = #expect(throws: DataFolderError.self) { try begin() }
    #expect(error == .notEmpty(path: target, count: 1, first: "notes.txt", .backup))
    #expect(
      error?.description
        == "the folder \(target) is not empty (it has 1 name, such as 'notes.txt'): a backup needs a new "
        + "folder, or an empty folder")
    #expect(one.temporary.names(in: "copy") == ["notes.txt"])
  }

  @Test(
    "A copy into the source folder, or into a subfolder that the store uses, is refused, whichever path leads to the target"
  )
  func places() throws {
    let data = one.temporary.path + "/data"
    try one.temporary.link("way", to: data)
    for path in [data, data + "/", one.temporary.path + "/way", data + "/../data"] {
      #expect(throws: DataFolderError.sameFolder(path: path)) { try begin(at: path) }
    }
    try one.temporary.makeFolder("data/sessions.removed/x")
    for (path, name) in [
      (data + "/sessions", "sessions"), (data + "/sessions/new/one", "sessions"),
      (one.temporary.path + "/way/sessions/\(one.id.text)/backup", "sessions"),
      (data + "/sessions.removed/x", "sessions.removed"), (data + "/clean", "clean"),
      (data + "/clean/1", "clean"), (data + "/format.new", "format.new"),
      (data + "/tls-key.pem.d", "tls-key.pem.d"),
    ] {
      for purpose in DataFolderCopy.Purpose.allCases {
        #expect(throws: DataFolderError.withinOwn(path: path, name: name)) {
          try begin(purpose, at: path)
        }
      }
    }
    #expect(one.temporary.names(in: "data/sessions") == [one.id.text])
    // A backup into another folder inside the source folder is allowed: the source folder may be the only writable folder.
    try begin(at: data + "/backups/one").finish()
  }

  @Test(
    "If a copy is abandoned, it is removed, together with the folders that it created",
    arguments: [false, true])
  func abandons(_ isThere: Bool) throws {
    if isThere { try one.temporary.makeFolder("copy") }
    try one.temporary.write("certificate", to: "data/tls-cert.pem")
    try one.temporary.write("key", to: "data/tls-key.pem")
    let copy = try begin()
    try SessionCopy(of: one.id, in: copy).begin()
    try copy.copyCertificate()
    try copy.abandon()
    #expect(one.temporary.names(in: "copy") == (isThere ? [] : nil))
    let again = try begin()
    try again.copyCertificate()
    // A certificate is useless without its key, so both files get their names only at the end of the copy.
    #expect(one.temporary.contents(of: "copy/tls-key.pem") == nil)
    try again.finish()
    #expect(one.temporary.contents(of: "copy/tls-key.pem") == Array("key".utf8))
    #expect(one.temporary.mode(of: "copy/tls-key.pem") == 0o600)
    #expect(one.temporary.names(in: "copy") == ["format", "lock", "sessions", "tls-cert.pem", "tls-key.pem"])
  }

  @Test("If a restore is abandoned, the target is a data folder without sessions")
  func abandonsRestore() throws {
    do { _ = try DataFolder(opening: target) }
    let copy = try begin(.restore)
    try SessionCopy(of: one.id, in: copy).begin()
    try copy.abandon()
    #expect(one.temporary.contents(of: "copy/format") == DataFolder.formatText)
    #expect(one.temporary.names(in: "copy/sessions") == [])
  }

  @Test("A restore into a folder removes the folder's mark of a clean stop")
  func mark() throws {
    do {
      let data = try DataFolder(opening: target)
      try data.leaveMark(try data.takeMark())
    }
    try begin(.restore).finish()
    #expect(one.temporary.names(in: "copy") == ["format", "lock", "sessions"])
  }

  @Test("A certificate is not copied without its key, or if one of the files is a symbolic link")
  func certificates() throws {
    try one.temporary.write("certificate", to: "data/tls-cert.pem")
    let copy = try begin()
    try copy.copyCertificate()
    try one.temporary.link("data/tls-key.pem", to: one.temporary.path + "/data/tls-cert.pem")
    try copy.copyCertificate()
    #expect(one.temporary.names(in: "copy") == ["format", "lock", "sessions"])
  }

  @Test("If the target is locked, the error contains the number of the process that holds the lock")
  func locked() throws {
    let data = try DataFolder(opening: target)
    #expect(throws: DataFolderError.inUse(path: target, process: getpid())) { try begin(.restore) }
    withExtendedLifetime(data) {}
  }

  @Test("A copy that would need the reserved space of the disk fails")
  func reserve() throws {
    let free = try one.data.freeBytes()
    let digest = try one.place("some content")
    let copy = try begin(reserve: free &+ (1 << 40))
    let error = #expect(throws: CopyError.self) { try SessionCopy(of: one.id, in: copy).begin() }
    guard case .reserve(let told) = error else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect(told > 0)
    try copy.abandon()
    let fits = try begin(reserve: 1)
    let session = SessionCopy(of: one.id, in: fits)
    try session.begin()
    #expect(try session.copyContent(digest) == 12)
    #expect(fits.bytes == 12)
  }

  @Test("Files of any length are copied exactly, even to another file system")
  func bytes() throws {
    let other = "/dev/shm/drawtogether-copy-\(UUID().uuidString)"
    for (path, count) in [
      (target, 0), (target + "2", 300_001), (target + "3", 9 << 20), (other, 9 << 20 | 7),
    ] {
      let text = String(repeating: "0123456789abcdef", count: count / 16 + 1).prefix(count)
      let digest = try one.place(String(text))
      let copy = try begin(at: path)
      let session = SessionCopy(of: one.id, in: copy)
      try session.begin()
      #expect(try session.copyContent(digest) == UInt64(count))
      let file = "\(path)/sessions/\(one.id.text)/attachments/\(digest)"
      #expect(FileManager.default.contents(atPath: file) == Data(text.utf8))
      try copy.abandon()
    }
  }

  @Test("If the kernel cannot copy a file directly, the bytes are copied by reading and writing")
  func unusual() throws {
    try one.temporary.write("some content", to: "source")
    let source = OwnedDescriptor(
      owning: unsafe Glibc.open(one.temporary.path + "/source", O_RDONLY | O_CLOEXEC))
    let path = one.temporary.path + "/appended"
    // `copy_file_range` fails with EBADF for a target that is opened with O_APPEND.
    let file = OwnedDescriptor(
      owning: unsafe Glibc.open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600))
    try FileCopier(to: one.data, reserve: 0).copy(source, to: file, count: 12)
    #expect(one.temporary.contents(of: "appended") == Array("some content".utf8))
  }

  @Test("The number of free bytes does not overflow if the disk reports the largest number of blocks")
  func endless() {
    #expect(DataFolder.bytes(.max, of: 4_096) == .max)
    #expect(DataFolder.bytes(3, of: 4_096) == 12_288)
  }

  @Test(
    "A restore by root gives the files to the owner of the target, or of the source if there is no target")
  func owners() throws {
    let chooses = geteuid() == 0
    if chooses {
      #expect(unsafe chown(one.temporary.path + "/data", 10_001, 10_002) == 0)
      try one.temporary.makeFolder("there")
      #expect(unsafe chown(one.temporary.path + "/there", 10_003, 10_004) == 0)
    }
    for (path, user, group) in [("above/new", 10_001, 10_002), ("there", 10_003, 10_004)]
      as [(String, uid_t, gid_t)]
    {
      let copy = try begin(.restore, at: one.temporary.path + "/" + path)
      try SessionCopy(of: one.id, in: copy).begin()
      try copy.finish()
      for name in ["", "/format", "/lock", "/sessions", "/sessions/\(one.id.text)/uploads"] {
        var found = stat()
        #expect(unsafe lstat(one.temporary.path + "/" + path + name, &found) == 0)
        #expect(found.st_uid == (chooses ? user : geteuid()), "\(path)\(name)")
        #expect(found.st_gid == (chooses ? group : getegid()), "\(path)\(name)")
      }
    }
    var above = stat()
    #expect(unsafe lstat(one.temporary.path + "/above", &above) == 0)
    #expect(above.st_uid == (chooses ? 10_001 : geteuid()))
  }
}
