/// The rules for the extension of a session's history.
package struct HistoryPolicy: Sendable {
  /// The maximum number of stored bytes of the history.
  package var byteCount: Int
  /// The number of bytes of the session's retained entries.
  package var retainedBytes: Int
  /// The minimum number of bytes that the history must lack for an extension. If the log has dropped entries that the history
  /// lacks, the history is extended in any case.
  package var minimumBytes: Int

  /// Creates rules. By default, the history is extended if it lacks any entry.
  package init(byteCount: Int, retainedBytes: Int, minimumBytes: Int = 1) {
    self.byteCount = byteCount
    self.retainedBytes = retainedBytes
    self.minimumBytes = minimumBytes
  }

  /// The maximum number of pieces of a history.
  package static let maximumPieces = 4096
  /// The number of bytes, before compression, at which a chunk is complete.
  static let chunkBytes = 4 << 20

  /// True if the state of the session does not fit into a history of `byteCount` bytes. The calculation assumes that compression
  /// halves the size of the entries; usually, it does more.
  var isStateTooLarge: Bool { retainedBytes > 2 * byteCount }
}

/// The extent of a session's history.
package struct HistoryExtent: Equatable, Sendable {
  /// The number of stored bytes.
  package var byteCount: Int
  /// The last sequence of the history; 0 if it is empty.
  package var through: UInt64

  /// Creates an extent.
  package init(byteCount: Int, through: UInt64) {
    self.byteCount = byteCount
    self.through = through
  }

  init(_ pieces: [HistoryPiece]) {
    self.init(byteCount: pieces.byteCount, through: pieces.end)
  }
}
