/// A reader of a request line (RFC 9112 §3), byte by byte. It accepts one empty line before the request line (§2.2).
struct RequestLineReader: Sendable {
  /// A valid request line.
  struct RequestLine: Sendable {
    let method: Method
    let target: RequestTarget
    let minorVersion: Int
  }

  private enum State {
    case start
    case emptyLine
    case method
    case target(Method)
    /// `matched` is the number of bytes of `HTTP/` that have been read.
    case versionName(Method, matched: Int)
    case versionMajor(Method)
    case versionDot(Method)
    case versionMinor(Method)
    case carriageReturn(Method, minorVersion: Int)
    case lineFeed(RequestLine)
  }

  private static let versionName: [UInt8] = Array("HTTP/".utf8)

  private let limits: RequestLimits
  private var state = State.start
  private var sawEmptyLine = false
  private var length = 0
  private var text: [UInt8] = []

  init(limits: RequestLimits) {
    self.limits = limits
    text.reserveCapacity(96)
  }

  /// Processes the next byte of the line.
  ///
  /// - Returns: the request line when this was its last byte.
  mutating func receive(_ byte: UInt8) throws(MessageError) -> RequestLine? {
    if case .lineFeed(let line) = state {
      guard byte == Grammar.lineFeed else { throw .bareCarriageReturn }
      return line
    }
    if byte == Grammar.lineFeed {
      guard case .emptyLine = state else { throw .bareLineFeed }
      (state, sawEmptyLine) = (.start, true)
      return nil
    }
    if case .emptyLine = state { throw .bareCarriageReturn }
    if case .start = state, byte == Grammar.carriageReturn {
      guard !sawEmptyLine else { throw .emptyLines }
      state = .emptyLine
      return nil
    }
    try receiveContent(byte)
    return nil
  }

  /// Processes the bytes at the beginning of `bytes` that are valid in the request target, up to the maximum length of the line.
  /// Returns the number of processed bytes; 0 in all other parts of the line. The caller passes the next byte to `receive`.
  mutating func receiveRun(_ bytes: Span<UInt8>) -> Int {
    guard case .target = state else { return 0 }
    let most = min(bytes.count, limits.requestLineBytes - length)
    var count = 0
    while count < most, Grammar.isTarget(bytes[count]) { count += 1 }
    text.append(copying: bytes.extracting(first: count))
    length += count
    return count
  }

  private mutating func receiveContent(_ byte: UInt8) throws(MessageError) {
    switch state {
    case .start, .method:
      try receiveMethod(byte)
    case .target(let method):
      try receiveTarget(byte, method)
    case .versionName(let method, let matched):
      guard byte == Self.versionName[matched] else { throw .malformedVersion }
      let isLast = matched + 1 == Self.versionName.count
      state = isLast ? .versionMajor(method) : .versionName(method, matched: matched + 1)
    case .versionMajor(let method):
      guard Grammar.isDigit(byte) else { throw .malformedVersion }
      // The version is checked before the target, so that HTTP/2's preface, `PRI *`, gets 505.
      guard byte == 0x31 else { throw .versionNotSupported(major: Int(byte - 0x30)) }
      state = .versionDot(method)
    case .versionDot(let method):
      guard byte == 0x2E else { throw .malformedVersion }
      state = .versionMinor(method)
    case .versionMinor(let method):
      guard Grammar.isDigit(byte) else { throw .malformedVersion }
      // RFC 9110 §2.5: a later minor version is treated as HTTP/1.1.
      state = .carriageReturn(method, minorVersion: min(Int(byte - 0x30), 1))
    case .carriageReturn(let method, let minorVersion):
      guard byte == Grammar.carriageReturn else { throw .malformedVersion }
      guard let target = RequestTarget(String(latin1: text), for: method) else { throw .malformedTarget }
      state = .lineFeed(RequestLine(method: method, target: target, minorVersion: minorVersion))
      return
    case .emptyLine, .lineFeed:
      return  // `receive` handles these states
    }
    length += 1
    guard length <= limits.requestLineBytes else { throw .requestLineTooLong(limit: limits.requestLineBytes) }
  }

  private mutating func receiveMethod(_ byte: UInt8) throws(MessageError) {
    if byte == Grammar.space, !text.isEmpty {
      let method = Method(String(latin1: text))
      guard method != .other("CONNECT") else { throw .connectRefused }  // RFC 9110 §9.3.6
      text.removeAll(keepingCapacity: true)
      state = .target(method)
      return
    }
    guard Grammar.isToken(byte) else { throw .invalidMethodByte(byte) }
    guard text.count < limits.methodBytes else { throw .methodTooLong(limit: limits.methodBytes) }
    text.append(byte)
    state = .method
  }

  private mutating func receiveTarget(_ byte: UInt8, _ method: Method) throws(MessageError) {
    if byte == Grammar.space {
      guard !text.isEmpty else { throw .malformedTarget }
      state = .versionName(method, matched: 0)
      return
    }
    if byte == Grammar.carriageReturn { throw .malformedVersion }  // an HTTP/0.9 line has no version
    guard Grammar.isTarget(byte) else { throw .invalidTargetByte(byte) }
    text.append(byte)
  }
}
