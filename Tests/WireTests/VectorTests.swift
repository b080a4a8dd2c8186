import TestSupport
import Testing
import Wire

/// The values of the wire protocol that programs in other languages know too, compared with `Tests/Vectors`.
@Suite("PROTOCOL 5 and 6: limits and colors are those of the vectors")
struct VectorTests {
  private struct LimitVectors: Decodable {
    let defaults: [String: Int]
    let format: [String: Int]
  }

  private struct PaletteVectors: Decodable {
    struct Color: Decodable {
      let rgb: String
    }

    let colors: [Color]
  }

  @Test("each limit has the default of the vectors")
  func defaults() {
    let vectors: LimitVectors = Vectors.load("limits")
    let limits = Limits()
    let defaults = Dictionary(uniqueKeysWithValues: Limits.all.map { ($0.name, limits[keyPath: $0.keyPath]) })
    #expect(defaults == vectors.defaults)
  }

  @Test("the limits of the wire format are those of the vectors")
  func format() {
    let vectors: LimitVectors = Vectors.load("limits")
    let format = [
      "typeBytes": Int(UInt8.max), "targets": ClientEntry.maximumTargets,
      "binaryMessageBytes": ClientEntry.maximumMessageLength,
      "controlMessageBytes": ClientControl.maximumLength,
      "controlNesting": JSONValue.maximumDepth, "combiningCharacters": JSONParser.maximumCombining,
      "sequence": (1 << 53) - 1, "clientSequence": Int(UInt32.max),
      "closeReasonBytes": CloseReason.maximumReasonLength, "nameScalars": Profile.maximumNameScalars,
      "nameBytes": Profile.maximumNameBytes, "activityTextScalars": Activity.maximumTextScalars,
      "activityPayloadBytes": Activity.maximumPayloadLength,
      "attachmentNameScalars": AttachmentName.maximumScalars,
    ]
    #expect(format == vectors.format)
  }

  @Test("the palette has the colors of the vectors, in their order")
  func palette() {
    let vectors: PaletteVectors = Vectors.load("palette")
    #expect(Palette.colors == vectors.colors.map(\.rgb))
    #expect(Set(Palette.colors).count == 11)
  }
}
