import Testing
import WebSocket

/// Bytes that are not UTF-8, the first byte that makes them invalid, and the offset of the invalid sequence.
struct WrongText: Sendable, CustomTestStringConvertible {
  let rule: String
  let bytes: [UInt8]
  /// The number of bytes after which the text is invalid; nil if only the end of the message makes it invalid.
  let failsAt: Int?
  let offset: Int

  var testDescription: String { rule }
}

@Suite("RFC 6455 §8.1: texts are UTF-8, checked as they arrive")
struct TextTests {
  static let right: [[UInt8]] = [
    [],
    [0x00],
    [0x7F],
    [0xC2, 0x80],
    [0xDF, 0xBF],
    [0xE0, 0xA0, 0x80],
    [0xED, 0x9F, 0xBF],
    [0xEE, 0x80, 0x80],
    [0xEF, 0xBF, 0xBF],
    [0xF0, 0x90, 0x80, 0x80],
    [0xF4, 0x8F, 0xBF, 0xBF],
    [0xEF, 0xBB, 0xBF, 0x61],
    [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5],
    [0x61, 0xC3, 0xA4, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x8E, 0xA8, 0x62],
  ]

  @Test("a valid text is accepted, wherever its bytes are divided into two fragments", arguments: right)
  func accepts(_ text: [UInt8]) {
    let frame = [0x81, UInt8(text.count)] + text
    #expect(readWhole(frame, role: .client).events == [.message(.text, text)])
    #expect(readByteByByte(frame, role: .client).events == [.message(.text, text)])
    for cut in 0...text.count {
      let fragments: [UInt8] =
        [0x01, UInt8(cut)] + text[..<cut] + [0x89, 0x00, 0x80, UInt8(text.count - cut)] + text[cut...]
      #expect(readWhole(fragments, role: .client).events == [.ping([]), .message(.text, text)])
    }
  }

  static let wrong: [WrongText] = [
    WrongText(rule: "a continuation byte at the beginning", bytes: [0x80], failsAt: 1, offset: 0),
    WrongText(rule: "one continuation byte too many", bytes: [0xC3, 0xA4, 0x80], failsAt: 3, offset: 2),
    WrongText(rule: "overlong NUL", bytes: [0xC0, 0x80], failsAt: 1, offset: 0),
    WrongText(rule: "overlong, two bytes", bytes: [0x61, 0xC1, 0xBF], failsAt: 2, offset: 1),
    WrongText(rule: "overlong, three bytes", bytes: [0xE0, 0x9F, 0xBF], failsAt: 2, offset: 0),
    WrongText(rule: "overlong, four bytes", bytes: [0xF0, 0x8F, 0xBF, 0xBF], failsAt: 2, offset: 0),
    WrongText(rule: "the first surrogate", bytes: [0xED, 0xA0, 0x80], failsAt: 2, offset: 0),
    WrongText(rule: "the last surrogate", bytes: [0x61, 0x62, 0xED, 0xBF, 0xBF], failsAt: 4, offset: 2),
    WrongText(rule: "above U+10FFFF", bytes: [0xF4, 0x90, 0x80, 0x80], failsAt: 2, offset: 0),
    WrongText(rule: "a lead byte for more than 21 bits", bytes: [0xF5, 0x80], failsAt: 1, offset: 0),
    WrongText(rule: "0xFE", bytes: [0xFE], failsAt: 1, offset: 0),
    WrongText(rule: "0xFF inside the text", bytes: [0x61, 0xFF, 0x61], failsAt: 2, offset: 1),
    WrongText(rule: "a letter inside a character", bytes: [0xE2, 0x82, 0x61], failsAt: 3, offset: 0),
    WrongText(
      rule: "a lead byte inside a character", bytes: [0xF0, 0x9F, 0x8E, 0xC3], failsAt: 4, offset: 0),
    WrongText(rule: "two lead bytes", bytes: [0xC3, 0xC3], failsAt: 2, offset: 0),
    WrongText(rule: "the text ends after one byte of two", bytes: [0x61, 0xC3], failsAt: nil, offset: 1),
    WrongText(rule: "the text ends after two bytes of three", bytes: [0xE2, 0x82], failsAt: nil, offset: 0),
    WrongText(
      rule: "the text ends after three bytes of four", bytes: [0x61, 0xF0, 0x9F, 0x8E], failsAt: nil,
      offset: 1),
  ]

  @Test("invalid texts are refused at the first byte that makes them invalid", arguments: wrong)
  func refuses(_ text: WrongText) {
    let count = text.bytes.count
    let expected = ProtocolError.invalidUTF8(offset: text.offset)
    let frame = [0x81, UInt8(count)] + text.bytes
    #expect(readWhole(frame, role: .client).error == expected)
    let single = readByteByByte(frame, role: .client)
    #expect(single.error == expected)
    #expect(single.fedBytes == 2 + (text.failsAt ?? count))
    // The text is divided at every position. So the byte that makes the text invalid and the start of its sequence may be in
    // different frames.
    for cut in 0...count {
      let fragments: [UInt8] =
        [0x01, UInt8(cut)] + text.bytes[..<cut] + [0x00, UInt8(count - cut)] + text.bytes[cut...] + [
          0x80, 0x00,
        ]
      #expect(readWhole(fragments, role: .client).error == expected)
      #expect(readByteByByte(fragments, role: .client).error == expected)
    }
  }

  @Test(
    "each pair of bytes is valid or invalid as in Unicode's table of well-formed sequences (table 3-7)"
  )
  func everyPair() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let wrongAt = Self.wrongByte(first, second)
        let outcome = readByteByByte([0x01, 0x7D, first, second], role: .client)
        #expect(outcome.fedBytes == 2 + (wrongAt ?? 2), "\(first) \(second)")
        #expect((outcome.error == nil) == (wrongAt == nil), "\(first) \(second)")
        #expect(readWhole([0x01, 0x7D, first, second], role: .client).error == outcome.error)
      }
    }
  }

  /// Returns 1 or 2, the number of the byte that makes a sequence of two bytes invalid; nil if the sequence can be valid.
  private static func wrongByte(_ first: UInt8, _ second: UInt8) -> Int? {
    let allowed: ClosedRange<UInt8>
    switch first {
    case 0x00...0x7F:
      return (0x80...0xC1).contains(second) || second >= 0xF5 ? 2 : nil
    case 0xC2...0xDF, 0xE1...0xEC, 0xEE...0xEF, 0xF1...0xF3: allowed = 0x80...0xBF
    case 0xE0: allowed = 0xA0...0xBF
    case 0xED: allowed = 0x80...0x9F
    case 0xF0: allowed = 0x90...0xBF
    case 0xF4: allowed = 0x80...0x8F
    default: return 1
    }
    return allowed.contains(second) ? nil : 2
  }

  @Test("a binary message can contain any bytes")
  func binary() {
    #expect(readWhole([0x82, 0x02, 0xC0, 0xFF], role: .client).events == [.message(.binary, [0xC0, 0xFF])])
  }
}
