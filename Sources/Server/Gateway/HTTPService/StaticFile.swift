package import HTTP
internal import Platform

/// A file of the page, as it is on the disk. It also has a compressed form, if that is smaller.
package struct StaticFile: Sendable {
  /// One form of the file: uncompressed or compressed. Each form has its own length and entity tag.
  struct Form: Sendable {
    let bytes: [UInt8]
    let representation: Representation
  }

  /// The minimum number of bytes of a file that is compressed at the faster level.
  private static let large = 256 << 10

  let mediaType: MediaType
  let identity: Form
  /// The compressed form; nil if gzip does not make the file smaller.
  let gzip: Form?
  /// The rule for copies in browsers' caches.
  let caching: Caching
  /// The policy of this file; nil if it is that of all responses.
  let contentSecurityPolicy: String?

  /// Creates a file. Returns nil if there is not enough memory to compress it. The name determines the media type.
  ///
  /// - Parameters:
  ///   - name: the last component of the file's path.
  ///   - bytes: the whole content of the file on the disk.
  ///   - modified: the time of the last change; nil if unknown.
  ///   - caching: the rule for copies in browsers' caches.
  ///   - contentSecurityPolicy: the policy of this file; nil if it is that of all responses.
  package init?(
    name: String, bytes: [UInt8], modified: HTTPDate?, caching: Caching = .revalidated,
    contentSecurityPolicy: String? = nil
  ) {
    self.caching = caching
    self.contentSecurityPolicy = contentSecurityPolicy
    mediaType = MediaType.forFileName(name)
    // The entity tag is the first half of the digest, which is enough to be unique. Equal bytes have equal tags on all machines.
    let tag = String(SHA256Digest(of: bytes.span).description.prefix(32))
    identity = Form(
      bytes: bytes,
      representation: Representation(
        length: bytes.count, entityTag: EntityTag(tag), lastModified: modified))
    // The large files are those of pdf.js, which few sessions need. At the best level, their compression would take most of the
    // startup time.
    let level: Gzip.Level = bytes.count < Self.large ? .best : .usual
    guard let compressed = mediaType.isCompressible ? Gzip.compress(bytes, level) : bytes else { return nil }
    guard compressed.count < bytes.count else {
      gzip = nil
      return
    }
    gzip = Form(
      bytes: compressed,
      representation: Representation(
        length: compressed.count, entityTag: EntityTag(tag + "-gzip"), lastModified: modified))
  }
}
