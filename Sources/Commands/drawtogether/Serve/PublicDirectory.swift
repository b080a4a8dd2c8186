internal import Glibc

/// Finds the files of the page where nobody said where they are.
enum PublicDirectory {
  /// The folder as it was configured; but when that is the default and not here, the one that came with the program:
  /// beside an installed one in `share`, or in the package that it was built from.
  static func find(
    _ configured: String, isDefault: Bool, program: String, hasPage: (String) -> Bool
  ) -> String {
    guard isDefault, !hasPage(configured), let end = program.lastIndex(of: "/") else { return configured }
    let folder = program[..<end]
    let candidates = [
      "\(folder)/../share/drawtogether/Public", "\(folder)/../../../Public",
      // Built with a folder of its own in `.build`.
      "\(folder)/../../../../Public",
    ]
    return candidates.first(where: hasPage) ?? configured
  }

  /// Whether a folder holds a page.
  static func hasPage(_ folder: String) -> Bool {
    unsafe access(folder + "/index.html", R_OK) == 0
  }

  /// Where this program's file is, without links; empty when the system does not say.
  static func program() -> String { realPath("/proc/self/exe") ?? "" }

  /// A path without links and detours; `nil` when it leads nowhere.
  static func realPath(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
