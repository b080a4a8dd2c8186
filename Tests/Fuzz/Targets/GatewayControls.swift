internal import FoundationEssentials
internal import Wire

/// Messages of a gateway, parsed by a client.
enum GatewayControls {
  /// Byte 0 of the input chooses the type to decode. The other bytes are the JSON text.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let choice = reader.below(8)
    let text = reader.takeRest()
    switch choice {
    case 0: try check(GatewayControl.self, text)
    case 1: try check(ParticipantsPayload.self, text)
    case 2: try check(ActivityPayload.self, text)
    case 3: try check(AttachmentObject.self, text)
    case 4: try check(AttachmentProgressPayload.self, text)
    case 5: try check(NewSessionPayload.self, text)
    case 6: try check(NoticePayload.self, text)
    default: try check(AttachmentList.self, text)
    }
  }

  private static func check<Value: Decodable & JSONWritable & Equatable>(
    _ type: Value.Type, _ text: [UInt8]
  ) throws {
    // nil if the text is refused.
    guard let value = try? WireJSON.decode(type, from: text.span) else { return }
    let written = WireJSON.encode(value)
    try expectSame(try WireJSON.decode(type, from: written.span), value)
  }

  /// Throws unless two values have equivalent JSON, such as `1.0` and `1`. The values themselves may differ: the JSON of a time
  /// has no fractions of a second.
  static func expectSame<Value: JSONWritable>(_ one: Value, _ other: Value) throws {
    let (one, other) = (WireJSON.encode(one), WireJSON.encode(other))
    guard one != other, let first = JSONTexts.parsed(one, depth: 1),
      let second = JSONTexts.parsed(other, depth: 1)
    else { return }
    try expect(
      JSONTexts.isSame(first, second),
      "\(String(decoding: other, as: UTF8.self)) became \(String(decoding: one, as: UTF8.self))")
  }
}
