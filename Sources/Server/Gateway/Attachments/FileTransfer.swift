/// A part of a file on its way to a socket.
///
/// In plain text a file thread gives it to the kernel, which copies it from its own cache: nothing of it is held here. For
/// TLS it is read in pieces, one being encrypted while the next is read: at most two of them are held.
final class FileTransfer {
  let reader: ContentReader
  /// What the socket has still to be given.
  var range: Range<UInt64>
  /// A file thread sends.
  var isSending = false
  /// The socket has become writable since the file thread began.
  var becameWritable = false

  /// What is being encrypted, and what of it is left.
  var piece: [UInt8] = []
  var pieceRange = 0..<0
  /// The piece after it.
  var nextPiece: [UInt8]?
  /// Up to where the file has been read, or is being read.
  var readUpTo: UInt64
  var isReading = false

  /// How much is asked of the kernel at a time, and how much is read at a time.
  static let sliceBytes = 1_048_576
  static let pieceBytes = 131_072
  /// The bytes that are read at a time while connections hold much memory.
  static let smallPieceBytes = 16_384

  /// Gives up what need not be held for a reader that takes nothing at present: it is read again when that is over.
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
