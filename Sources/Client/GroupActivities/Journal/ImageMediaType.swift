import FoundationEssentials

/// Detection of image formats in data whose media type is unknown. Web pages show an attachment as an image only if the
/// attachment has the media type of an image.
enum ImageMediaType {
  /// Returns the media type of an image by its first bytes; nil for other data.
  static func mediaType(of data: Data) -> String? {
    let head = Array(data.prefix(12))
    func contains(_ text: String, at offset: Int) -> Bool {
      head.dropFirst(offset).starts(with: text.utf8)
    }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if contains("GIF87a", at: 0) || contains("GIF89a", at: 0) { return "image/gif" }
    if contains("RIFF", at: 0), contains("WEBP", at: 8) { return "image/webp" }
    if contains("ftypavif", at: 4) { return "image/avif" }
    return nil
  }
}
