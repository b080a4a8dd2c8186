import Networking
import FoundationEssentials
import Glibc
import Platform
import Wire

/// The files and sockets of a gateway, as the operating system shows them.
extension RunningGateway {
  /// The folders of a session's files.
  enum FilesFolder: String {
    /// The received bytes of uploads, by their ids.
    case uploads
    /// Complete contents, by their digests.
    case attachments
  }

  /// Returns the names of the files in one of the session's folders. Returns an empty set if the folder does not exist.
  func files(of session: SessionID, in name: FilesFolder) -> Set<String> {
    let path = "\(folder)/data/sessions/\(session.text)/\(name.rawValue)"
    // A missing folder counts as an empty folder.
    return (try? Set(FileManager.default.contentsOfDirectory(atPath: path))) ?? []
  }

  /// Returns the session files, except logs, that are open in this process.
  func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      // A descriptor may be closed during the call, and then has no target.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      // Logs are left out, because they stay open while their sessions are in use.
      return target.flatMap { path in
        path.hasPrefix("\(folder)/data/sessions/") && !path.hasSuffix("/log") ? path : nil
      }
    }
  }

  /// The number of the gateway's open sockets, without its listeners.
  ///
  /// Reads the descriptors of this process instead of `/proc/net/tcp`, which leaves out rows if the table changes during the
  /// read.
  func openSockets() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      // A descriptor that is not a socket, or that was closed during the call, has no address.
      guard let descriptor = CInt(name), let address = try? Socket(descriptor).localAddress(),
        [http.port, https.port].contains(address.port)
      else { return false }
      return !Self.isListener(descriptor)
    }
  }

  private static func isListener(_ descriptor: CInt) -> Bool {
    var value: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0
  }
}
