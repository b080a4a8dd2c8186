/// Reads the responses of one connection in the client's role (RFC 9112), however the bytes were cut on the way.
///
/// Pulled from as `RequestReader` is. Whoever sends a request tells its method by `expect(_:)` before the response is
/// read, for a response to HEAD has no body whatever its fields say.
package struct ResponseReader: Sendable {
  package enum Event: Equatable, Sendable {
    /// A 1xx response; another one follows. (101 comes as `.head`.)
    case interim(ResponseHead)
    /// The final response begins. After 101 ask no further: `position` is then behind the head.
    case head(ResponseHead)
    /// Content of its body, and where that lies in the bytes given; never empty.
    case body(Range<Int>)
    /// The response is complete.
    case end
  }

  private enum State: Sendable {
    case betweenResponses
    case line(StatusLineReader, bytesLeft: Int)
    case fields(ResponseFields, bytesLeft: Int)
    case body(BodyReader)
    case failed(ResponseError)
  }

  /// More interim responses before a final one are refused.
  private static let interimLimit = 16

  private let limits: RequestLimits
  private var state = State.betweenResponses
  private var methods: [Method] = []
  private var interimCount = 0

  /// The most content, in bytes, that a response's body may have.
  package var bodyLimit: Int

  package init(limits: RequestLimits = RequestLimits()) {
    self.limits = limits
    bodyLimit = limits.bodyBytes
  }

  /// Takes note that a request with that method was sent. Responses come in the order of the requests (§9.3.2).
  package mutating func expect(_ method: Method) {
    methods.append(method)
  }

  /// Reads on from `position` to the next event and moves it behind what was read.
  ///
  /// - Returns: nil when all bytes are consumed and more are needed.
  /// - Throws: the rule that was broken, now and at every later call.
  package mutating func next(
    in bytes: Span<UInt8>, at position: inout Int
  ) throws(ResponseError) -> Event? {
    do throws(ResponseError) {
      return try readEvent(in: bytes, at: &position)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Takes note that the connection ended.
  ///
  /// - Returns: `.end` when that completes a response whose length was not told, nil when none was under way.
  /// - Throws: `cutShort` in the middle of one.
  package mutating func finish() throws(ResponseError) -> Event? {
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
  ) throws(ResponseError) -> Event? {
    while true {
      if case .body(var reader) = state {
        state = .betweenResponses  // so that `reader` holds the only reference to its buffers
        let piece = try Self.readBody(&reader, bodyLimit, in: bytes, at: &position)
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

  private mutating func receive(_ byte: UInt8) throws(ResponseError) -> Event? {
    switch state {
    case .failed(let error):
      throw error
    case .betweenResponses:
      state = .line(StatusLineReader(limit: limits.requestLineBytes), bytesLeft: limits.headBytes)
      return try receive(byte)
    case .line(var reader, let left):
      state = .betweenResponses
      let left = try spend(left)
      if let line = try reader.receive(byte) {
        state = .fields(ResponseFields(line: line, limits: limits), bytesLeft: left)
      } else {
        state = .line(reader, bytesLeft: left)
      }
      return nil
    case .fields(var reader, let left):
      state = .betweenResponses
      let left = try spend(left)
      if let head = try Self.readFields(&reader, byte) { return try begin(head, reader.framing) }
      state = .fields(reader, bytesLeft: left)
      return nil
    case .body:
      preconditionFailure("a body is not read byte by byte")
    }
  }

  /// Decides what follows a head (RFC 9112 §6.3).
  private mutating func begin(_ head: ResponseHead, _ framing: BodyFraming) throws(ResponseError) -> Event {
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

  private static func readFields(
    _ reader: inout ResponseFields, _ byte: UInt8
  ) throws(ResponseError) -> ResponseHead? {
    do throws(MessageFault) {
      return try reader.receive(byte)
    } catch {
      throw .malformed(error)
    }
  }

  private static func readBody(
    _ reader: inout BodyReader, _ bodyLimit: Int, in bytes: Span<UInt8>, at position: inout Int
  ) throws(ResponseError) -> BodyReader.Piece? {
    do throws(MessageFault) {
      return try reader.next(in: bytes, at: &position, bodyLimit: bodyLimit)
    } catch {
      throw .malformed(error)
    }
  }

  private func spend(_ left: Int) throws(ResponseError) -> Int {
    guard left > 0 else { throw .malformed(.headTooLarge(limit: limits.headBytes)) }
    return left - 1
  }
}
