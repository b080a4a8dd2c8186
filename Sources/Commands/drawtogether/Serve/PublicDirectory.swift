internal import Glibc

/// Finds the folder of the page when `--public` is not set.
enum PublicDirectory {
  /// Returns the configured folder. If the configured folder is the default and has no page, returns the folder of the page that
  /// belongs to the program: in `share` beside an installed program, or in the package from which the program was built.
  static func find(
    _ configured: String, isDefault: Bool, program: String, hasPage: (String) -> Bool
  ) -> String {
    guard isDefault, !hasPage(configured), let end = program.lastIndex(of: "/") else { return configured }
    let folder = program[..<end]
    let candidates = [
      "\(folder)/../share/drawtogether/Public", "\(folder)/../../../Public",
      // This path is for a program that was built with a scratch path inside `.build`.
      "\(folder)/../../../../Public",
    ]
    return candidates.first(where: hasPage) ?? configured
  }

  /// Returns true if a folder contains a page.
  static func hasPage(_ folder: String) -> Bool {
    unsafe access(folder + "/index.html", R_OK) == 0
  }

  /// Returns the path of this program's file, without symbolic links; empty if the system does not report it.
  static func program() -> String { realPath("/proc/self/exe") ?? "" }

  /// Returns the canonical path; nil if the file does not exist.
  static func realPath(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
