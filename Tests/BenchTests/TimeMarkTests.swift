import Testing

@testable import drawtogether_bench

@Suite("A time mark in a payload contains the sender and the send time")
struct TimeMarkTests {
  private static let bytes: [UInt8] = [
    0xC1, 0xD7, 0x5A, 0x9E, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x00, 0x00, 0x02, 0x01, 0x61,
  ]
  private static let mark = TimeMark(time: 0x0123_4567_89AB_CDEF, sender: 0x0201)

  @Test("A time mark is written to the first 16 bytes of a payload")
  func writing() {
    var payload = [UInt8](repeating: 0x61, count: 17)
    Self.mark.write(to: &payload)
    #expect(payload == Self.bytes)
  }

  @Test("The time mark of a payload is parsed at any offset of the message")
  func reading() {
    let message: [UInt8] = [9, 9, 9] + Self.bytes
    #expect(TimeMark(Self.bytes.span, payload: 0..<17) == Self.mark)
    #expect(TimeMark(message.span, payload: 3..<20) == Self.mark)
    #expect(TimeMark(message.span, payload: 3..<19) == Self.mark)
  }

  @Test(
    "`TimeMark` is nil for a payload that is too short or does not begin like a time mark")
  func others() {
    let message: [UInt8] = [0] + Self.bytes
    #expect(TimeMark(Self.bytes.span, payload: 0..<15) == nil)
    #expect(TimeMark(Self.bytes.span, payload: 0..<0) == nil)
    #expect(TimeMark(message.span, payload: 0..<18) == nil)
  }
}
