internal import FoundationEssentials
internal import Glibc
internal import Platform

/// Files that somebody names on a command line. Reading one may wait for whoever writes it: never on the main actor.
enum InputFile {
  /// As much of a picture as tells its size: a camera's own picture may be before it.
  static let headBytes = 1_048_576
  /// What is no regular file may have no end.
  static let maximumStreamBytes = 268_435_456
  /// No gateway takes more in one file as it comes.
  static let maximumBytes = 2_147_483_648

  /// All bytes of a file, `-` for standard input.
  ///
  /// - Throws: `JoinFailure.file`, and `fileTooLarge` for more bytes than `limit`.
  static func read(_ name: String, limit: Int) throws(JoinFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try read(name == "-" ? nil : name, limits: (limit, limit), into: &bytes)
    return bytes
  }

  /// A file's content. It is not mapped: whoever made it shorter meanwhile would end the process.
  static func data(_ name: String) throws(JoinFailure) -> Data {
    var bytes = Data()
    try read(name, limits: (maximumBytes, maximumStreamBytes), into: &bytes)
    return bytes
  }

  private static func read(
    _ file: String?, limits: (file: Int, stream: Int),
    into bytes: inout some RangeReplaceableCollection<UInt8>
  ) throws(JoinFailure) {
    let name = file ?? "standard input"
    let descriptor = file.map { unsafe open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else { throw .file(name, SystemError("open", code: errno)) }
    defer { if file != nil { close(descriptor) } }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .file(name, SystemError("fstat", code: errno)) }
    var limit = limits.stream
    if status.st_mode & S_IFMT == S_IFREG {
      limit = limits.file
      guard status.st_size <= limit else {
        throw .fileTooLarge(name, limit: limit, actual: Int(status.st_size))
      }
      bytes.reserveCapacity(Int(status.st_size))
    }
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .file(name, SystemError("read", code: errno)) }
      guard count > 0 else { return }
      guard bytes.count + count <= limit else { throw .fileTooLarge(name, limit: limit, actual: nil) }
      bytes.append(contentsOf: piece[..<count])
    }
  }
}
