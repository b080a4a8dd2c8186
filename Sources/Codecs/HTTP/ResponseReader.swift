/// A reader for HTTP clients: parses the responses that arrive on one connection (RFC 9112). The received bytes may be divided at
/// any position.
///
/// It is used like `RequestReader`. After sending a request, the caller passes the request's method to `expect(_:)` before
/// reading the response, because a response to HEAD never has a body, even if its fields announce one.
package struct ResponseReader: Sendable {
  package enum Event: Equatable, Sendable {
    /// A 1xx response other than 101; another response follows.
    case interim(ResponseHead)
    /// The final response, or a 101 response, begins. After a 101 response the caller stops reading: `position` is then after
    /// the head.
    case head(ResponseHead)
    /// A part of the body's content, as a range of the passed bytes; never empty.
    case body(Range<Int>)
    /// The response is complete.
    case end
  }

  private enum State: Sendable {
    case betweenResponses
    case line(StatusLineReader, bytesLeft: Int)
    case fields(ResponseFields, bytesLeft: Int)
    case body(BodyReader)
    case failed(MessageError)
  }

  /// The maximum number of interim responses before a final one.
  private static let interimLimit = 16

  private let limits: RequestLimits
  private var state = State.betweenResponses
  private var methods: [Method] = []
  private var interimCount = 0

  /// The maximum length of the content of a response's body, in bytes.
  package var bodyLimit: Int

  package init(limits: RequestLimits = RequestLimits()) {
    self.limits = limits
    bodyLimit = limits.bodyBytes
  }

  /// Records that a request with this method was sent. Responses arrive in the order of the requests (§9.3.2).
  package mutating func expect(_ method: Method) {
    methods.append(method)
  }

  /// Reads from `position` to the next event and moves `position` after the bytes that were read.
  ///
  /// - Returns: nil when all bytes are consumed and more are needed.
  /// - Throws: the rule that was broken; every later call throws the same error.
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

  /// Processes the end of the connection.
  ///
  /// - Returns: `.end` if the end of the connection completes a response of unannounced length; nil between responses.
  /// - Throws: `cutShort` if the connection ended inside a response.
  package mutating func finish() throws(MessageError) -> Event? {
    switch state {
    case .betweenResponses:
      return nil
    case .body(let reader) where reader.endsAtClose:
      state = .betweenResponses
      return .end
    case .failed(let error):
      throw error
    case .line, .fields, .body:
      state = .failed(.cutShort)
      throw .cutShort
    }
  }

  private mutating func readEvent(
    in bytes: Span<UInt8>, at position: inout Int
  ) throws(MessageError) -> Event? {
    while true {
      if case .body(var reader) = state {
        state = .betweenResponses  // Drops the second reference to the buffers, so `next` does not copy them.
        let piece = try reader.next(in: bytes, at: &position, bodyLimit: bodyLimit)
        if piece == .end { return .end }
        state = .body(reader)
        guard case .content(let range) = piece else { return nil }
        return .body(range)
      }
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if let event = try receive(byte) { return event }
    }
  }

  private mutating func receive(_ byte: UInt8) throws(MessageError) -> Event? {
    switch state {
    case .failed(let error):
      throw error
    case .betweenResponses:
      state = .line(StatusLineReader(limit: limits.requestLineBytes), bytesLeft: limits.headBytes)
      return try receive(byte)
    case .line(var reader, let left):
      state = .betweenResponses
      let left = try countHeadByte(left)
      if let line = try reader.receive(byte) {
        state = .fields(ResponseFields(line: line, limits: limits), bytesLeft: left)
      } else {
        state = .line(reader, bytesLeft: left)
      }
      return nil
    case .fields(var reader, let left):
      state = .betweenResponses
      let left = try countHeadByte(left)
      if let head = try reader.receive(byte) { return try begin(head, reader.framing) }
      state = .fields(reader, bytesLeft: left)
      return nil
    case .body:
      preconditionFailure("a byte of a body was passed to the reader of the head")
    }
  }

  /// Determines the body that follows a head (RFC 9112 §6.3).
  private mutating func begin(_ head: ResponseHead, _ framing: BodyFraming) throws(MessageError) -> Event {
    if head.status.isInformational && head.status != .switchingProtocols {
      interimCount += 1
      guard interimCount <= Self.interimLimit else {
        throw .tooManyInterimResponses(limit: Self.interimLimit)
      }
      state = .betweenResponses
      return .interim(head)
    }
    interimCount = 0
    let method = methods.isEmpty ? Method.get : methods.removeFirst()
    if method == .head || head.status.forbidsContent {
      state = .body(BodyReader(.none, limits: limits.body))
    } else if framing == .none {
      state = .body(BodyReader(untilCloseWith: limits.body))
    } else {
      state = .body(BodyReader(framing, limits: limits.body))
    }
    return .head(head)
  }

  private func countHeadByte(_ left: Int) throws(MessageError) -> Int {
    guard left > 0 else { throw .headTooLarge(limit: limits.headBytes) }
    return left - 1
  }
}
