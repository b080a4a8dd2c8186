/// A reader of the fields of a request's head. It checks the fields that determine the target and the end of the
/// request.
struct RequestFields: Sendable {
  /// A number of fields that most requests do not exceed.
  private static let usualFieldCount = 16

  private let line: RequestLineReader.RequestLine
  private var reader: FieldSectionReader
  private var fields = FieldList()
  private var bodyFields = BodyFields()
  private var hasHost = false

  init(line: RequestLineReader.RequestLine, limits: RequestLimits) {
    self.line = line
    reader = FieldSectionReader(limits: limits.fields)
    fields.reserveCapacity(Self.usualFieldCount)
  }

  /// The framing of the body according to the fields that have been read.
  var framing: BodyFraming { bodyFields.framing }

  /// Processes the beginning of `bytes` in one step, and returns the number of processed bytes; see `FieldSectionReader`.
  mutating func receiveRun(_ bytes: Span<UInt8>) -> Int { reader.receiveRun(bytes) }

  /// Processes the next byte of the fields.
  ///
  /// - Returns: the head when this byte completed it.
  mutating func receive(_ byte: UInt8) throws(MessageError) -> RequestHead? {
    switch try reader.receive(byte) {
    case .more:
      return nil
    case .field(let field):
      try check(field)
      fields.append(field)
      return nil
    case .end:
      guard hasHost || line.minorVersion == 0 else { throw .missingHost }
      return RequestHead(
        method: line.method, target: line.target, minorVersion: line.minorVersion, fields: fields)
    }
  }

  private mutating func check(_ field: Field) throws(MessageError) {
    try bodyFields.receive(field)
    if framing == .chunked && line.minorVersion == 0 {
      throw .transferEncodingBefore11  // RFC 9112 §6.1
    }
    if field.name.equalsIgnoringCase("host") {
      guard !hasHost else { throw .repeatedHost }
      guard Authority(field.value) != nil else { throw .malformedHost }
      hasHost = true
    }
    if field.name.equalsIgnoringCase("expect") && line.minorVersion > 0 {
      let expectations = FieldList([field]).tokens(of: field.name)
      guard expectations.allSatisfy({ $0.equalsIgnoringCase("100-continue") }) else {
        throw .unknownExpectation
      }
    }
  }
}
