internal import HTTP
internal import Wire

/// The list of a session's attachments as a body that is encoded while it is sent.
///
/// The list may have megabytes, and a client may receive it slowly. To save memory, only one piece of text is encoded at a time;
/// the attachments are shared with the session. So the length is unknown at the beginning. The body is sent in chunks. HTTP/1.0
/// has no chunks, so there the end of the connection ends the body.
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

  /// Returns the next bytes; nil at the end.
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
