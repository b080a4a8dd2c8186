internal import CLinux
internal import Glibc
internal import Platform
internal import Primitives

/// The Unix socket `commands` of a data folder. A command of the operator, which runs in another process, uses this socket to
/// reach the gateway that has locked the folder.
///
/// A request is one line, and its answer is one line, each of at most 256 bytes. The gateway answers only processes of the
/// folder's owner.
package final class CommandListener: Sendable {
  static let name = "commands"
  static let lineBytes = 256

  private let socket: OwnedDescriptor
  private let owner: UInt32

  /// Creates the socket. Replaces a socket that an earlier process left behind.
  package init(in data: DataFolder) throws(StorageError) {
    owner = try data.root.information(for: .listenForCommands).owner
    socket = OwnedDescriptor(
      owning: try StorageError.check(
        .listenForCommands, unsafe clinux_local_listen(data.root.rawValue, Self.name)))
  }

  /// Waits for the next request, and returns its connection; returns nil after `stop`.
  package func next() -> CommandConnection? {
    while true {
      let accepted = clinux_local_accept(socket.rawValue)
      guard accepted != -EINVAL else { return nil }
      guard accepted >= 0 else {
        // The process may have no free descriptor. The next attempt follows after a pause.
        usleep(100_000)
        continue
      }
      if let connection = CommandConnection(OwnedDescriptor(owning: accepted), from: owner) {
        return connection
      }
    }
  }

  /// Makes `next` return nil from now on. Any thread may call this function.
  package func stop() {
    // The call cannot fail for an open socket.
    _ = clinux_local_stop(socket.rawValue)
  }

  /// Waits for a line and reads it.
  ///
  /// - Returns: the line without its line feed; nil when the other end closed the socket too early, sent too many bytes, or took
  ///   too long.
  static func line(from socket: borrowing OwnedDescriptor, within timeout: Duration) -> String? {
    let deadline = MonotonicTime.now() + timeout
    var line: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: lineBytes)
    while line.last != UInt8(ascii: "\n") {
      let left = deadline - .now()
      guard left > .zero, line.count < lineBytes,
        clinux_poll(socket.rawValue, clinux_readable, left.wholeNanoseconds) > 0
      else { return nil }
      let count = unsafe clinux_receive(socket.rawValue, &bytes, lineBytes - line.count)
      guard count > 0 else { return nil }
      line += bytes[..<Int(count)]
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }
}

/// The connection of a process that sent a command and waits for the answer.
package final class CommandConnection: Sendable {
  private let socket: OwnedDescriptor
  /// The request: the line that the process sent.
  package let request: String

  /// Reads the request of the process. Returns nil if the process sends no request. If another user runs the process, sends a
  /// refusal and returns nil.
  fileprivate init?(_ socket: consuming OwnedDescriptor, from owner: UInt32) {
    var user: UInt32 = 0
    let status = unsafe clinux_local_peer_user(socket.rawValue, &user)
    guard status == 0, user == owner else {
      Self.send(
        "refused permission denied: only user \(owner), the owner of the data folder, may run commands",
        to: socket)
      return nil
    }
    guard let line = CommandListener.line(from: socket, within: .seconds(5)) else { return nil }
    request = line
    self.socket = socket
  }

  /// Sends the answer.
  package func answer(_ line: String) {
    Self.send(line, to: socket)
  }

  private static func send(_ line: String, to socket: borrowing OwnedDescriptor) {
    let bytes = Array(line.utf8.prefix(CommandListener.lineBytes - 1)) + [UInt8(ascii: "\n")]
    // The result is ignored: the send buffer of a new socket has room for a line, and a process that has ended does not need the
    // answer.
    _ = unsafe clinux_send(socket.rawValue, bytes, bytes.count)
  }
}

extension DataFolder {
  /// Returns the user and group that own the folder.
  package func owner() throws(StorageError) -> (user: UInt32, group: UInt32) {
    let information = try root.information(for: .askGateway)
    return (information.owner, information.group)
  }

  /// Sends a line to the gateway that has locked the folder, and waits for the answer.
  ///
  /// - Returns: nil when no gateway listens on the socket.
  /// - Throws: `StorageError`; ETIMEDOUT when a gateway accepted the line but did not answer.
  package func ask(_ line: String, within timeout: Duration) throws(StorageError) -> String? {
    let connected = unsafe clinux_local_connect(root.rawValue, CommandListener.name)
    guard ![-ENOENT, -ECONNREFUSED, -ENOTSOCK].contains(connected) else { return nil }
    let socket = OwnedDescriptor(owning: try StorageError.check(.askGateway, connected))
    let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
    // A gateway that refuses this user may answer and close the socket before the gateway reads the request line. So the answer
    // is read even if the line could not be sent.
    let sent = unsafe clinux_send(socket.rawValue, bytes, bytes.count)
    guard let answer = CommandListener.line(from: socket, within: timeout) else {
      try StorageError.check(.askGateway, sent)
      throw StorageError(.askGateway, code: ETIMEDOUT)
    }
    return answer
  }
}
