/// The identity of one piece of a session's history. The contents of a piece never change.
package struct HistoryPiece: Hashable, Sendable {
  /// The kinds of pieces.
  package enum Kind: Hashable, Sendable {
    /// All entries of the history from one sequence to another.
    case chunk
    /// The retained entries at a sequence.
    case state
  }

  /// The kind of the piece.
  package let kind: Kind
  /// The first sequence of a chunk; the sequence of a state.
  package let first: UInt64
  /// The last sequence of a chunk; the sequence of a state.
  package let last: UInt64
  /// The number of stored bytes.
  package let byteCount: Int
  /// A checksum of the piece. Two pieces with the same sequences and different contents have different tags.
  package let tag: UInt32

  /// Creates an identity from its parts.
  package init(kind: Kind, first: UInt64, last: UInt64, byteCount: Int, tag: UInt32) {
    self.kind = kind
    self.first = first
    self.last = last
    self.byteCount = byteCount
    self.tag = tag
  }

  /// Parses the name of a piece's file.
  /// - Returns: nil for the name of any other file.
  package init?(fileName: String) {
    let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let byteCount = Int(parts[2]), byteCount > 0,
      let tag = UInt32(parts[3], radix: 16)
    else {
      return nil
    }
    let range = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard range.count == 2, let last = UInt64(range[1]) else { return nil }
    if range[0] == "state" {
      self.init(kind: .state, first: last, last: last, byteCount: byteCount, tag: tag)
    } else if let first = UInt64(range[0]), first <= last {
      self.init(kind: .chunk, first: first, last: last, byteCount: byteCount, tag: tag)
    } else {
      return nil
    }
    // A number can be written in several ways, for example with leading zeros. Only the way in which `fileName` writes it is valid.
    guard fileName == self.fileName else { return nil }
  }

  /// The name of the piece's file.
  package var fileName: String {
    let range = kind == .state ? "state-\(last)" : "\(first)-\(last)"
    return "history.\(range).\(byteCount).\(tagText)"
  }

  /// The tag as eight hexadecimal digits.
  package var tagText: String {
    let digits = String(tag, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension [HistoryPiece] {
  /// The pieces in rising sequence. A state follows the chunk that ends at its sequence.
  package var inOrder: [HistoryPiece] {
    sorted { ($0.last, $0.kind == .state ? 1 : 0, $0.first) < ($1.last, $1.kind == .state ? 1 : 0, $1.first) }
  }

  /// The highest sequence of all pieces; 0 without pieces.
  package var end: UInt64 { map(\.last).max() ?? 0 }

  /// The number of stored bytes of all pieces.
  package var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
