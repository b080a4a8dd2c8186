import Glibc
import Platform

/// The program in a child process, with pipes for standard output and standard error.
final class ChildProcess {
  private let identifier: pid_t
  private let output: OwnedDescriptor
  private let errors: OwnedDescriptor
  private var hasEnded = false

  /// The two ends of a pipe. A child process does not inherit these descriptors.
  private struct Pipe: ~Copyable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws {
      var ends: [CInt] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe", code: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = OwnedDescriptor(owning: ends[0])
      writing = OwnedDescriptor(owning: ends[1])
    }

    /// Returns the reading end of the pipe. Closes the writing end in this process, so that the reader gets the end of the stream
    /// when the child exits.
    consuming func readingEnd() -> OwnedDescriptor { reading }
  }

  /// Starts the program that was built with these tests, with an environment of sanitizer options only. Its
  /// standard output goes to a pipe or to an existing file.
  init(arguments: [String], output file: String? = nil) throws {
    let output = try Pipe()
    let errors = try Pipe()
    let path = try Self.program()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let file {
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY, 0)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, output.writing.rawValue, STDOUT_FILENO)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, errors.writing.rawValue, STDERR_FILENO)
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) }
    unsafe words.append(nil)
    defer { unsafe words.forEach { unsafe free($0) } }
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
    for name in ["TSAN_OPTIONS", "ASAN_OPTIONS", "SWIFT_BACKTRACE"] {
      guard let value = unsafe getenv(name) else { continue }
      unsafe environment.append(strdup("\(name)=\(String(cString: value))"))
    }
    unsafe environment.append(nil)
    defer { unsafe environment.forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let status = unsafe posix_spawn(&identifier, path, &actions, nil, &words, &environment)
    guard status == 0 else { throw SystemError("posix_spawn", code: status) }
    self.identifier = identifier
    self.output = output.readingEnd()
    self.errors = errors.readingEnd()
  }

  deinit {
    if !hasEnded {
      kill(identifier, SIGKILL)
      waitpid(identifier, nil, 0)
    }
  }

  /// Waits for the next line of standard output, and returns it without its line feed. If the output ends first, returns the
  /// bytes after the last line feed.
  func outputLine() -> String { Self.line(from: output.rawValue) }

  /// Waits for the next line of standard error, except the line that reports the start.
  func errorLine() -> String {
    let line = Self.line(from: errors.rawValue)
    return line.contains("\"event\":\"started\"") ? Self.line(from: errors.rawValue) : line
  }

  func send(_ signal: CInt) { kill(identifier, signal) }

  /// Waits for the end of the process. Returns the exit code; if a signal ended the process, the negative number of the signal.
  func end() -> Int32 {
    var status: Int32 = 0
    _ = unsafe waitpid(identifier, &status, 0)
    hasEnded = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }

  private static func line(from descriptor: CInt) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  private static func program() throws -> String {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { throw SystemError("realpath", code: errno) }
    defer { unsafe free(own) }
    let path = unsafe String(cString: own)
    return path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/drawtogether"
  }
}
