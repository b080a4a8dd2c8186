internal import Glibc
internal import Platform

/// A buffered writer for standard output. It throws an error if the disk is full, unlike the gateway's log, which drops lines.
struct StandardOutput {
  private static let bufferBytes = 65_536

  private var buffer: [UInt8] = []
  private let write: ([UInt8]) throws(SystemError) -> Void

  /// Creates an output that passes its chunks to `write`.
  init(_ write: @escaping ([UInt8]) throws(SystemError) -> Void) {
    self.write = write
  }

  /// Appends bytes.
  mutating func callAsFunction(_ bytes: [UInt8]) throws(CommandError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Writes the buffered bytes.
  mutating func flush() throws(CommandError) {
    guard !buffer.isEmpty else { return }
    do throws(SystemError) {
      try write(buffer)
    } catch {
      throw .output(error)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes all of `bytes` to a descriptor.
  static func write(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { raw in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[written...])
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
