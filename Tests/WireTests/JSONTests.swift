import Testing

@testable import Wire

/// The JSON of activities, compared with literal texts.
@Suite("RFC 8259: JSON texts are parsed and written")
struct JSONTests {
  @Test(
    "valid JSON is parsed",
    arguments: [
      ("null", .null), ("true", .bool(true)), (" false\t\r\n", .bool(false)), ("0", .integer(0)),
      ("-1", .integer(-1)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .unsigned(1 << 63)),
      ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .number(0x1p64)),
      ("1.0", .number(1)), ("1e2", .number(100)), ("1E+2", .number(100)), ("-0.5e-1", .number(-0.05)),
      (#""""#, .string("")), (#""\u0041\b\f\n\r\t\"\\\/""#, .string("A\u{8}\u{C}\n\r\t\"\\/")),
      (#""\ud83d\uDE00""#, .string("😀")), (#""\ude00\ud83d""#, .string("\u{FFFD}\u{FFFD}")),
      (#""\ud83d\u0041""#, .string("\u{FFFD}A")), ("\"\u{7F}é\"", .string("\u{7F}é")),
      ("[]", .array([])), ("[ 1 , [ ] ]", .array([.integer(1), .array([])])), ("{}", .object([:])),
      (#"{"a":1,"a":2}"#, .object(["a": .integer(2)])),
      (#"{ "" : { "b" : null } }"#, .object(["": .object(["b": .null])])),
    ] as [(String, JSONValue)])
  func reads(_ text: String, _ value: JSONValue) throws {
    let read = try JSONParser.parse(WireTests.bytes(text).span)
    #expect(read == value)
    let again = try JSONParser.parse(WireJSON.encode(value).span)
    #expect(again == value)
  }

  @Test(
    "text that is not JSON is refused",
    arguments: [
      "", " ", "nul", "nulll", "True", "+1", "01", "-", "-a", "1.", ".5", "1e", "1e+", "0x1", "1_0", "NaN",
      "Infinity", "1e400", "-1e400", "\"", "\"\n\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u123g\"", "[",
      "[1",
      "[1,", "[1,]", "[,1]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
      "{a:1}",
      "{\"a\" 1}", "{1:1}", "}", "]", "1 1", "/* */1", "1//",
    ])
  func refuses(_ text: String) {
    #expect(throws: WireError.notJSON) { try JSONParser.parse(WireTests.bytes(text).span) }
  }

  @Test(
    "RFC 8259 §8.1: text that is not UTF-8 is refused, even inside a string",
    arguments: ["22 C3 22", "22 ED A0 80 22", "FF"])
  func refusesBytes(_ digits: String) {
    let bytes = hex(digits)
    #expect(throws: WireError.notJSON) { try JSONParser.parse(bytes.span) }
  }

  @Test("RFC 8259 §9: 32 levels of nested arrays and objects are accepted, 33 levels are refused")
  func depth() throws {
    for (open, close) in [("[", "]"), (#"{"a":["#, "]}")] {
      let levels = open.count == 1 ? 32 : 16
      let fits = String(repeating: open, count: levels) + String(repeating: close, count: levels)
      #expect(throws: Never.self) { try JSONParser.parse(WireTests.bytes(fits).span) }
      let deep = "[" + fits + "]"
      #expect(throws: WireError.notJSON) { try JSONParser.parse(WireTests.bytes(deep).span) }
    }
  }

  @Test("numbers are written without added digits")
  func writesNumbers() {
    let numbers: [(JSONValue, String)] = [
      (.integer(.min), "-9223372036854775808"), (.unsigned(.max), "18446744073709551615"),
      (.number(0.1), "0.1"),
      (.number(1e300), "1e+300"), (.number(.nan), "null"), (.string("\u{1F}\u{7F}"), "\"\\u001f\u{7F}\""),
      (.object(["b": .null, "a": .array([.bool(true), .bool(false)])]), #"{"a":[true,false],"b":null}"#),
    ]
    for (value, expected) in numbers { #expect(text(WireJSON.encode(value)) == expected) }
  }
}

/// The example bytes in the article on the protocol.
@Suite("Wire.docc: the documented example entries have the documented bytes")
struct DocumentedExampleTests {
  @Test(
    "an entry of type Note has the documented bytes, both when the client sends it and when the gateway sends it"
  )
  func note() {
    let key = EntryKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    let flags = EntryFlags(.reliable, retention: .append)
    var sent: [UInt8] = []
    ClientEntry.append(
      to: &sent, flags: flags, clientSequence: 1, key: key, type: WireTests.bytes("Note").span,
      payload: WireTests.bytes("hi").span)
    #expect(sent == hex("0000001C 03 04 00000001 00112233445566778899AABBCCDDEEFF 4E6F7465 6869"))
    var received: [UInt8] = []
    GatewayEntry.append(
      to: &received, flags: flags, sequence: 815, sender: 3, clientSequence: 1, key: key,
      type: WireTests.bytes("Note").span, payload: WireTests.bytes("hi").span)
    #expect(
      received
        == hex(
          """
          00000028 03 04 000000000000032F 00000003 00000001
          00112233445566778899AABBCCDDEEFF 4E6F7465 6869
          """))
  }

  @Test("an unreliable entry for two participants has the documented bytes")
  func targeted() {
    var sent: [UInt8] = []
    ClientEntry.append(
      to: &sent, flags: .targeted, clientSequence: 0, targets: [1, 2], type: WireTests.bytes("Cu").span,
      payload: [UInt8]().span)
    #expect(sent == hex("00000012 08 02 00000000 0002 00000001 00000002 4375"))
  }

  @Test(
    "`JSONParser.range(of:in:)` returns the range of a member's value, or nil if there is no such member",
    arguments: [
      (#"{"a": [1, 2.50] , "b":2}"#, "[1, 2.50]"), (#"{"b":{"a":1},"a":"x\"}"}"#, #""x\"}""#),
      (#"{"a":1,"a": null }"#, "null"), ("{}", nil), (#"{"b":1}"#, nil),
    ])
  func rawMember(_ text: String, _ expected: String?) throws {
    let bytes = WireTests.bytes(text)
    let range = try JSONParser.range(of: "a", in: bytes.span)
    #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == expected)
  }

  @Test(
    "`JSONParser.range(of:in:)` throws `notJSON` for a text that is not exactly one JSON object",
    arguments: ["", "[]", "{", #"{"a":1"#, #"{"a":}"#, "{} 1", #"{"a" 1}"#])
  func noRawMember(_ text: String) {
    let bytes = WireTests.bytes(text)
    #expect(throws: WireError.notJSON) { try JSONParser.range(of: "a", in: bytes.span) }
  }
}
