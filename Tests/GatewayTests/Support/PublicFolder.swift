import FoundationEssentials

/// The source files of the page.
enum PublicFolder {
  static let path =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path + "/Public"

  /// Returns the files of the page whose paths end with `suffix`.
  static func files(endingWith suffix: String) throws -> [(path: String, bytes: [UInt8])] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }.map {
      ($0, Array(try Data(contentsOf: URL(filePath: path + "/" + $0))))
    }
  }
}
