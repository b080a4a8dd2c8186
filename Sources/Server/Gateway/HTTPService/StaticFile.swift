package import HTTP
internal import Platform

/// One file of the page as it is served: its bytes, without the comments and the indentation of scripts and style sheets, and
/// their compressed twin where that is smaller.
package struct StaticFile: Sendable {
  /// One form of the file, with a length and a tag of its own.
  struct Form: Sendable {
    let bytes: [UInt8]
    let representation: Representation
  }

  let mediaType: MediaType
  let identity: Form
  /// Made once; `nil` for what gzip does not make smaller.
  let gzip: Form?

  /// A file of that name, which decides its media type.
  ///
  /// - Parameters:
  ///   - name: the last part of its path.
  ///   - bytes: all of it.
  ///   - modified: when it was last changed; `nil` when that is not known.
  /// - Throws: when there is no memory to compress it.
  package init(name: String, bytes: [UInt8], modified: HTTPDate?) throws(Gzip.Failure) {
    mediaType = MediaType.forFileName(name)
    let bytes = Self.minified(bytes, of: mediaType) ?? bytes
    // Half of the digest will do: the same bytes have the same tag on every machine.
    let tag = String(SHA256Digest(of: bytes.span).description.prefix(32))
    identity = Form(
      bytes: bytes,
      representation: Representation(
        length: bytes.count, entityTag: EntityTag(tag), lastModified: modified))
    let compressed = mediaType.isCompressible ? try Gzip.compress(bytes) : bytes
    guard compressed.count < bytes.count else {
      gzip = nil
      return
    }
    gzip = Form(
      bytes: compressed,
      representation: Representation(
        length: compressed.count, entityTag: EntityTag(tag + "-gzip"), lastModified: modified))
  }

  /// What comments and indentation are for is in the folder, and they are more than a third of what would be sent. `nil`
  /// for what has none, and where it cannot be told what is one.
  private static func minified(_ bytes: [UInt8], of mediaType: MediaType) -> [UInt8]? {
    switch mediaType {
    case .script: ScriptMinifier.minified(bytes)
    case .styleSheet: StyleMinifier.minified(bytes)
    default: nil
    }
  }
}
