import FoundationEssentials

/// Tells what data is that came without a type: a page shows pictures only by theirs.
enum ImageMediaType {
  /// The media type of a picture by its first bytes; nil for all else.
  static func mediaType(of data: Data) -> String? {
    let head = Array(data.prefix(12))
    func has(_ text: String, at offset: Int) -> Bool {
      head.dropFirst(offset).starts(with: text.utf8)
    }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if has("GIF87a", at: 0) || has("GIF89a", at: 0) { return "image/gif" }
    if has("RIFF", at: 0), has("WEBP", at: 8) { return "image/webp" }
    if has("ftypavif", at: 4) { return "image/avif" }
    return nil
  }
}
