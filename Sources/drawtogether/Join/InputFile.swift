internal import FoundationEssentials
internal import Glibc
internal import Transport

/// Files that somebody names on a command line.
enum InputFile {
  /// As much of a picture as tells its size: a camera's own picture may be before it.
  static let headBytes = 1_048_576

  /// All bytes of a file, `-` for standard input; no more than `limit`.
  static func read(_ name: String, limit: Int) throws(JoinFailure) -> [UInt8] {
    let descriptor = name == "-" ? STDIN_FILENO : unsafe open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(name, SystemError("open", code: errno)) }
    defer { if name != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limit {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .file(name, SystemError("read", code: errno)) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// A file's content, which is not copied into memory whole.
  static func data(_ name: String) throws(JoinFailure) -> Data {
    // Opened first: its own errors are clearer.
    let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(name, SystemError("open", code: errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .file(name, SystemError("fstat", code: errno)) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .file(name, SystemError("read", code: EISDIR)) }
    guard status.st_mode & S_IFMT == S_IFREG else { return Data(try read(name, limit: .max)) }
    do {
      return try Data(contentsOf: URL(filePath: name), options: .mappedIfSafe)
    } catch {
      throw .file(name, SystemError("mmap", code: errno))
    }
  }
}
