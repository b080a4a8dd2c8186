internal import Glibc
internal import Platform

/// Collects what is meant for standard output, and writes it in pieces. A disk without room is a failure here, where a log
/// line would only be lost.
struct StandardOutput {
  private static let pieceBytes = 65_536

  private var waiting: [UInt8] = []
  private let write: ([UInt8]) throws(SystemError) -> Void

  /// An output that gives its pieces to `write`.
  init(_ write: @escaping ([UInt8]) throws(SystemError) -> Void) {
    self.write = write
  }

  /// Takes bytes.
  mutating func callAsFunction(_ bytes: [UInt8]) throws(DataCommandFailure) {
    waiting.append(contentsOf: bytes)
    if waiting.count >= Self.pieceBytes { try flush() }
  }

  /// Writes what is waiting.
  mutating func flush() throws(DataCommandFailure) {
    guard !waiting.isEmpty else { return }
    do throws(SystemError) {
      try write(waiting)
    } catch {
      throw .output(error)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Writes all of `bytes` to a descriptor.
  static func write(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count > 0 {
        written += count
      } else if !(count < 0 && errno == EINTR) {
        throw SystemError("write", code: errno)
      }
    }
  }
}
