import Combine
import FoundationEssentials
import Gateway
import GroupActivities
import Testing
import Wire

extension GatewaySuites {
  @Suite("Activities and successors of a GroupSession")
  struct SessionActivityTests {
    @Test(
      "all programs have the same activity after concurrent changes; each sees its own change immediately")
    func convergence() async throws {
      let gateway = try TestGateway()
      #expect(try await Quiz(round: 1).activate())
      let ada = try await Quiz.nextSession()
      ada.join()
      try await ada.waitForState(.joined)
      let ben: GroupSession<Quiz> = try await GroupActivitiesGateway.session(at: ada.link)
      ben.join()
      try await ben.waitForState(.joined)
      for round in 2..<10 {
        ada.activity = Quiz(round: 10 * round)
        #expect(ada.activity.round == 10 * round)
        ben.activity = Quiz(round: 10 * round + 1)
      }
      try await ada.settle()
      try await ben.settle()
      // In the session's order, Cleo's join comes after all changes. When Ada and Ben see this join, they have seen
      // all changes.
      let cleo: GroupSession<Quiz> = try await GroupActivitiesGateway.session(at: ada.link)
      cleo.join()
      try await cleo.waitForState(.joined)
      for session in [ada, ben] { try await session.waitForParticipants(3) }
      let last = cleo.activity.round
      #expect(last / 10 == 9)
      #expect(ada.activity.round == last && ben.activity.round == last)
      for session in [ada, ben, cleo] { session.leave() }
      withExtendedLifetime(gateway) {}
    }

    @Test(
      "a program that changes the activity often never sees an older activity again, and all participants get the last one"
    )
    @MainActor
    func activityInHaste() async throws {
      let gateway = try TestGateway { $0.limits.entriesPerSecond = 20 }
      #expect(try await Quiz(round: 0).activate())
      let ada = try await Quiz.nextSession()
      ada.join()
      try await ada.waitForState(.joined)
      let ben: GroupSession<Quiz> = try await GroupActivitiesGateway.session(at: ada.link)
      ben.join()
      try await ben.waitForState(.joined)
      var seen: [Int] = []
      let subscription = ada.$activity.sink { seen.append($0.round) }
      for round in 1...100 {
        ada.activity = Quiz(round: round)
        if round == 3 || round == 5 { try await ada.settle() }
      }
      try await ada.settle()
      #expect(ada.activity.round == 100 && seen == seen.sorted())
      try await withTimeout("the last activity") {
        for await activity in ben.$activity.values where activity.round == 100 { return }
      }
      subscription.cancel()
      ada.leave()
      ben.leave()
      withExtendedLifetime(gateway) {}
    }

    @Test(
      "activate() after leave() creates a successor, whose link the other participants get as the invalidation reason"
    )
    @MainActor
    func reset() async throws {
      let gateway = try TestGateway()
      #expect(try await Board(title: "one").activate())
      let first = try await Board.nextSession()
      first.join()
      try await first.waitForState(.joined)
      // This participant stands for another program, although it runs in the same process.
      let other: GroupSession<Board> = try await GroupActivitiesGateway.session(at: first.link)
      other.join()
      try await other.waitForState(.joined)
      first.leave()
      #expect(try await Board(title: "two").activate())
      let second = try await Board.nextSession()
      #expect(second.id != first.id)
      #expect(second.isLocallyInitiated)
      #expect(second.activity.title == "two")
      try await other.waitForState(.invalidated(reason: GroupSessionInvalidation.succeeded(by: second.link)))
      second.join()
      try await second.waitForState(.joined)
      // In a joined session, `activate()` creates a successor. The old session is invalidated before the new one is offered.
      #expect(try await Board(title: "three").activate())
      let third = try await Board.nextSession()
      #expect(second.state == .invalidated(reason: GroupSessionInvalidation.succeeded(by: third.link)))
      #expect(third.isLocallyInitiated)
      third.leave()
      withExtendedLifetime(gateway) {}
    }

    @Test("concurrent activations of equal activities create one session")
    func oneSession() async throws {
      let gateway = try TestGateway()
      async let one = Board(title: "same").activate()
      async let two = Board(title: "same").activate()
      let both = (try await one, try await two)
      #expect(both == (true, true))
      let session = try await Board.nextSession()
      #expect(session.activity.title == "same")
      // If the first activations had created two sessions, the second one would be offered before this session.
      #expect(try await Board(title: "another").activate())
      #expect(try await Board.nextSession().activity.title == "another")
      withExtendedLifetime(gateway) {}
    }

    @Test("a session with endsWhenInitiatorLeaves ends when its initiator leaves")
    func lifetime() async throws {
      let gateway = try TestGateway()
      #expect(try await Shift().activate())
      let starter = try await Shift.nextSession()
      starter.join()
      try await starter.waitForState(.joined)
      let other: GroupSession<Shift> = try await GroupActivitiesGateway.session(at: starter.link)
      other.join()
      try await other.waitForState(.joined)
      starter.leave()
      try await other.waitForState(.invalidated(reason: GroupSessionInvalidation.ended))
      withExtendedLifetime(gateway) {}
    }
  }
}

private struct Board: GroupActivity {
  let title: String
  var metadata: GroupActivityMetadata { GroupActivityMetadata() }
}

private struct Shift: GroupActivity {
  var metadata: GroupActivityMetadata {
    get async {
      var metadata = GroupActivityMetadata()
      metadata.lifetimePolicy = .endsWhenInitiatorLeaves
      metadata.type = .workoutTogether
      return metadata
    }
  }
}
