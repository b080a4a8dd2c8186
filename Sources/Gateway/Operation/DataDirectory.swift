internal import Glibc
internal import Transport

/// The one folder that the gateway writes to.
enum DataDirectory {
  /// Makes the folder, and those above it, if it is not there. Nobody else may look into one that was made.
  static func make(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part
      if unsafe mkdir(made, 0o700) != 0, errno != EEXIST { throw SystemError("mkdir", code: errno) }
      made += "/"
    }
  }
}
