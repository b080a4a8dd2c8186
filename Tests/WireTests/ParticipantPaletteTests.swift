import Testing
import TestSupport
import Wire

@Suite("The palette of participants, and the distances between colors")
struct ParticipantPaletteTests {
  private struct PaletteVectors: Decodable {
    struct Distance: Decodable {
      let colors: [String]
      let distance: Float
    }

    let participants: [String]
    let distances: [Distance]
  }

  private let vectors: PaletteVectors = Vectors.load("palette")

  @Test("the palette has the colors of the vectors, in their order")
  func colors() {
    #expect(ParticipantPalette.entries.map(\.color.text) == vectors.participants)
    #expect(ParticipantPalette.entries.count >= 12)
  }

  @Test("no two colors of the palette look alike")
  func distinct() {
    let entries = ParticipantPalette.entries
    for (index, entry) in entries.enumerated() {
      for other in entries[..<index] {
        #expect(entry.lab.distance(to: other.lab) >= ParticipantPalette.distinctDistance)
      }
    }
  }

  @Test("distances in OKLab are those of the vectors")
  func distances() throws {
    for row in vectors.distances {
      let colors = try row.colors.map { try #require(RGBColor($0)) }
      let distance = OKLab(colors[0]).distance(to: OKLab(colors[1]))
      #expect(abs(distance - row.distance) < 0.001, "\(row.colors)")
    }
  }

  @Test(
    "a color is parsed from # and six hexadecimal digits, and from no other text",
    arguments: [
      ("#0a5ad2", "#0a5ad2"), ("#0A5AD2", "#0a5ad2"), ("#ffffff", "#ffffff"), ("", nil), ("#", nil),
      ("0a5ad2", nil), ("#0a5ad", nil), ("#0a5ad2 ", nil), ("#0a5adg", nil), ("#0a5adé", nil),
      ("#0a5a é", nil),
    ] as [(String, String?)])
  func reads(_ text: String, _ read: String?) {
    #expect(RGBColor(text)?.text == read)
  }
}
