import FoundationEssentials
import Testing
import Wire

@testable import SessionClient

@Suite("The identity of a client as a participant")
struct LocalIdentityTests {
  private static func joined(_ number: ParticipantNumber, resumed: Bool) -> Joined {
    Joined(
      participant: Participant(id: UUID(), number: number, name: "Ada", color: "#ff0000"),
      token: Token(high: 1, low: UInt64(number)), epoch: "e", sequence: 0, committed: 0, acknowledged: 0,
      resumed: resumed,
      session: SessionObject(
        id: SessionID(high: 1, low: 2), link: "/s/x", activity: .standard,
        createdAt: Date(timeIntervalSince1970: 0), participants: 1, sequence: 0), limits: Limits())
  }

  @Test(
    "A resume with the same participant number keeps the participant; any other join creates a new participant"
  )
  func joins() {
    var identity = LocalIdentity()
    #expect(identity.participant == nil && identity.resumeToken == nil)
    let isNew = [
      identity.join(Self.joined(1, resumed: false)), identity.join(Self.joined(1, resumed: true)),
      identity.join(Self.joined(7, resumed: true)),
    ]
    #expect(isNew == [true, false, true])
    #expect(identity.owns(1) && identity.owns(7) && !identity.owns(2))
  }

  @Test("A discarded token is not used to resume, but is stored until a join replaces it")
  func token() {
    var identity = LocalIdentity()
    _ = identity.join(Self.joined(1, resumed: false))
    #expect(identity.resumeToken == Token(high: 1, low: 1))
    identity.discardToken()
    #expect(identity.resumeToken == nil && identity.token == Token(high: 1, low: 1))
    _ = identity.join(Self.joined(2, resumed: false))
    #expect(identity.resumeToken == Token(high: 1, low: 2))
  }

  @Test(
    "After a join with a new number, the outbox belongs to the old number until `takeOverOutbox` is called")
  func outbox() {
    var identity = LocalIdentity()
    identity.takeOverOutbox()
    #expect(!identity.ownsOutbox)
    _ = identity.join(Self.joined(1, resumed: false))
    #expect(!identity.ownsOutbox)
    identity.takeOverOutbox()
    #expect(identity.ownsOutbox && identity.outboxNumber == 1)
    _ = identity.join(Self.joined(2, resumed: false))
    #expect(!identity.ownsOutbox)
  }
}
