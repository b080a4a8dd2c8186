import Glibc

/// A directory of a test's own, removed with all in it.
final class TemporaryDirectory {
  let path: String

  init() {
    var template = Array("/tmp/drawtogether-test-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    precondition(unsafe made != nil, "a directory can be made in /tmp")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { _ = unsafe unlink(path + "/" + name) }
    _ = unsafe rmdir(path)
  }

  /// What is in it, sorted.
  var names: [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func write(_ text: String, to name: String) {
    guard let file = unsafe fopen(path + "/" + name, "w") else { preconditionFailure("a file can be made") }
    unsafe fputs(text, file)
    unsafe fclose(file)
  }

  func read(_ name: String) -> String {
    guard let file = unsafe fopen(path + "/" + name, "r") else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// The permission bits of a file.
  func mode(of name: String) -> UInt32 {
    var status = stat()
    guard unsafe stat(path + "/" + name, &status) == 0 else { return 0 }
    return status.st_mode & 0o777
  }

  func setMode(_ mode: UInt32, of name: String) {
    _ = unsafe chmod(path + "/" + name, mode)
  }
}
