internal import Glibc

/// The memory of a process, and of all sockets of the machine.
struct Memory: Sendable {
  /// The private dirty pages, in bytes.
  var privateDirty = 0
  /// The resident pages, in bytes.
  var resident = 0
  /// The TCP socket buffers of the whole machine, in bytes.
  var sockets = 0

  /// Measures a process.
  static func of(_ process: Int32) throws(BenchError) -> Memory {
    guard let rollup = ProcFile.read("/proc/\(process)/smaps_rollup"),
      let status = ProcFile.read("/proc/\(process)/status")
    else { throw .process(process) }
    var memory = Memory()
    memory.privateDirty = (ProcFile.number("Private_Dirty:", in: rollup) ?? 0) * 1_024
    memory.resident = (ProcFile.number("VmRSS:", in: status) ?? 0) * 1_024
    memory.sockets = ofSockets()
    return memory
  }

  /// Returns the TCP socket buffers of the whole machine, in bytes.
  static func ofSockets() -> Int {
    pagesOfSockets() * sysconf(CInt(_SC_PAGESIZE))
  }

  private static func pagesOfSockets() -> Int {
    let text = ProcFile.read("/proc/net/sockstat") ?? ""
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("TCP:") }) else { return 0 }
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(of: "mem"), place + 1 < words.count else { return 0 }
    return Int(words[place + 1]) ?? 0
  }
}

/// The number of bytes in the send and receive queues of TCP sockets with the server's port, and of all other TCP sockets.
struct WaitingBytes: Equatable, Sendable {
  var atServer = 0
  var atOthers = 0

  /// Measures all IPv4 sockets of the machine. Takes milliseconds for thousands of sockets.
  static func now(serverPort: UInt16) -> WaitingBytes {
    WaitingBytes(ProcFile.read("/proc/net/tcp") ?? "", serverPort: serverPort)
  }

  /// Parses the table /proc/net/tcp. The second column is the local `address:port`. The fifth column contains the bytes in the
  /// queues, as `send:receive`. All numbers are hexadecimal.
  init(_ table: String, serverPort: UInt16) {
    for line in table.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ", maxSplits: 5)
      guard words.count > 4, let port = words[1].split(separator: ":").last else { continue }
      let bytes = words[4].split(separator: ":").reduce(0) { $0 + (Int($1, radix: 16) ?? 0) }
      if UInt16(port, radix: 16) == serverPort { atServer += bytes } else { atOthers += bytes }
    }
  }
}
