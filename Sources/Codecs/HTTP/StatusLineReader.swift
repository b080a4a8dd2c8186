/// A reader of a status line (RFC 9112 §4), byte by byte.
struct StatusLineReader: Sendable {
  /// A valid status line.
  struct StatusLine: Sendable {
    let status: Status
    let minorVersion: Int
    let reason: String
  }

  private enum State {
    case text
    case lineFeed(StatusLine)
  }

  /// The beginning of every status line; `x` stands for any digit.
  private static let form: [UInt8] = Array("HTTP/1.x xxx ".utf8)

  private let limit: Int
  private var state = State.text
  private var text: [UInt8] = []

  /// Creates a reader.
  /// - Parameter limit: the maximum number of bytes of the line, without its line end.
  init(limit: Int) {
    self.limit = limit
  }

  /// Processes the next byte of the line.
  ///
  /// - Returns: the status line when this was its last byte.
  mutating func receive(_ byte: UInt8) throws(MessageError) -> StatusLine? {
    switch state {
    case .lineFeed(let line):
      guard byte == Grammar.lineFeed else { throw .bareCarriageReturn }
      return line
    case .text:
      if byte == Grammar.carriageReturn {
        state = .lineFeed(try line())
        return nil
      }
      guard byte != Grammar.lineFeed else { throw .bareLineFeed }
      guard Grammar.isFieldContent(byte) else { throw .controlCharacter(byte) }
      if text.count < Self.form.count {
        let expected = Self.form[text.count]
        guard expected == 0x78 ? Grammar.isDigit(byte) : byte == expected else { throw .malformedStatusLine }
      }
      guard text.count < limit else { throw .statusLineTooLong(limit: limit) }
      text.append(byte)
      return nil
    }
  }

  /// Returns the collected line. The blank before the reason phrase may be missing: servers that omit the phrase often omit this
  /// blank too.
  private func line() throws(MessageError) -> StatusLine {
    guard text.count >= Self.form.count - 1, let code = Grammar.decimal(text[9..<12]), code >= 100
    else { throw .malformedStatusLine }
    return StatusLine(
      status: Status(code), minorVersion: text[7] == 0x30 ? 0 : 1,
      reason: String(latin1: text.dropFirst(Self.form.count)))
  }
}
