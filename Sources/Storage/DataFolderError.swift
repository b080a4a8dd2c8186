package import Transport

/// Why the data folder cannot be used. Its words are one sentence for the operator and name the folder.
package enum DataFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is not there and cannot be made.
  case notMade(path: String, SystemError)
  /// What has that name is no folder.
  case notAFolder(path: String)
  /// Nothing can be made in it.
  case notWritable(path: String, SystemError)
  /// Another process has it; `nil` when that one has not said its number yet.
  case inUse(path: String, process: Int32?)
  /// Something else is wrong.
  case unusable(path: String, SystemError)

  package var description: String {
    switch self {
    case .notMade(let path, let error):
      "the data folder \(path) cannot be made (\(error))"
    case .notAFolder(let path):
      "the data folder \(path) is not a folder"
    case .notWritable(let path, let error):
      "the data folder \(path) cannot be written to (\(error))"
    case .inUse(let path, let process?):
      "the data folder \(path) is in use by process \(process): one gateway at a time may have it"
    case .inUse(let path, nil):
      "the data folder \(path) is in use by another process: one gateway at a time may have it"
    case .unusable(let path, let error):
      "the data folder \(path) cannot be used (\(error))"
    }
  }
}
