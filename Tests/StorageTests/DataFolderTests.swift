import FoundationEssentials
import Glibc
@testable import Storage
import Testing
import Platform
import Primitives
import Wire
import TestSupport

@Suite("A data folder is created, locked and checked when it is opened")
struct DataFolderTests {
  @Test("A missing data folder is created with its parent folders, and only its owner can access it")
  func makes() throws {
    let temporary = TemporaryFolder()
    let data = try DataFolder(opening: temporary.path + "/a/b")
    #expect(temporary.names(in: "a/b") == ["format", "lock", "sessions"])
    #expect(temporary.mode(of: "a/b") == 0o700)
    #expect(temporary.mode(of: "a/b/sessions") == 0o700)
    #expect(temporary.mode(of: "a/b/lock") == 0o600)
    #expect(try data.freeBytes() > 0)
  }

  @Test("Opening an existing folder changes only its lock file, which then contains the process ID")
  func opens() throws {
    let temporary = TemporaryFolder()
    try temporary.write("old words that are longer than a number\n", to: "lock")
    try temporary.makeFolder("sessions/one")
    try withExtendedLifetime(DataFolder(opening: temporary.path)) {
      #expect(temporary.contents(of: "lock") == Array("\(getpid())\n".utf8))
      #expect(temporary.names(in: "sessions") == ["one"])
    }
  }

  @Test(
    "While one process uses the folder, a second process gets an error with the process ID of the first one"
  )
  func locks() throws {
    let temporary = TemporaryFolder()
    var first: DataFolder? = try DataFolder(opening: temporary.path)
    let error = #expect(throws: DataFolderError.self) { try DataFolder(opening: temporary.path) }
    #expect(error == .inUse(path: temporary.path, process: getpid()))
    #expect(
      error?.description
        == "the data folder \(temporary.path) is in use by process \(getpid()): "
        + "only one gateway can use it at a time")
    #expect(first != nil)
    first = nil
    // A child process that another test starts inherits the open lock file. The lock is then held until the child executes its
    // program, so the test tries again for up to 30 s.
    let deadline = MonotonicTime.now() + .seconds(30)
    while (try? DataFolder(opening: temporary.path)) == nil, .now() < deadline { sched_yield() }
    _ = try DataFolder(opening: temporary.path)
  }

  @Test(
    "While another process holds the lock of a data folder, opening the folder fails with that process's ID")
  func locksBetweenProcesses() throws {
    let temporary = TemporaryFolder()
    let holder = try LockHolder(temporary.path + "/lock", saying: "12345")
    let error = #expect(throws: DataFolderError.self) { try DataFolder(opening: temporary.path) }
    #expect(error == .inUse(path: temporary.path, process: 12345))
    holder.end()
    _ = try DataFolder(opening: temporary.path)
  }

  @Test("If a locked file contains no process ID, the error says that another process uses the folder")
  func unnamedHolder() throws {
    let temporary = TemporaryFolder()
    let holder = try LockHolder(temporary.path + "/lock", saying: "")
    let error = #expect(throws: DataFolderError.self) { try DataFolder(opening: temporary.path) }
    #expect(
      error?.description.contains("is in use by another process") == true, "\(String(describing: error))")
    holder.end()
  }

  @Test("The error for an unusable folder is one sentence that names the folder")
  func refusals() throws {
    let temporary = TemporaryFolder()
    try temporary.write("", to: "file")
    let file = temporary.path + "/file"
    #expect(throws: DataFolderError.notAFolder(path: file)) { try DataFolder(opening: file) }
    #expect(throws: DataFolderError.notMade(path: file + "/a", SystemError("mkdir", code: ENOTDIR))) {
      try DataFolder(opening: file + "/a")
    }
    // No user can create a file in /sys, not even root.
    let error = #expect(throws: DataFolderError.self) { try DataFolder(opening: "/sys") }
    #expect(
      error?.description.hasPrefix("the data folder /sys cannot be written to (") == true,
      "\(String(describing: error))")
  }

  @Test(
    "The error for an unwritable data folder names the required owner if a change of the owner would help"
  )
  func ownership() {
    let denied = SystemError("open", code: EACCES)
    #expect(
      DataFolderError.remedy(denied, user: 10001)
        == ": it has to belong to user 10001, the user of the gateway (chown -R 10001)")
    #expect(DataFolderError.remedy(denied, user: 0) == "")
    #expect(DataFolderError.remedy(SystemError("open", code: EROFS), user: 10001) == "")
    for error in [DataFolderError.notWritable(path: "/data", denied), .unusable(path: "/data", denied)] {
      #expect(error.description.hasSuffix("(open: Permission denied)" + DataFolderError.remedy(denied)))
    }
  }

  @Test("A lock file that is a symbolic link is refused")
  func linkedLock() throws {
    let temporary = TemporaryFolder()
    try temporary.write("precious", to: "other")
    try temporary.makeFolder("data")
    try temporary.link("data/lock", to: temporary.path + "/other")
    let path = temporary.path + "/data"
    #expect(throws: DataFolderError.unusable(path: path, SystemError("open", code: ELOOP))) {
      try DataFolder(opening: path)
    }
    #expect(temporary.contents(of: "other") == Array("precious".utf8))
  }

  @Test("Removing a session whose folders are nested too deeply throws an error and removes no file")
  func tooDeep() throws {
    let one = try OneSession()
    let deep = String(repeating: "/a", count: 40)
    try one.temporary.makeFolder(one.folder + deep)
    #expect(throws: StorageError(.removeSession, code: ELOOP)) { try one.attachments.removeSession() }
    #expect(one.temporary.names(in: "data/sessions/\(one.id.text)\(deep)") == [])
  }

  @Test("A `sessions` folder that is a symbolic link is not followed")
  func link() throws {
    let temporary = TemporaryFolder()
    try temporary.makeFolder("outside")
    try temporary.write("precious", to: "outside/file")
    try temporary.makeFolder("data")
    try temporary.link("data/sessions", to: temporary.path + "/outside")
    let data = try DataFolder(opening: temporary.path + "/data")
    let attachments = data.attachments(of: SessionID(high: 1, low: 2))
    let error = #expect(throws: StorageError.self) { try attachments.make() }
    #expect(error == StorageError(.makeSession, code: ENOTDIR))
    #expect(temporary.contents(of: "outside/file") == Array("precious".utf8))
  }

  @Test(
    "A storage error's text names no session and no path, and `isFull` is true for the error of a full disk")
  func words() {
    let full = StorageError(.writeUpload, code: ENOSPC)
    #expect(full.description == "cannot write an upload: No space left on device")
    #expect(full.isFull)
    #expect(StorageError(.writeUpload, code: EDQUOT).isFull)
    #expect(StorageError(.writeUpload, code: EFBIG).isFull)
    #expect(!StorageError(.writeUpload, code: EIO).isFull)
  }
}

/// A process that holds a lock.
private final class LockHolder {
  private let ours: CInt
  private let process: pid_t

  /// Starts the process and waits until it holds the lock.
  init(_ path: String, saying text: String) throws {
    let script = "exec 9>\(path); flock 9; printf '\(text)' >&9; echo held; read end"
    var ends: [CInt] = [0, 0]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    for standard: CInt in 0...1 { unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], standard) }
    var words = unsafe (["sh", "-c", script] as [String]).map { unsafe strdup($0) } + [nil]
    var process: pid_t = 0
    let status = unsafe posix_spawnp(&process, "sh", &actions, nil, &words, environ)
    unsafe words.forEach { unsafe free($0) }
    unsafe posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    (self.process, ours) = (process, ends[0])
    try #require(status == 0, "a shell is needed for this test")
    var answer: [UInt8] = [0, 0, 0, 0, 0]
    try #require(unsafe read(ours, &answer, answer.count) == 5, "flock(1) is needed for this test")
  }

  /// Ends the process, which releases the lock, and waits for it.
  func end() {
    close(ours)
    waitpid(process, nil, 0)
  }
}
