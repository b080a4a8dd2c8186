/// The media type of a file (RFC 9110 §8.3).
package struct MediaType: Equatable, Hashable, Sendable {
  /// The value of `Content-Type`. The value of a text type includes the parameter `charset`.
  package let value: String
  /// True if gzip makes the content smaller: text shrinks, images and fonts are compressed already.
  package let isCompressible: Bool

  /// Returns the type for the extension of a file name, in any case; `octetStream` if it is unknown.
  package static func forFileName(_ name: String) -> MediaType {
    guard let dot = name.utf8.lastIndex(of: 0x2E) else { return octetStream }
    let suffix = name[name.utf8.index(after: dot)...]
    return known.first { $0.key.equalsIgnoringCase(suffix) }?.value ?? octetStream
  }

  /// The type of unknown content.
  package static let octetStream = MediaType(value: "application/octet-stream", isCompressible: false)
  /// HTML.
  package static let page = text("text/html")

  /// Returns true if gzip makes content of this type and subtype (in lower case) smaller; false if unknown.
  static func isCompressible(_ essence: String) -> Bool {
    known.values.contains { $0.isCompressible && $0.essence == essence }
  }

  private static let known: [String: MediaType] = [
    "html": page,
    "js": text("text/javascript"),
    "mjs": text("text/javascript"),
    "css": text("text/css"),
    "svg": text("image/svg+xml"),
    "xml": text("application/xml"),
    "txt": text("text/plain"),
    "md": text("text/markdown"),
    "json": MediaType(value: "application/json", isCompressible: true),
    "map": MediaType(value: "application/json", isCompressible: true),
    "webmanifest": MediaType(value: "application/manifest+json", isCompressible: true),
    "wasm": MediaType(value: "application/wasm", isCompressible: true),
    "ico": MediaType(value: "image/vnd.microsoft.icon", isCompressible: true),
    "png": MediaType(value: "image/png", isCompressible: false),
    "jpg": MediaType(value: "image/jpeg", isCompressible: false),
    "jpeg": MediaType(value: "image/jpeg", isCompressible: false),
    "gif": MediaType(value: "image/gif", isCompressible: false),
    "webp": MediaType(value: "image/webp", isCompressible: false),
    "avif": MediaType(value: "image/avif", isCompressible: false),
    "woff2": MediaType(value: "font/woff2", isCompressible: false),
  ]

  private static func text(_ type: String) -> MediaType {
    MediaType(value: "\(type); charset=utf-8", isCompressible: true)
  }
}
