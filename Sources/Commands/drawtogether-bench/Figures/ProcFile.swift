internal import Glibc

/// Files of /proc, which report no length.
enum ProcFile {
  /// Returns the text of a file; nil if it cannot be read.
  static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  /// Returns the number after a name at the beginning of a line, as in `VmRSS:   1234 kB`.
  static func number(_ name: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      let words = line.dropFirst(name.count).split(separator: " ")
      if let word = words.first(where: { Int($0) != nil }) { return Int(word) }
    }
    return nil
  }
}
