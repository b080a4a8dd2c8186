/// A reader of the requests of one connection (RFC 9112), independent of the boundaries of the received bytes.
///
/// It has no socket and no clock: it receives bytes and returns events. Each rule is checked at the first byte that
/// breaks it. A head is stored until it is complete, within the limits; body content is never copied.
package struct RequestReader: Sendable {
  package enum Event: Equatable, Sendable {
    /// The head of a request. A caller that switches protocols stops reading after this event: `position` is then at the first
    /// byte after the head.
    case head(RequestHead)
    /// A part of the body's content, as a range of the passed bytes; never empty.
    case body(Range<Int>)
    /// The request is complete; the next one may follow in the same bytes.
    case end
  }

  private enum State: Sendable {
    case betweenRequests
    case line(RequestLineReader, bytesLeft: Int)
    case fields(RequestFields, bytesLeft: Int)
    case body(BodyReader)
    case failed(MessageError)
  }

  private let limits: RequestLimits
  private var state = State.betweenRequests

  /// The maximum length of the content of the current request's body, in bytes. A longer body is refused with status 413. Set
  /// this property after `.head` to the limit of the route. When the next request begins, the reader sets it to
  /// `limits.bodyBytes`.
  package var bodyLimit: Int

  package init(limits: RequestLimits = RequestLimits()) {
    self.limits = limits
    bodyLimit = limits.bodyBytes
  }

  /// True if no byte has been read since the end of the last request. Such a connection may be closed at any time.
  package var isBetweenRequests: Bool {
    if case .betweenRequests = state { true } else { false }
  }

  /// True while a head is incomplete. The time limit for heads then applies.
  package var isInHead: Bool {
    switch state {
    case .line, .fields: true
    case .betweenRequests, .body, .failed: false
    }
  }

  /// The number of bytes of content that follow, if the body's length is known and within `bodyLimit`; otherwise 0.
  package var contentLeft: Int {
    if case .body(let reader) = state { reader.contentLeft(bodyLimit: bodyLimit) } else { 0 }
  }

  /// Skips `count` bytes of content that the caller has received without this reader. `count` must be at most `contentLeft`.
  package mutating func skipContent(_ count: Int) {
    guard case .body(var reader) = state else { return }
    reader.skipContent(count)
    state = .body(reader)
  }

  /// The length in bytes of the current head, or of the last head if no head is being read.
  package private(set) var headBytes = 0

  /// Reads from `position` to the next event and moves `position` after the bytes that were read.
  ///
  /// - Parameters:
  ///   - bytes: the received bytes; may be empty, because an `.end` needs no further byte.
  ///   - position: the index in `bytes` at which to continue; 0 for new bytes.
  /// - Returns: nil when all bytes are consumed and more are needed.
  /// - Throws: the rule that was broken; every later call throws the same error. `position` is then after the byte that broke
  ///   the rule.
  package mutating func next(
    in bytes: Span<UInt8>, at position: inout Int
  ) throws(MessageError) -> Event? {
    do throws(MessageError) {
      return try readEvent(in: bytes, at: &position)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  private mutating func readEvent(
    in bytes: Span<UInt8>, at position: inout Int
  ) throws(MessageError) -> Event? {
    while true {
      switch state {
      case .failed(let error):
        throw error
      case .betweenRequests:
        guard position < bytes.count else { return nil }
        bodyLimit = limits.bodyBytes
        state = .line(RequestLineReader(limits: limits), bytesLeft: limits.headBytes)
      case .line(var reader, var left):
        state = .betweenRequests  // makes `reader` the only reference to its buffer
        let line = try Self.readLine(&reader, &left, limits, in: bytes, at: &position)
        headBytes = limits.headBytes - left
        guard let line else {
          state = .line(reader, bytesLeft: left)
          return nil
        }
        state = .fields(RequestFields(line: line, limits: limits), bytesLeft: left)
      case .fields(var reader, var left):
        state = .betweenRequests
        let head = try Self.readFields(&reader, &left, limits, in: bytes, at: &position)
        headBytes = limits.headBytes - left
        guard let head else {
          state = .fields(reader, bytesLeft: left)
          return nil
        }
        state = .body(BodyReader(reader.framing, limits: limits.body))
        return .head(head)
      case .body(var reader):
        state = .betweenRequests
        switch try reader.next(in: bytes, at: &position, bodyLimit: bodyLimit) {
        case .end:
          return .end
        case .content(let range):
          state = .body(reader)
          return .body(range)
        case nil:
          state = .body(reader)
          return nil
        }
      }
    }
  }

  private static func readLine(
    _ reader: inout RequestLineReader, _ left: inout Int, _ limits: RequestLimits,
    in bytes: Span<UInt8>, at position: inout Int
  ) throws(MessageError) -> RequestLineReader.RequestLine? {
    while position < bytes.count {
      let run = reader.receiveRun(bytes.extracting(position..<position + min(left, bytes.count - position)))
      position += run
      left -= run
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      try countHeadByte(&left, limits)
      if let line = try reader.receive(byte) { return line }
    }
    return nil
  }

  private static func readFields(
    _ reader: inout RequestFields, _ left: inout Int, _ limits: RequestLimits,
    in bytes: Span<UInt8>, at position: inout Int
  ) throws(MessageError) -> RequestHead? {
    while position < bytes.count {
      let run = reader.receiveRun(bytes.extracting(position..<position + min(left, bytes.count - position)))
      position += run
      left -= run
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      try countHeadByte(&left, limits)
      if let head = try reader.receive(byte) { return head }
    }
    return nil
  }

  private static func countHeadByte(_ left: inout Int, _ limits: RequestLimits) throws(MessageError) {
    guard left > 0 else { throw .headTooLarge(limit: limits.headBytes) }
    left -= 1
  }
}
