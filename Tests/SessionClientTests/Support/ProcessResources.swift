import FoundationEssentials
import Glibc
import Platform

/// What this process holds of the system.
enum ProcessResources {
  /// How many open sockets, ours and a gateway's in this process, have that port at one end; listeners left out.
  static func sockets(to port: UInt16) throws -> Int {
    let wanted = ending(for: port)
    return try connections().dropFirst().count { line in
      // number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = line.split(separator: " ")
      guard columns.count > 9, columns[3] != "0A", columns[9] != "0" else { return false }
      return columns[1].hasSuffix(wanted) || columns[2].hasSuffix(wanted)
    }
  }

  /// How many bytes that came from that port wait for this process to read them.
  static func unread(from port: UInt16) throws -> Int {
    let wanted = ending(for: port)
    return try connections().dropFirst().reduce(0) { sum, line in
      // number, local address, remote address, state, bytes to be sent and to be read.
      let columns = line.split(separator: " ")
      guard columns.count > 4, columns[2].hasSuffix(wanted) else { return sum }
      return sum + (columns[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0)
    }
  }

  /// How an address with that port ends in the table.
  private static func ending(for port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return ":" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The lines of the system's table of connections.
  private static func connections() throws -> [Substring] {
    try lines(of: "/proc/self/net/tcp")
  }

  /// The lines of a file of the kernel. Read to its end: a file that says it has no bytes is taken for a short one by
  /// Foundation, and the rest of it left out.
  static func lines(of path: String) throws -> [Substring] {
    let table = unsafe OwnedDescriptor(owning: open(path, O_RDONLY))
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(table.rawValue, &piece, piece.count)
      guard count >= 0 else { throw SystemError("read", code: errno) }
      guard count > 0 else { break }
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
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
