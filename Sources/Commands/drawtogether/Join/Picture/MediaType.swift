/// Media types of files other than pictures, by file name extension.
enum MediaType {
  private static let byExtension: [String: String] = [
    "csv": "text/csv", "html": "text/html", "json": "application/json", "m4a": "audio/mp4",
    "md": "text/markdown",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "svg": "image/svg+xml", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm",
    "xml": "application/xml",
    "zip": "application/zip",
  ]

  /// Returns the type of a file; `application/octet-stream` if unknown.
  static func of(_ name: String) -> String {
    let end = name.split(separator: ".", omittingEmptySubsequences: false)
    guard end.count > 1, let last = end.last else { return "application/octet-stream" }
    return byExtension[last.lowercased()] ?? "application/octet-stream"
  }
}
