import SessionCore
import Testing
import Wire

/// P8: a broken connection is not a leave. Also: the choice of names and colors.
@Suite("P8: a broken connection is not a leave")
struct PresenceTests {
  @Test(
    "S37 after a broken connection, `gone` is announced only if the participant has not resumed within the grace time"
  )
  func grace() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    bo.breakWire()
    fixture.pass(milliseconds: 29_999)
    let again = try fixture.join(resume: bo.resume(after: nil))
    fixture.pass(milliseconds: 60_000)
    try fixture.turn(ada, again)
    #expect(ada.people.allSatisfy { $0.left.isEmpty })
    #expect(ada.people.flatMap(\.joined).filter { $0.number == 2 }.count == 1)
    again.breakWire()
    fixture.pass(milliseconds: 30_000)
    try fixture.turn(ada)
    #expect(ada.people.last?.left.map(\.reason) == [.gone])
    #expect(ada.people.last?.left.map(\.number) == [2])
  }

  @Test("S37 if the connection ended because the page was closed, the grace time is five seconds")
  func pageGone() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    bo.breakWire(pageGone: true)
    fixture.pass(milliseconds: 4_999)
    try fixture.turn(ada)
    #expect(ada.people.allSatisfy { $0.left.isEmpty })
    fixture.pass(milliseconds: 1)
    try fixture.turn(ada)
    #expect(ada.people.last?.left.map(\.reason) == [.gone])
  }

  @Test(
    "S38 a participant that comes back after the grace time is announced as joined again, with the same id and number"
  )
  func again() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join(name: "Bo")
    bo.send("1")
    bo.breakWire()
    fixture.pass(milliseconds: 30_000)
    try fixture.turn(ada)
    let again = try fixture.join(resume: bo.resume(after: nil))
    try fixture.turn(ada)
    #expect(again.joined?.participant == bo.joined?.participant)
    #expect(again.joined?.acknowledged == 1)
    #expect(ada.people.last?.joined.first == again.joined?.participant)
  }

  @Test("S39 a leave is announced with its reason, and closes the socket with 1000")
  func leave() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    _ = fixture.takeEffects()
    bo.leave()
    #expect(fixture.takeCloses() == [Closed(connection: bo.connection, code: 1000)])
    try fixture.turn(ada)
    #expect(ada.people.last?.left.map(\.reason) == [.left])
    #expect(fixture.session.activeParticipantCount == 1)
  }

  @Test("S40 a participant without a name or color gets a random one; unused colors are preferred")
  func madeUp() throws {
    let fixture = Fixture()
    var colors: Set<String> = []
    for _ in ParticipantPalette.entries {
      let participant = try #require(try fixture.join().joined?.participant)
      #expect(participant.name.split(separator: " ").count == 2)
      colors.insert(participant.color)
    }
    #expect(colors == Set(ParticipantPalette.entries.map(\.color.text)))
    let own = try fixture.join(name: "Ada", color: "#123456")
    #expect(own.joined?.participant.name == "Ada")
    #expect(own.joined?.participant.color == "#123456")
  }

  @Test("S40 a profile changes only the values that it contains, and is not announced if it changes none")
  func profile() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada", color: "#111111")
    ada.forget()
    fixture.session.setProfile(Profile(color: "#222222"), of: ada.subscriber)
    fixture.session.setProfile(Profile(name: "Ada", color: "#222222"), of: ada.subscriber)
    try fixture.turn(ada)
    #expect(ada.people.map { $0.changed.map(\.name) } == [["Ada"]])
    #expect(ada.people.first?.changed.map(\.color) == ["#222222"])
  }

  @Test(
    "S41 a waiting socket gets the participants and their changes, but no entries; members see its participant in `waiting`"
  )
  func waiting() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada")
    ada.send("unseen", .appended, key: 1)
    try fixture.turn(ada)
    let waits = fixture.connect()
    waits.wait(name: "Wendy")
    try fixture.turn(ada, waits)
    guard case .waiting(let told)? = waits.controls.first else {
      Issue.record("\(waits.controls)")
      return
    }
    #expect(told.participants.map(\.name) == ["Ada"])
    #expect(told.session.participants == 1)
    #expect(ada.people.last?.waiting.map(\.name) == ["Wendy"])
    ada.send("unseen too")
    let bo = try fixture.join(name: "Bo")
    try fixture.turn(ada, waits)
    #expect(waits.drawn.isEmpty)
    #expect(waits.people.last?.joined.map(\.name) == ["Bo"])
    #expect(bo.people.first?.waiting.map(\.name) == ["Wendy"])
    waits.join(name: "Wendy")
    try fixture.turn(ada, waits)
    #expect(waits.joined?.resumed == false)
    #expect(waits.texts == ["unseen"])
    #expect(ada.people.last?.joined.map(\.name) == ["Wendy"])
    #expect(fixture.session.activeParticipantCount == 3)
  }

  @Test("S41 a waiting socket that closes is announced in the list `left`")
  func waitingGone() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let waits = fixture.connect()
    waits.wait()
    try fixture.turn(ada)
    waits.breakWire()
    try fixture.turn(ada)
    #expect(ada.people.last?.left.map(\.number) == [2])
  }

  @Test("S42 when a session is ended, all its sockets are closed with 4010, including waiting ones")
  func end() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    let waits = fixture.connect()
    waits.wait()
    _ = fixture.takeEffects()
    fixture.perform(fixture.session.end())
    let closes = fixture.takeCloses().sorted { $0.connection < $1.connection }
    #expect(
      closes == [ada.connection, bo.connection, waits.connection].map { Closed(connection: $0, code: 4010) })
  }

  @Test("S43 a thousand joins in one turn are announced in a few entries, each small enough for a message")
  func crowd() throws {
    let fixture = Fixture()
    let first = try fixture.join()
    first.forget()
    for _ in 0..<999 { fixture.connect().join(name: String(repeating: "😀", count: 64)) }
    try fixture.turn(first)
    #expect(first.people.count <= 4)
    #expect(first.people.flatMap(\.joined).count == 999)
    #expect(first.entries.allSatisfy { $0.payload.count <= 262_144 })
  }
}
