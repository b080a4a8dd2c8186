/// A reader of the fields of a response's head. It checks the fields that determine the end of the response.
struct ResponseFields: Sendable {
  private let line: StatusLineReader.StatusLine
  private var reader: FieldSectionReader
  private var fields = FieldList()
  private var bodyFields = BodyFields()

  init(line: StatusLineReader.StatusLine, limits: RequestLimits) {
    self.line = line
    reader = FieldSectionReader(limits: limits.fields)
  }

  /// The framing of the body according to the fields that have been read.
  var framing: BodyFraming { bodyFields.framing }

  /// Processes the next byte of the fields.
  ///
  /// - Returns: the head when this byte completed it.
  mutating func receive(_ byte: UInt8) throws(MessageError) -> ResponseHead? {
    switch try reader.receive(byte) {
    case .more:
      return nil
    case .field(let field):
      try bodyFields.receive(field)
      if framing == .chunked && line.minorVersion == 0 { throw .transferEncodingBefore11 }  // RFC 9112 §6.1
      fields.append(field)
      return nil
    case .end:
      return ResponseHead(
        status: line.status, minorVersion: line.minorVersion, reason: line.reason, fields: fields)
    }
  }
}
