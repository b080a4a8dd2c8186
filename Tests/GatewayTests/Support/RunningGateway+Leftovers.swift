import Networking
import FoundationEssentials
import Platform
import Wire

/// What a gateway holds of the system, seen from outside of it.
extension RunningGateway {
  /// The folders in which a session's files lie.
  enum FilesFolder: String {
    /// What has arrived of uploads, by their ids.
    case uploads
    /// Whole contents, by their digests.
    case attachments
  }

  /// The names in a folder of a session's files; none when there is no such folder.
  func files(of session: SessionID, in name: FilesFolder) -> Set<String> {
    let path = "\(folder)/data/sessions/\(session.text)/\(name.rawValue)"
    // No folder is an answer.
    return (try? Set(FileManager.default.contentsOfDirectory(atPath: path))) ?? []
  }

  /// Files of sessions that are open in this process.
  func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      // Others of the process come and go meanwhile.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      // The logs stay open while their sessions are in use.
      return target.flatMap { path in
        path.hasPrefix("\(folder)/data/sessions/") && !path.hasSuffix("/log") ? path : nil
      }
    }
  }

  /// How many sockets the gateway's side holds open: those of its ports that have a descriptor, listeners left out.
  func openSockets() throws -> Int {
    try socketStates().count
  }

  /// The state (as in `/proc/net/tcp`) and the queues of each open socket of the gateway.
  func socketStates() throws -> [String] {
    let table = try String(contentsOf: URL(filePath: "/proc/self/net/tcp"), encoding: .utf8)
    let ports = [http, https].map { Self.hexadecimal($0.port) }
    return table.split(separator: "\n").dropFirst().compactMap { line in
      // number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = line.split(separator: " ")
      guard columns.count > 9, let port = columns[1].split(separator: ":").last else { return nil }
      let isListening = columns[3] == "0A"
      guard ports.contains(String(port)), !isListening, columns[9] != "0" else { return nil }
      return "\(columns[2]) state \(columns[3]) queues \(columns[4]) inode \(columns[9])"
    }
  }

  private static func hexadecimal(_ port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
