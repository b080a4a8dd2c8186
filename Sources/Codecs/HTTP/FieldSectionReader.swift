/// A reader of header or trailer fields up to the empty line after them (RFC 9112 §5), byte by byte.
///
/// The reader refuses the following at the first invalid byte: control characters, bare CR and LF, folded lines, and a blank
/// before the colon.
struct FieldSectionReader: Sendable {
  /// The limits of a section.
  struct Limits: Sendable {
    let fieldCount: Int
    let fieldBytes: Int
  }

  enum Progress {
    case more
    /// A field's line is complete.
    case field(Field)
    /// The empty line after the last field has been read.
    case end
  }

  private enum State {
    case lineStart
    case name
    case value
    case valueLineFeed
    case lastLineFeed
  }

  private let limits: Limits
  private var state = State.lineStart
  private var count = 0
  private var name: [UInt8] = []
  private var value: [UInt8] = []

  init(limits: Limits) {
    self.limits = limits
    // Capacities that most fields do not exceed.
    name.reserveCapacity(32)
    value.reserveCapacity(96)
  }

  /// Processes the next byte of the section.
  mutating func receive(_ byte: UInt8) throws(MessageError) -> Progress {
    switch state {
    case .lineStart:
      return try beginLine(byte)
    case .name:
      try receiveName(byte)
    case .value:
      try receiveValue(byte)
    case .valueLineFeed:
      guard byte == Grammar.lineFeed else { throw .bareCarriageReturn }
      state = .lineStart
      return .field(finishField())
    case .lastLineFeed:
      guard byte == Grammar.lineFeed else { throw .bareCarriageReturn }
      return .end
    }
    return .more
  }

  /// Processes the bytes at the beginning of `bytes` that are valid in the current name or value, up to the maximum length of a
  /// field. Returns the number of processed bytes; 0 between names and values. The caller passes the next byte to `receive`.
  mutating func receiveRun(_ bytes: Span<UInt8>) -> Int {
    let most = min(bytes.count, limits.fieldBytes - name.count - value.count)
    var count = 0
    switch state {
    case .name:
      while count < most, Grammar.isToken(bytes[count]) { count += 1 }
      name.append(copying: bytes.extracting(first: count))
    case .value:
      // Blanks before a value are not a part of it.
      if value.isEmpty, most > 0, Grammar.isBlank(bytes[0]) { return 0 }
      while count < most, Grammar.isFieldContent(bytes[count]) { count += 1 }
      value.append(copying: bytes.extracting(first: count))
    case .lineStart, .valueLineFeed, .lastLineFeed:
      break
    }
    return count
  }

  private mutating func beginLine(_ byte: UInt8) throws(MessageError) -> Progress {
    if byte == Grammar.carriageReturn {
      state = .lastLineFeed
      return .more
    }
    // A blank at the start of the first line breaks RFC 9112 §2.2. A blank at the start of any other line breaks RFC 9112 §5.2.
    if Grammar.isBlank(byte) { throw count == 0 ? .whitespaceBeforeFirstField : .foldedField }
    guard byte != Grammar.lineFeed else { throw .bareLineFeed }
    guard count < limits.fieldCount else { throw .tooManyFields(limit: limits.fieldCount) }
    guard Grammar.isToken(byte) else { throw .invalidFieldNameByte(byte) }
    count += 1
    state = .name
    name.append(byte)
    return .more
  }

  private mutating func receiveName(_ byte: UInt8) throws(MessageError) {
    if Grammar.isToken(byte) {
      try checkFieldLength()
      name.append(byte)
      return
    }
    switch byte {
    case Grammar.colon: state = .value
    case Grammar.space, Grammar.tab: throw .spaceBeforeColon  // RFC 9112 §5.1
    case Grammar.carriageReturn: throw .missingColon
    case Grammar.lineFeed: throw .bareLineFeed
    default: throw .invalidFieldNameByte(byte)
    }
  }

  private mutating func receiveValue(_ byte: UInt8) throws(MessageError) {
    if Grammar.isFieldContent(byte) {
      if value.isEmpty && Grammar.isBlank(byte) { return }
      try checkFieldLength()
      value.append(byte)
      return
    }
    switch byte {
    case Grammar.carriageReturn: state = .valueLineFeed
    case Grammar.lineFeed: throw .bareLineFeed
    default: throw .controlCharacter(byte)
    }
  }

  /// Checks the length of the field. Blanks before a value are neither stored nor counted here, because the limit of the whole
  /// head includes them.
  private func checkFieldLength() throws(MessageError) {
    guard name.count + value.count < limits.fieldBytes else { throw .fieldTooLarge(limit: limits.fieldBytes) }
  }

  private mutating func finishField() -> Field {
    while let last = value.last, Grammar.isBlank(last) { value.removeLast() }
    let field = Field(token: String(latin1: name), value: String(latin1: value))
    name.removeAll(keepingCapacity: true)
    value.removeAll(keepingCapacity: true)
    return field
  }
}
