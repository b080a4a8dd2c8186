internal import CLinux
internal import Glibc
internal import Platform

/// The reading process of `floor`, and the pipe on which the reading process reports how many bytes it has read.
struct FloorChild: ~Copyable {
  private let process: pid_t
  private let pipe: CInt

  /// Starts this program as `floor-reader`.
  init(_ options: BenchOptions, port: UInt16) throws(BenchError) {
    var ends: [CInt] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else { throw .system(SystemError("pipe", code: errno)) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
    unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
    var words = [Pinning.executable, "floor-reader", "--port", "\(port)", "--sockets", "\(options.sockets)"]
    if let cpu = options.readerCPU { words = ["taskset", "-c", "\(cpu)"] + words }
    let strings = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe strings.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(&process, words[0], &actions, nil, strings, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw .system(SystemError("posix_spawnp", code: code))
    }
    self.process = process
    pipe = ends[0]
  }

  /// Waits until the process has read `total` bytes.
  func wait(for total: UInt64) throws(BenchError) {
    var word = [UInt64](repeating: 0, count: 512)
    while true {
      let count = unsafe word.withUnsafeMutableBytes { unsafe read(pipe, $0.baseAddress, $0.count) }
      guard count >= 8, count % 8 == 0 else {
        throw .protocolViolation("the process that reads the bytes sent by `floor` has ended")
      }
      if word[count / 8 - 1] >= total { return }
    }
  }

  // Kills the reading process, which would otherwise run as long as it has a socket.
  deinit {
    kill(process, SIGKILL)
    var status: CInt = 0
    unsafe waitpid(process, &status, 0)
    close(pipe)
  }
}
