internal import Wire

/// The list of a session's attachments as a body that is written while it is sent.
///
/// It may have megabytes, and who asked for it may take them slowly: what is held meanwhile are the attachments themselves,
/// which others hold too, and one piece of text.
struct AttachmentListBody: Sendable {
  private var rest: ArraySlice<AttachmentObject>
  private var hasBegun = false
  private var isComplete = false
  /// How many bytes the whole has.
  let length: Int

  private static let opening = Array("{\"attachments\":[".utf8)
  private static let closing = Array("]}".utf8)
  private static let pieceBytes = 32_768

  init(_ attachments: [AttachmentObject]) {
    rest = attachments[...]
    length =
      Self.opening.count + Self.closing.count + max(0, attachments.count - 1)
      + attachments.reduce(0) { $0 + $1.encoded().count }
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
    return piece
  }
}
