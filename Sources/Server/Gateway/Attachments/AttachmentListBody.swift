internal import HTTP
internal import Wire

/// The list of a session's attachments as a body that is encoded while it is sent.
///
/// The list can be several megabytes long, and some clients receive it slowly. To save memory, the list is encoded in pieces of
/// about 32 kB, and only one piece is in memory at a time. The length of the body is therefore unknown when the head is sent. The
/// body is sent in chunks. HTTP/1.0 has no chunks: with it, the end of the connection marks the end of the body.
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

  /// Returns the next bytes of the body; nil after the last bytes.
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
