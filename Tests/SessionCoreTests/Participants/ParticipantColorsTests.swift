import Primitives
import Testing
import Wire

@testable import SessionCore

@Suite("S40: no two present people have colors that look alike")
struct ParticipantColorsTests {
  private static let blue = "#0a5ad2"
  /// A color that looks like `blue`.
  private static let similarBlue = "#0c58d0"

  private func color(of client: TestClient) -> String? { client.joined?.participant.color }

  /// Returns the color with these channels, red in the highest byte.
  private func color(_ channels: UInt32) -> String {
    "#\(String(channels | 1 << 24, radix: 16).dropFirst())"
  }

  private func distance(_ one: String, _ other: String) throws -> Float {
    let colors = try [one, other].map { try #require(RGBColor($0)) }
    return OKLab(colors[0]).distance(to: OKLab(colors[1]))
  }

  @Test(
    "S40 no two of up to eight people look alike, with any requested colors, even after others have left",
    arguments: 0..<20 as Range<UInt64>)
  func eight(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = Fixture()
    var present: [TestClient] = []
    for index in 0..<60 {
      if present.count == 8 || (!present.isEmpty && random.chance(40)) {
        present.remove(at: random.below(present.count)).leave()
        continue
      }
      let requested: String? =
        switch random.below(3) {
        case 0: color(UInt32(random.below(1 << 24)))
        case 1: ParticipantPalette.entries[random.below(12)].color.text
        default: nil
        }
      let client = try fixture.join(name: "Person \(index)", color: requested)
      let given = try #require(color(of: client))
      for other in present {
        let its = try #require(color(of: other))
        #expect(try distance(given, its) >= ParticipantPalette.distinctDistance)
      }
      present.append(client)
    }
  }

  @Test("S40 a single person gets any requested color")
  func alone() throws {
    for value in stride(from: 0 as UInt32, to: 1 << 24, by: 0x0F_0F37) {
      let requested = color(value)
      let ada = try Fixture().join(color: requested)
      #expect(color(of: ada) == requested)
    }
  }

  @Test("S40 a color that looks like another person's is replaced until that person has left")
  func replaced() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada", color: Self.blue)
    let bo = try fixture.join(name: "Bo", color: Self.similarBlue)
    #expect(color(of: ada) == Self.blue)
    let given = try #require(color(of: bo))
    #expect(try distance(Self.blue, given) >= ParticipantPalette.distinctDistance)
    ada.leave()
    let cleo = try fixture.join(name: "Cleo", color: Self.blue)
    #expect(color(of: cleo) == Self.blue)
  }

  @Test("S40 the tabs of one person have one color, even if it is not the requested one")
  func tabs() throws {
    let fixture = Fixture()
    _ = try fixture.join(name: "Ada", color: Self.blue)
    let first = try fixture.join(name: "Bo", color: Self.blue)
    let second = try fixture.join(name: "Bo", color: Self.blue)
    let other = try fixture.join(name: "Cleo", color: Self.blue)
    #expect(color(of: first) == color(of: second))
    #expect(color(of: first) != Self.blue && color(of: other) != color(of: first))
    // The next color looks like the old one, which is free because both tabs belong to the same person.
    let old = try #require(color(of: first))
    let next = "\(old.dropLast())\(old.hasSuffix("0") ? 1 : 0)"
    for tab in [first, second] { fixture.session.setProfile(Profile(color: next), of: tab.subscriber) }
    first.forget()
    try fixture.turn(first)
    #expect(first.people.flatMap(\.changed).map(\.color) == [next, next])
  }

  @Test("S40 a returning participant keeps its color, even if the requested color has become free")
  func returns() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada", color: Self.blue)
    let bo = try fixture.join(name: "Bo", color: Self.blue)
    let given = color(of: bo)
    ada.leave()
    bo.breakWire()
    let again = try fixture.join(name: "Bo", color: Self.blue, resume: bo.resume(after: nil))
    #expect(color(of: again) == given)
    again.breakWire()
    fixture.pass(milliseconds: 60_000)
    let late = try fixture.join(name: "Bo", color: Self.blue, resume: bo.resume(after: nil))
    #expect(color(of: late) == given)
  }

  @Test("S40 a past participant gets another color if another person has its color now")
  func givenAway() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada", color: Self.blue)
    _ = try fixture.join(name: "Cleo", color: "#fa6e0a")
    ada.breakWire()
    fixture.pass(milliseconds: 60_000)
    let bo = try fixture.join(name: "Bo", color: Self.similarBlue)
    #expect(color(of: bo) == Self.similarBlue)
    let again = try fixture.join(name: "Ada", color: Self.blue, resume: ada.resume(after: nil))
    let given = try #require(color(of: again))
    #expect(try distance(given, Self.similarBlue) >= ParticipantPalette.distinctDistance)
  }

  @Test("S40 a profile with a taken color is answered with another color, which is announced to all")
  func profile() throws {
    let fixture = Fixture()
    _ = try fixture.join(name: "Ada", color: Self.blue)
    let bo = try fixture.join(name: "Bo", color: "#fa6e0a")
    bo.forget()
    fixture.session.setProfile(Profile(color: Self.similarBlue), of: bo.subscriber)
    try fixture.turn(bo)
    let changed = try #require(bo.people.flatMap(\.changed).first)
    #expect(try distance(changed.color, Self.blue) >= ParticipantPalette.distinctDistance)
    bo.forget()
    fixture.session.setProfile(Profile(name: "Bob", color: Self.similarBlue), of: bo.subscriber)
    try fixture.turn(bo)
    #expect(bo.people.flatMap(\.changed).map(\.color) == [changed.color], "the same request changes nothing")
  }

  @Test("In a large session, further participants get the colors that they request")
  func large() throws {
    let fixture = Fixture()
    for index in 0..<ParticipantColors.trackedLimit { _ = try fixture.join(name: "Person \(index)") }
    for name in ["Ada", "Bo"] {
      let client = try fixture.join(name: name, color: Self.blue)
      #expect(color(of: client) == Self.blue)
    }
    let cleo = try fixture.join(name: "Cleo")
    #expect(color(of: cleo)?.count == 7)
  }

  @Test("The requested color is stored if it is not the participant's color")
  func record() throws {
    var record = ParticipantRecord(
      participant: Participant(id: EntryKey(high: 9, low: 1).uuid, number: 7, name: "Ada", color: "#fa6e0a"),
      digest: nil, acknowledged: 0, presence: .past, requestedColor: RGBColor(Self.blue))
    #expect(try reread(record) == record)
    record.requestedColor = nil
    #expect(try reread(record) == record)
  }

  private func reread(_ record: ParticipantRecord) throws -> ParticipantRecord {
    let encoded = record.encoded
    return try ParticipantRecord(encoded.body.span)
  }
}
