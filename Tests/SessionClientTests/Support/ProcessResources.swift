import FoundationEssentials
import Glibc
import Platform

/// The sockets and threads of this process, according to `/proc`.
enum ProcessResources {
  /// Returns the number of open sockets with the port as their local or remote port. Sockets of a gateway in this
  /// process are included, listeners are not.
  static func sockets(to port: UInt16) throws -> Int {
    let wanted = ending(for: port)
    return try connections().dropFirst().count { line in
      // Columns: number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = line.split(separator: " ")
      guard columns.count > 9, columns[3] != "0A", columns[9] != "0" else { return false }
      return columns[1].hasSuffix(wanted) || columns[2].hasSuffix(wanted)
    }
  }

  /// Returns the number of bytes from a remote port that this process has not read yet.
  static func unread(from port: UInt16) throws -> Int {
    let wanted = ending(for: port)
    return try connections().dropFirst().reduce(0) { sum, line in
      // Columns: number, local address, remote address, state, unsent and unread bytes.
      let columns = line.split(separator: " ")
      guard columns.count > 4, columns[2].hasSuffix(wanted) else { return sum }
      return sum + (columns[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0)
    }
  }

  /// Returns the end of each address with this port in `/proc/self/net/tcp`: a colon and the port as four hexadecimal digits.
  private static func ending(for port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return ":" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Returns the lines of `/proc/self/net/tcp`.
  private static func connections() throws -> [Substring] {
    try lines(of: "/proc/self/net/tcp")
  }

  /// Returns the lines of a file in `/proc`. The function reads until the end of the file, because Foundation returns only the
  /// beginning of a file that reports a size of zero.
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

  /// Returns the number of threads with the name.
  static func threads(named name: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
      // A thread may end during the call, and then its file no longer exists.
      let found = try? String(contentsOf: URL(filePath: "/proc/self/task/\(task)/comm"), encoding: .utf8)
      return found?.split(separator: "\n").first.map(String.init) == name
    }
  }
}
