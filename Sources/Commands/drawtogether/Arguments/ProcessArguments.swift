internal import Glibc

/// The arguments of this process.
///
/// Swift's runtime reads the arguments from the stack, below the environment. The runtime finds no arguments if a preloaded
/// library has moved `environ`. The gateway would then ignore its flags and listen on every address. The kernel's list in /proc
/// does not depend on `environ`.
enum ProcessArguments {
  /// Returns the arguments without the program's own name; nil if neither the runtime nor the kernel has a list.
  static func ofThisProcess() -> [String]? {
    // The runtime's list is preferred: for a program started by way of `ld.so`, the kernel's list begins with `ld.so`.
    let ofRuntime = CommandLine.arguments
    if !ofRuntime.isEmpty { return Array(ofRuntime.dropFirst()) }
    let list = file("/proc/self/cmdline").map(list(inCommandLine:)) ?? []
    return list.isEmpty ? nil : Array(list.dropFirst())
  }

  /// Returns the arguments from the content of a `cmdline` file of the kernel (proc(5)). Each argument ends with a zero byte.
  static func list(inCommandLine bytes: [UInt8]) -> [String] {
    var arguments = bytes.split(separator: 0, omittingEmptySubsequences: false)
    if arguments.last?.isEmpty == true { arguments.removeLast() }
    return arguments.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a whole file of the kernel, such as a file in /proc. The system does not report the length of such a file. Returns nil
  /// if the file cannot be read.
  private static func file(_ path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(file, &piece, piece.count)
      guard count > 0 else { return count < 0 ? nil : bytes }
      bytes.append(contentsOf: piece[..<count])
    }
  }
}
