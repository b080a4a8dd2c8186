internal import HTTP
internal import Wire

/// The list of a session's attachments as a body that is written while it is sent.
///
/// It may have megabytes, and who asked for it may take them slowly: what is held meanwhile are the attachments themselves,
/// which others hold too, and one piece of text. So nobody knows its length beforehand, and it goes out in chunks; in HTTP/1.0,
/// which has none, it ends with the connection.
struct AttachmentListBody: Sendable {
  private var rest: ArraySlice<AttachmentObject>
  private var hasBegun = false
  private var isComplete = false
  private let isChunked: Bool

  private static let opening = Array("{\"attachments\":[".utf8)
  private static let closing = Array("]}".utf8)
  private static let pieceBytes = 32_768

  init(_ attachments: [AttachmentObject], isChunked: Bool) {
    rest = attachments[...]
    self.isChunked = isChunked
  }

  /// The next bytes; nil when all were given.
  mutating func next() -> [UInt8]? {
    guard !isComplete else { return nil }
    var piece = hasBegun ? [] : Self.opening
    while let attachment = rest.popFirst() {
      piece.append(contentsOf: attachment.encoded())
      if !rest.isEmpty { piece.append(UInt8(ascii: ",")) }
      if piece.count >= Self.pieceBytes { break }
    }
    hasBegun = true
    if rest.isEmpty {
      piece.append(contentsOf: Self.closing)
      isComplete = true
    }
    guard isChunked else { return piece }
    var chunks: [UInt8] = []
    ChunkWriter.append(piece.span, to: &chunks)
    if isComplete { ChunkWriter.appendEnd(to: &chunks) }
    return chunks
  }
}
