import FoundationEssentials

/// What this process holds of the system.
enum Leftovers {
  /// How many open sockets, ours and a gateway's in this process, have that port at one end; listeners left out.
  static func sockets(to port: UInt16) throws -> Int {
    let digits = String(port, radix: 16, uppercase: true)
    let wanted = String(repeating: "0", count: 4 - digits.count) + digits
    let table = try String(contentsOf: URL(filePath: "/proc/self/net/tcp"), encoding: .utf8)
    return table.split(separator: "\n").dropFirst().count { line in
      // number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = line.split(separator: " ")
      guard columns.count > 9, columns[3] != "0A", columns[9] != "0" else { return false }
      return columns[1].hasSuffix(":\(wanted)") || columns[2].hasSuffix(":\(wanted)")
    }
  }

  /// How many threads have that name.
  static func threads(named name: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
      // Others come and go meanwhile.
      let found = try? String(contentsOf: URL(filePath: "/proc/self/task/\(task)/comm"), encoding: .utf8)
      return found?.split(separator: "\n").first.map(String.init) == name
    }
  }
}
