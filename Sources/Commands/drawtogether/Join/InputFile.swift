internal import FoundationEssentials
internal import Glibc
internal import Platform

/// Reads files from the command line. Reading a pipe waits for its writer, so files must not be read on the main actor.
enum InputFile {
  /// The number of bytes at the beginning of a picture file that are searched for the size of the picture. A camera may store a
  /// thumbnail before the size.
  static let headBytes = 1_048_576
  /// The maximum number of bytes of a file that is not regular, such as a pipe: a stream may have no end.
  static let maximumStreamBytes = 268_435_456
  /// The maximum number of bytes of a regular file: a gateway with default limits accepts no more.
  static let maximumBytes = 2_147_483_648

  /// Reads a file. The file is not mapped into memory: if another process truncated a mapped file, this process would crash.
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
