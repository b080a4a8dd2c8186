/// The transfer of a range of a file to a socket.
///
/// Without TLS, a file thread calls `sendfile`, so no bytes are buffered in this process. With TLS, the file is read in pieces.
/// While one piece is encrypted, the next piece is read, so at most two pieces are buffered.
final class FileTransfer {
  let reader: ContentReader
  /// The range of the file that has not been sent yet.
  var range: Range<UInt64>
  /// True while a file thread sends bytes of this transfer.
  var isSending = false
  /// True if the socket became writable after the file thread began its present send call.
  var becameWritable = false

  /// The piece that is being encrypted. `pieceRange` is the range of this piece that has not been encrypted yet.
  var piece: [UInt8] = []
  var pieceRange = 0..<0
  /// The piece that follows `piece`, if it has been read already.
  var nextPiece: [UInt8]?
  /// The offset up to which the file was read, or is being read.
  var readUpTo: UInt64
  var isReading = false

  /// The maximum number of bytes in one call of `sendfile`.
  static let sliceBytes = 1_048_576
  /// The number of bytes that are read at a time for a connection with TLS.
  static let pieceBytes = 131_072
  /// The number of bytes that are read at a time for a connection with TLS while memory for connections is short.
  static let smallPieceBytes = 16_384

  /// Releases buffered bytes of a transfer whose client accepts no bytes at present: `nextPiece`, and the encrypted part of
  /// `piece`. The bytes of `nextPiece` are read from the file again later.
  func releaseReadAhead() {
    if let next = nextPiece {
      readUpTo -= UInt64(next.count)
      nextPiece = nil
    }
    if pieceRange.count < piece.count {
      piece = Array(piece[pieceRange])
      pieceRange = 0..<piece.count
    }
  }

  init(_ reader: ContentReader, _ range: Range<UInt64>) {
    self.reader = reader
    self.range = range
    readUpTo = range.lowerBound
  }
}
