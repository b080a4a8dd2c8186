import FoundationEssentials
package import Glibc

/// A folder for one test. When this object is released, the folder is removed with its content.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// Creates an empty folder in `/tmp`.
  package init() {
    var template = Array("/tmp/drawtogether-test-XXXXXX".utf8CString)
    let created = unsafe mkdtemp(&template)
    precondition(unsafe created != nil, "a folder cannot be created in /tmp")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    // If this fails, the folder stays in /tmp.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the sorted names in a folder; nil if it does not exist.
  package func names(in folder: String = "") -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
  }

  /// Returns the bytes of a file; nil if it does not exist.
  package func contents(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path + "/" + name).map { Array($0) }
  }

  /// Returns the text of a file.
  package func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  /// Writes a file. Creates its folder.
  package func write(_ text: String, to name: String) throws {
    let file = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Creates a folder and its parents.
  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  /// Creates a symbolic link.
  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }

  /// Returns the permission bits of a file; nil if it does not exist.
  package func mode(of name: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path + "/" + name, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  /// Sets the permission bits of a file.
  package func setMode(_ mode: mode_t, of name: String) {
    _ = unsafe chmod(path + "/" + name, mode)
  }
}
