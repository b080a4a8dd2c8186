/// Finds the content in a framed body (RFC 9112 §6, §7.1). The content itself is neither copied nor looked at.
struct BodyReader: Sendable {
  /// What a chunked body may cost beside its content; sizes in bytes.
  struct Limits: Sendable {
    let chunkExtensionBytes: Int
    let trailerBytes: Int
    let trailers: FieldSectionReader.Limits
  }

  enum Piece: Equatable {
    /// Where content lies in the bytes given.
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

  /// A size of more digits is refused, zeros in front or not: sixteen hold every length there is.
  private static let chunkSizeDigits = 16

  private let limits: Limits
  private var state: State
  /// Content read, and for chunks the size of the one begun.
  private var total = 0
  private var extensionBytes = 0

  /// A body with `Content-Length` or chunks, or with none at all.
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

  /// A response's body that ends with the connection (RFC 9112 §6.3).
  init(untilCloseWith limits: Limits) {
    self.limits = limits
    state = .untilClose
  }

  /// Whether the end of the connection ends this body.
  var endsAtClose: Bool {
    if case .untilClose = state { true } else { false }
  }

  /// Finds the next piece from `position` on and moves it behind.
  ///
  /// - Parameters:
  ///   - bytes: what arrived; may be empty.
  ///   - position: where in them to read on.
  ///   - bodyLimit: the most content that may be read; what is announced beyond it is refused before any of it is
  ///     delivered.
  /// - Returns: nil when all bytes are consumed and the body goes on.
  /// - Throws: the rule of framing that was broken.
  mutating func next(
    in bytes: Span<UInt8>, at position: inout Int, bodyLimit: Int
  ) throws(MessageFault) -> Piece? {
    guard total <= bodyLimit else { throw .bodyTooLarge(limit: bodyLimit, actual: total) }
    while true {
      switch state {
      case .content(left: 0), .ended:
        state = .ended
        return .end
      case .content(let left):
        guard let range = take(left, of: bytes, at: &position) else { return nil }
        state = .content(left: left - range.count)
        return .content(range)
      case .chunkContent(let left):
        guard let range = take(left, of: bytes, at: &position) else { return nil }
        state = range.count == left ? .chunkEndCarriageReturn : .chunkContent(left: left - range.count)
        return .content(range)
      case .untilClose:
        // Nothing was announced: what may be read is delivered, and the first byte beyond is refused.
        let room = bodyLimit - total
        guard room > 0 || position == bytes.count else {
          position += 1
          throw .bodyTooLarge(limit: bodyLimit, actual: total + 1)
        }
        guard let range = take(room, of: bytes, at: &position) else { return nil }
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

  private func take(_ length: Int, of bytes: Span<UInt8>, at position: inout Int) -> Range<Int>? {
    guard position < bytes.count else { return nil }
    let start = position
    position += min(length, bytes.count - position)
    return start..<position
  }

  private mutating func receiveFraming(_ byte: UInt8, bodyLimit: Int) throws(MessageFault) {
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
      state = .ended  // so that `trailers` holds the only reference to its buffers
      guard bytesLeft > 0 else { throw .trailersTooLarge(limit: limits.trailerBytes) }
      switch try trailers.receive(byte) {
      case .end: return
      case .more, .field: state = .trailers(trailers, bytesLeft: bytesLeft - 1)  // §7.1.2: dropped
      }
    case .content, .untilClose, .chunkContent, .ended:
      preconditionFailure("only framing is read byte by byte")
    }
  }

  private mutating func receiveChunkSize(
    _ byte: UInt8, _ size: Int, _ digits: Int, _ bodyLimit: Int
  ) throws(MessageFault) {
    if let digit = Grammar.hexValue(byte) {
      guard digits < Self.chunkSizeDigits else { throw .chunkSizeTooLong(limit: Self.chunkSizeDigits) }
      let (shifted, isTooLarge) = size.multipliedReportingOverflow(by: 16)
      let larger = isTooLarge ? Int.max : shifted | Int(digit)
      // A size only grows with its digits: what is over the limit already is refused at this one.
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
      // §7.1.1 lets a blank stand before the semicolon; nobody sends one, and parsers differ about it.
      throw .malformedChunkSize
    }
  }

  private mutating func receiveChunkExtension(_ byte: UInt8, _ size: Int) throws(MessageFault) {
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
  /// The part of the limits that concerns fields.
  var fields: FieldSectionReader.Limits {
    FieldSectionReader.Limits(fieldCount: fieldCount, fieldBytes: fieldBytes)
  }

  /// The part of the limits that concerns bodies.
  var body: BodyReader.Limits {
    BodyReader.Limits(chunkExtensionBytes: chunkExtensionBytes, trailerBytes: trailerBytes, trailers: fields)
  }
}
