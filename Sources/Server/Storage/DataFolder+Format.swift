internal import CLinux
internal import Glibc
internal import Platform

/// The version of the folder's layout: a line of text in the file `format`.
extension DataFolder {
  /// The format that this version of the program writes. It is also the newest format that this version reads.
  package static let format = 3
  static let formatFile = "format"
  /// The text of the file `format` in a complete folder of the present format.
  static let formatText = text(of: format)

  /// Returns the text of the file `format` in a complete folder of the given format.
  static func text(of format: Int) -> [UInt8] {
    Array("\(format)\n".utf8)
  }

  /// Returns the text of the file `format` in an unfinished copy. Versions that do not know this text refuse the folder.
  static func text(of purpose: DataFolderCopy.Purpose) -> [UInt8] {
    Array("unfinished \(purpose.rawValue)\n".utf8)
  }

  /// Checks the folder's format. If the folder has an older format or none, writes the present format, so that older versions of
  /// this program refuse the folder afterwards.
  ///
  /// - Returns: the older format that the folder had; nil if the folder had the present format.
  static func upgradeFormat(of root: borrowing Folder, _ path: String) throws(DataFolderError) -> Int? {
    let found = try format(of: root, path)
    guard found != format else { return nil }
    do throws(StorageError) {
      try root.write(formatText, as: formatFile, for: .mark)
    } catch {
      throw .notWritable(path: path, SystemError("write", code: error.code))
    }
    return found
  }

  /// Returns the folder's format; nil if it has no file `format`.
  static func format(of root: borrowing Folder, _ path: String) throws(DataFolderError) -> Int? {
    let text: String?
    do throws(StorageError) {
      text = try root.text(of: formatFile, for: .mark)
    } catch {
      throw .unusable(path: path, SystemError("open", code: error.code))
    }
    return try text.map { text throws(DataFolderError) in try format(in: text, path) }
  }

  /// Parses the text of the file `format`.
  ///
  /// - Parameters:
  ///   - text: the whole text of the file.
  ///   - path: the path of the folder, for the error.
  ///   - known: the newest format that is accepted.
  /// - Returns: the format in the text.
  /// - Throws: `DataFolderError` if the text has no format, or a newer one.
  static func format(in text: String, _ path: String, known: Int = format) throws(DataFolderError) -> Int {
    for purpose in DataFolderCopy.Purpose.allCases where Array(text.utf8) == Self.text(of: purpose) {
      throw .unfinished(path: path, purpose)
    }
    guard text.hasSuffix("\n"), let found = Int(text.dropLast()), found > 0 else {
      throw .unknownFormat(path: path)
    }
    guard found <= known else { throw .newerFormat(path: path, found: found, known: known) }
    return found
  }
}

extension Folder {
  /// Returns the text of a small file, of at most 256 bytes; nil if there is no such file.
  func text(of name: String, for operation: StorageError.Operation) throws(StorageError) -> String? {
    let file: OwnedDescriptor
    do throws(StorageError) {
      file = try openFile(name, toWrite: false, for: operation)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = try StorageError.check(
      operation, unsafe clinux_file_read(file.rawValue, &bytes, bytes.count, 0))
    return String(decoding: bytes[..<Int(count)], as: UTF8.self)
  }

  /// Writes a small file atomically. The file is on the disk when this function returns.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: the name of the file.
  ///   - operation: the operation that is named in an error.
  /// - Throws: `StorageError`; a file that already had this name is then unchanged.
  func write(
    _ bytes: [UInt8], as name: String, for operation: StorageError.Operation
  ) throws(StorageError) {
    let temporary = name + ".new"
    try removeFile(temporary, for: operation)
    let file = try createFile(temporary, for: operation)
    try StorageError.check(operation, unsafe clinux_file_write(file.rawValue, bytes, bytes.count, 0))
    try StorageError.check(operation, clinux_file_sync(file.rawValue))
    try rename(temporary, to: name, in: self, for: operation)
    try sync(for: operation)
  }
}
