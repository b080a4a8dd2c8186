import Wire

/// Returns the bytes of a text.
func bytes(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

/// Parses hexadecimal digits to bytes. White space between the digits is ignored.
func hex(_ text: String) -> [UInt8] {
  var result: [UInt8] = []
  var high: UInt8?
  for character in text where !character.isWhitespace {
    guard let digit = character.hexDigitValue.map(UInt8.init) else {
      preconditionFailure("a character is not a hexadecimal digit")
    }
    if let first = high {
      result.append(first << 4 | digit)
      high = nil
    } else {
      high = digit
    }
  }
  precondition(high == nil, "the number of hexadecimal digits is even")
  return result
}

/// Returns bytes as text.
func text(_ bytes: [UInt8]) -> String {
  String(decoding: bytes, as: UTF8.self)
}

/// Parses a client's entry in an array. Tests pass arrays, because the argument of a macro cannot contain a span.
func clientEntry(_ bytes: [UInt8], at offset: Int = 0) throws(WireError) -> ClientEntry {
  try ClientEntry.parse(bytes.span, at: offset)
}

/// Parses a gateway's entry in an array. Tests pass arrays, because the argument of a macro cannot contain a span.
func gatewayEntry(_ bytes: [UInt8], at offset: Int = 0) throws(WireError) -> GatewayEntry {
  try GatewayEntry.parse(bytes.span, at: offset)
}

extension ClientEntry {
  /// Returns the rule that this entry breaks; `bytes` contains the entry.
  func validationError(in bytes: [UInt8], messageBytes: Int = 262_144) -> EntryError? {
    validationError(in: bytes.span, messageBytes: messageBytes)
  }

  /// Returns one target of this entry; `bytes` contains the entry.
  func target(at index: Int, in bytes: [UInt8]) -> ParticipantNumber {
    target(at: index, in: bytes.span)
  }
}
