import FoundationEssentials
import Testing
import Wire

@testable import SessionClient

@Suite("The state of a session in the client")
struct SessionStateTests {
  private static func attachment(_ name: String, at seconds: Double) -> AttachmentObject {
    AttachmentObject(
      id: UUID(), name: name, contentType: "image/png", size: 3, sha256: nil, metadata: nil, participant: 2,
      state: .ready, offset: 3, createdAt: Date(timeIntervalSince1970: seconds), url: "/x")
  }

  @Test(
    "`takeChanges` returns only the parts of the session's state that have changed since the previous call")
  func changes() {
    var state = SessionState()
    let none = state.takeChanges()
    #expect(none.isEmpty)
    state.add(SessionHarness.ada)
    state.apply(ActivityPayload(activity: .standard, by: 0))
    let first = state.takeChanges()
    #expect(first.count == 2)
    guard case .participants(let active, let waiting)? = first.first else {
      Issue.record("\(first)")
      return
    }
    #expect(active == [SessionHarness.ada] && waiting.isEmpty)
    let second = state.takeChanges()
    #expect(second.isEmpty)
  }

  @Test("Attachments are ordered by creation time, then by arrival; the start of a snapshot clears them")
  func attachments() {
    var state = SessionState()
    let (late, early, alike) = (
      Self.attachment("late", at: 2), Self.attachment("early", at: 1), Self.attachment("alike", at: 1)
    )
    for attachment in [late, early, alike, early] { state.put(attachment) }
    guard case .attachments(let all)? = state.takeChanges().last else {
      Issue.record("no list")
      return
    }
    #expect(all.map(\.name) == ["early", "alike", "late"])
    state.removeAttachment(late.id)
    state.beginSnapshot()
    state.put(alike)
    state.endCatchUp()
    guard case .attachments(let rest)? = state.takeChanges().last else {
      Issue.record("no list")
      return
    }
    #expect(rest.map(\.name) == ["alike"])
  }

  @Test(
    "While a snapshot arrives, earlier participants keep their numbers; after it, only participants in the snapshot have numbers"
  )
  func snapshot() {
    var state = SessionState()
    state.apply(ParticipantsPayload(joined: [SessionHarness.ada, SessionHarness.bob]))
    state.beginSnapshot()
    #expect(state.numbers(of: [SessionHarness.bob.id]) == [2])
    state.apply(ParticipantsPayload(joined: [SessionHarness.ada]))
    state.endCatchUp()
    #expect(state.numbers(of: [SessionHarness.bob.id, SessionHarness.ada.id]) == [1])
    #expect(state.participant(2).name == "Bob")
  }
}
