/// A part of a file on its way to a socket.
///
/// Without TLS, a file thread lets the kernel copy the file to the socket, so no bytes are buffered here. With TLS, the file is
/// read in pieces. One piece is encrypted while the next is read, so at most two pieces are buffered.
final class FileTransfer {
  let reader: ContentReader
  /// The range of the file that is not sent yet.
  var range: Range<UInt64>
  /// True while a file thread sends.
  var isSending = false
  /// True if the socket became writable after the file thread had begun.
  var becameWritable = false

  /// The piece that is being encrypted, and the part of it that is left.
  var piece: [UInt8] = []
  var pieceRange = 0..<0
  /// The piece after `piece`.
  var nextPiece: [UInt8]?
  /// The offset up to which the file was read, or is being read.
  var readUpTo: UInt64
  var isReading = false

  /// The maximum bytes that the kernel is asked to send at a time.
  static let sliceBytes = 1_048_576
  /// The bytes that are read at a time.
  static let pieceBytes = 131_072
  /// The bytes that are read at a time while memory for connections is short.
  static let smallPieceBytes = 16_384

  /// Releases the memory of a transfer whose client receives nothing at present. The bytes are read again later.
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
