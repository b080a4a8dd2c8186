import Glibc

/// A child process of a test.
final class Command {
  struct Failed: Error {
    let status: CInt
    let output: String
  }

  private let process: pid_t
  private let descriptor: CInt

  /// Starts a program from the search path. Its standard error goes to its standard output.
  init(_ name: String, _ arguments: [String]) throws {
    var ends: [CInt] = [0, 0]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failed(status: errno, output: "no pair of sockets")
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    for standard: CInt in 0...2 { unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], standard) }
    var words = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
    var process: pid_t = 0
    let status = unsafe posix_spawnp(&process, name, &actions, nil, &words, environ)
    unsafe words.forEach { unsafe free($0) }
    unsafe posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    (self.process, descriptor) = (process, ends[0])
    guard status == 0 else { throw Failed(status: status, output: "\(name) is needed for this test") }
  }

  deinit {
    close(descriptor)
  }

  /// Writes to the program's standard input.
  func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
  }

  /// Reads the program's output until `text` has arrived or the output ends, and returns the output that was read.
  func read(until text: String) -> String {
    var output: [UInt8] = []
    var byte: UInt8 = 0
    let end = Array(text.utf8)
    while output.suffix(end.count) != end[...], unsafe Glibc.read(descriptor, &byte, 1) == 1 {
      output.append(byte)
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Closes the program's input, waits until the program ends, and returns the rest of its output. Throws an error if the program
  /// failed.
  @discardableResult
  func output() throws -> String {
    shutdown(descriptor, CInt(SHUT_WR))
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      output += buffer.prefix(count)
    }
    var status: CInt = 0
    unsafe waitpid(process, &status, 0)
    let text = String(decoding: output, as: UTF8.self)
    guard status == 0 else { throw Failed(status: status, output: text) }
    return text
  }
}
