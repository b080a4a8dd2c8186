import Testing
import WebSocket
import TestSupport

@Suite("RFC 6455 §5.3: masking")
struct MaskingKeyTests {
  @Test("unmasking the example bytes in RFC 6455 §5.7 gives the text `Hello`")
  func example() {
    var bytes: [UInt8] = [0x7F, 0x9F, 0x4D, 0x51, 0x58]
    MaskingKey(0x37, 0xFA, 0x21, 0x3D).apply(to: &bytes, in: 0..<5)
    #expect(bytes == [0x48, 0x65, 0x6C, 0x6C, 0x6F])
  }

  @Test("masking at every length and offset gives the same result as a loop over single bytes")
  func againstByteLoop() {
    var random = SeededGenerator(seed: 3)
    for length in Array(0...40) + [63, 64, 65, 1_000] {
      for start in 0..<9 {
        let original = random.bytes(count: start + length + 9)
        let key = random.bytes(count: 4)
        var expected = original
        for index in 0..<length {
          expected[start + index] ^= key[index % 4]
        }
        var bytes = original
        MaskingKey(key[0], key[1], key[2], key[3]).apply(to: &bytes, in: start..<start + length)
        #expect(bytes == expected)
      }
    }
  }

  @Test(
    "masking a payload in two parts gives the same result as masking the whole payload in one call",
    arguments: 0...9)
  func advances(cut: Int) {
    let key = MaskingKey(0x11, 0x22, 0x44, 0x88)
    let original = Array(UInt8(0)..<23)
    var whole = original
    key.apply(to: &whole, in: 0..<23)
    var parts = original
    key.apply(to: &parts, in: 0..<cut)
    key.advanced(by: cut).apply(to: &parts, in: cut..<23)
    #expect(parts == whole)
  }

  @Test("random masking keys differ")
  func random() {
    #expect(Set((0..<8).map { _ in MaskingKey.random() }).count > 1)
  }
}
