/// A reader that finds the content in a framed body (RFC 9112 §6, §7.1). It neither copies nor examines the content.
struct BodyReader: Sendable {
  /// The limits of a chunked body, except the limit of its content.
  struct Limits: Sendable {
    let chunkExtensionBytes: Int
    let trailerBytes: Int
    let trailers: FieldSectionReader.Limits
  }

  enum Piece: Equatable {
    /// The range of the content in the passed bytes.
    case content(Range<Int>)
    case end
  }

  private enum State: Sendable {
    case content(left: Int)
    case untilClose
    case chunkSize(Int, digits: Int)
    case chunkExtension(size: Int)
    case chunkLineFeed(size: Int)
    case chunkContent(left: Int)
    case chunkEndCarriageReturn
    case chunkEndLineFeed
    case trailers(FieldSectionReader, bytesLeft: Int)
    case ended
  }

  /// The maximum number of digits of a chunk size, including leading zeros: 16 digits can express every length.
  private static let chunkSizeDigits = 16

  private let limits: Limits
  private var state: State
  /// The known length of the content in bytes: the value of `Content-Length`; for a chunked body, the sum of all chunk sizes
  /// that have been read; for a body that ends with the connection, the number of bytes that have been read.
  private var total = 0
  private var extensionBytes = 0

  /// Creates a reader of a body with `Content-Length`, of a chunked body, or of an empty body.
  init(_ framing: BodyFraming, limits: Limits) {
    self.limits = limits
    switch framing {
    case .none:
      state = .content(left: 0)
    case .length(let length):
      state = .content(left: length)
      total = length
    case .chunked:
      state = .chunkSize(0, digits: 0)
    }
  }

  /// Creates a reader of a response's body that ends with the connection (RFC 9112 §6.3).
  init(untilCloseWith limits: Limits) {
    self.limits = limits
    state = .untilClose
  }

  /// True if the end of the connection ends this body.
  var endsAtClose: Bool {
    if case .untilClose = state { true } else { false }
  }

  /// Returns the number of bytes of content that follow, if the length is known and within the limit; otherwise 0.
  func contentLeft(bodyLimit: Int) -> Int {
    if case .content(let left) = state, total <= bodyLimit { left } else { 0 }
  }

  /// Skips content of a body with `Content-Length`.
  mutating func skipContent(_ count: Int) {
    guard case .content(let left) = state, count <= left else {
      preconditionFailure("the caller skips more content than the body has left")
    }
    state = .content(left: left - count)
  }

  /// Finds the next piece from `position` on, and moves `position` after it.
  ///
  /// - Parameters:
  ///   - bytes: the received bytes; may be empty.
  ///   - position: the index in `bytes` at which to continue.
  ///   - bodyLimit: the maximum length of the body's content. Announced content above the limit is refused before any of it is
  ///     returned.
  /// - Returns: nil when all bytes are consumed and the body continues.
  /// - Throws: the framing rule that the body broke.
  mutating func next(
    in bytes: Span<UInt8>, at position: inout Int, bodyLimit: Int
  ) throws(MessageError) -> Piece? {
    guard total <= bodyLimit else { throw .bodyTooLarge(limit: bodyLimit, actual: total) }
    while true {
      switch state {
      case .content(left: 0), .ended:
        state = .ended
        return .end
      case .content(let left):
        guard let range = consume(left, of: bytes, at: &position) else { return nil }
        state = .content(left: left - range.count)
        return .content(range)
      case .chunkContent(let left):
        guard let range = consume(left, of: bytes, at: &position) else { return nil }
        state = range.count == left ? .chunkEndCarriageReturn : .chunkContent(left: left - range.count)
        return .content(range)
      case .untilClose:
        // If no length was announced, content up to the limit is returned, and the first byte beyond the limit is refused.
        let room = bodyLimit - total
        guard room > 0 || position == bytes.count else {
          position += 1
          throw .bodyTooLarge(limit: bodyLimit, actual: total + 1)
        }
        guard let range = consume(room, of: bytes, at: &position) else { return nil }
        total += range.count
        return .content(range)
      default:
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        try receiveFraming(byte, bodyLimit: bodyLimit)
      }
    }
  }

  private func consume(_ length: Int, of bytes: Span<UInt8>, at position: inout Int) -> Range<Int>? {
    guard position < bytes.count else { return nil }
    let start = position
    position += min(length, bytes.count - position)
    return start..<position
  }

  private mutating func receiveFraming(_ byte: UInt8, bodyLimit: Int) throws(MessageError) {
    switch state {
    case .chunkSize(let size, let digits):
      try receiveChunkSize(byte, size, digits, bodyLimit)
    case .chunkExtension(let size):
      try receiveChunkExtension(byte, size)
    case .chunkLineFeed(let size):
      guard byte == Grammar.lineFeed else { throw .bareCarriageReturn }
      state =
        size > 0
        ? .chunkContent(left: size)
        : .trailers(FieldSectionReader(limits: limits.trailers), bytesLeft: limits.trailerBytes)
    case .chunkEndCarriageReturn:
      guard byte == Grammar.carriageReturn else { throw .missingLineEndAfterChunk }
      state = .chunkEndLineFeed
    case .chunkEndLineFeed:
      guard byte == Grammar.lineFeed else { throw .bareCarriageReturn }
      state = .chunkSize(0, digits: 0)
    case .trailers(var trailers, let bytesLeft):
      state = .ended  // Drops the second reference to the buffers, so that `receive` does not copy them.
      guard bytesLeft > 0 else { throw .trailersTooLarge(limit: limits.trailerBytes) }
      switch try trailers.receive(byte) {
      case .end: return
      // RFC 9112 §7.1.2: the fields of trailers are ignored.
      case .more, .field: state = .trailers(trailers, bytesLeft: bytesLeft - 1)
      }
    case .content, .untilClose, .chunkContent, .ended:
      preconditionFailure("a byte of the content was passed to the reader of the framing")
    }
  }

  private mutating func receiveChunkSize(
    _ byte: UInt8, _ size: Int, _ digits: Int, _ bodyLimit: Int
  ) throws(MessageError) {
    if let digit = Grammar.hexValue(byte) {
      guard digits < Self.chunkSizeDigits else { throw .chunkSizeTooLong(limit: Self.chunkSizeDigits) }
      let (shifted, isTooLarge) = size.multipliedReportingOverflow(by: 16)
      let larger = isTooLarge ? Int.max : shifted | Int(digit)
      // A size only grows with each digit, so it is refused at the digit that exceeds the limit.
      guard larger <= bodyLimit - total else {
        let (sum, isBeyondInt) = total.addingReportingOverflow(larger)
        throw .bodyTooLarge(limit: bodyLimit, actual: isBeyondInt ? .max : sum)
      }
      state = .chunkSize(larger, digits: digits + 1)
      return
    }
    guard digits > 0 else { throw .malformedChunkSize }
    switch byte {
    case Grammar.carriageReturn:
      total += size
      state = .chunkLineFeed(size: size)
    case 0x3B:  // ;
      total += size
      state = .chunkExtension(size: size)
    case Grammar.lineFeed:
      throw .bareLineFeed
    default:
      // RFC 9112 §7.1.1 allows a blank before the semicolon. The blank is refused here, because no client sends one and parsers
      // disagree about its meaning.
      throw .malformedChunkSize
    }
  }

  private mutating func receiveChunkExtension(_ byte: UInt8, _ size: Int) throws(MessageError) {
    switch byte {
    case Grammar.carriageReturn: state = .chunkLineFeed(size: size)
    case Grammar.lineFeed: throw .bareLineFeed
    case _ where Grammar.isFieldContent(byte):
      extensionBytes += 1
      guard extensionBytes <= limits.chunkExtensionBytes
      else { throw .chunkExtensionsTooLong(limit: limits.chunkExtensionBytes) }
    default: throw .malformedChunkExtension(byte)
    }
  }
}

extension RequestLimits {
  /// The limits for fields.
  var fields: FieldSectionReader.Limits {
    FieldSectionReader.Limits(fieldCount: fieldCount, fieldBytes: fieldBytes)
  }

  /// The limits for bodies.
  var body: BodyReader.Limits {
    BodyReader.Limits(chunkExtensionBytes: chunkExtensionBytes, trailerBytes: trailerBytes, trailers: fields)
  }
}
