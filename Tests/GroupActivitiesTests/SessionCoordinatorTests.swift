import Combine
import FoundationEssentials
import Platform
import SessionClient
import Testing
import Wire

@testable import GroupActivities

extension GatewaySuites {
  @Suite("SessionCoordinator publishes only current states of a session")
  struct SessionCoordinatorTests {
    @Test("after a session was invalidated, no change of its state or participants is published")
    @MainActor
    func publishesNothingAfterTheEnd() throws {
      let session = try GroupSession<DrawTogether>(makeCoordinator())
      let end = GroupSessionInvalidation.left
      session.publish(.invalidated(end))
      session.publish(.participants(active: [session.localParticipant]))
      session.publish(.joined)
      #expect(session.state == .invalidated(reason: end) && session.activeParticipants.isEmpty)
    }

    @Test(
      "a journal subscriber that is added during a second catch-up receives the current list of attachments")
    func subscribesDuringCatchUp() async throws {
      let coordinator = try makeCoordinator()
      coordinator.receive(.catchUp(.tail))
      coordinator.receive(.caughtUp)
      coordinator.receive(.catchUp(.tail))
      let subscription = coordinator.journal.subscribe()
      coordinator.receive(.caughtUp)
      #expect(try await withTimeout("all attachments") { await subscription.next() } == [])
    }

    @Test(
      "while activity changes of this program are pending, activities that the session reports are ignored"
    )
    func ownChangesComeFirst() {
      func expect(_ wanted: Bool, _ actual: Bool, at location: SourceLocation = #_sourceLocation) {
        #expect(actual == wanted, sourceLocation: location)
      }
      var changes = ActivityChanges()
      for number in 1...3 { changes.begin(.number(Double(number))) }
      expect(false, changes.confirm(.number(1), isMine: true))
      expect(false, changes.confirm(.number(9), isMine: false))
      expect(false, changes.confirm(.number(2), isMine: true))
      expect(false, changes.settle())
      expect(true, changes.confirm(.number(3), isMine: true))
      expect(true, changes.confirm(.number(9), isMine: false))
      // Change 4 cannot be sent, and change 5 is refused.
      changes.begin(.number(4))
      changes.cancel(.number(4))
      expect(true, changes.confirm(.number(9), isMine: false))
      changes.begin(.number(5))
      changes.recordRefusal()
      expect(true, changes.settle())
      expect(true, changes.confirm(.number(9), isMine: false))
      // Change 6 gets no answer.
      changes.begin(.number(6))
      expect(false, changes.settle())
      expect(true, changes.settle())
    }

    @Test(
      "after this program has changed the activity, an activity that was reported before the change is not published"
    )
    @MainActor
    func publishesNoOlderActivity() throws {
      struct Quiz: GroupActivity {
        var round: Int? = nil
        var metadata: GroupActivityMetadata { GroupActivityMetadata() }
      }
      let session = try GroupSession<Quiz>(makeCoordinator())
      session.publish(.activity(.object(["round": .number(1)]), revision: 0))
      #expect(session.activity.round == 1)
      session.coordinator.state.withLock { $0.activityRevision += 1 }
      session.publish(.activity(.object(["round": .number(2)]), revision: 0))
      #expect(session.activity.round == 1)
      session.publish(.activity(.object(["round": .number(3)]), revision: 1))
      #expect(session.activity.round == 3)
    }

    @Test("if the main actor is busy, it receives only the newest set of participants")
    @MainActor
    func publishesOnlyTheNewest() async throws {
      let session = try GroupSession<DrawTogether>(makeCoordinator())
      let people = (0..<100).map { _ in GroupActivities.Participant(id: UUID()) }
      var seen: [Int] = []
      let subscription = session.$activeParticipants.sink { seen.append($0.count) }
      for count in 1...100 { session.coordinator.publish(active: Set(people.prefix(count))) }
      session.coordinator.publish(.joined)
      try await session.waitForState(.joined)
      #expect(seen == [0, 100])
      subscription.cancel()
    }

    @Test("RecentTable evicts the oldest keys when it has too many")
    func recentTable() {
      var table = RecentTable<Int, Int>(limit: 10)
      for number in 0..<100 { table[number] = number }
      #expect(table[99] == 99 && table[90] == 90 && table[79] == nil)
      table[95, default: 0] += 1
      #expect(table[95] == 96)
    }
  }
}
