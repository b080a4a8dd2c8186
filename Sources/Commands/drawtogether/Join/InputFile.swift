internal import FoundationEssentials
internal import Glibc
internal import Platform

/// Files from the command line. Reading may wait for a writer (of a pipe): do not call it on the main actor.
enum InputFile {
  /// The bytes of a file that are searched for the picture's size: a camera stores a thumbnail before it.
  static let headBytes = 1_048_576
  /// The maximum for files that are not regular: a stream may have no end.
  static let maximumStreamBytes = 268_435_456
  /// The maximum for regular files: the gateway's default accepts no more.
  static let maximumBytes = 2_147_483_648

  /// Reads a file. It is not mapped: a process that truncates a mapped file would end this one.
  ///
  /// - Parameters:
  ///   - name: the path of the file.
  ///   - limit: the maximum number of bytes of a regular file.
  ///   - streamLimit: the maximum number of bytes of anything else, such as a pipe.
  /// - Returns: the content.
  /// - Throws: `CommandError.file`, and `fileTooLarge` for more bytes than the limit.
  static func read(
    _ name: String, limit: Int = maximumBytes, streamLimit: Int = maximumStreamBytes
  ) throws(CommandError) -> Data {
    let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(name, SystemError("open", code: errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .file(name, SystemError("fstat", code: errno)) }
    var bytes = Data()
    var limit = limit
    if status.st_mode & S_IFMT == S_IFREG {
      guard status.st_size <= limit else {
        throw .fileTooLarge(name, limit: limit, actual: Int(status.st_size))
      }
      bytes.reserveCapacity(Int(status.st_size))
    } else {
      limit = streamLimit
    }
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .file(name, SystemError("read", code: errno)) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else { throw .fileTooLarge(name, limit: limit, actual: nil) }
      bytes.append(contentsOf: piece[..<count])
    }
  }
}
