import Combine
import FoundationEssentials
import Gateway
import GroupActivities
import Synchronization
import Testing
import Wire

extension GatewaySuites {
  @Suite("GroupSession")
  struct SessionTests {
    @Test("activate() offers the session to sessions(), as one's own; its state goes from waiting to joined")
    @MainActor
    func activates() async throws {
      let gateway = try TestGateway()
      #expect(await Quiz(round: 1).prepareForActivation() == .activationPreferred)
      #expect(try await Quiz(round: 1).activate())
      let session = try await Quiz.nextSession()
      #expect(session.state == .waiting && session.isLocallyInitiated)
      #expect(session.activity.round == 1)
      #expect(session.activeParticipants.isEmpty)
      let provisional = session.localParticipant
      session.join()
      try await session.waitForState(.joined)
      #expect(session.activeParticipants == [session.localParticipant])
      #expect(session.localParticipant != provisional)
      #expect(session.link.absoluteString.hasPrefix("\(gateway.url)/s/"))
      #expect(session.name(of: session.localParticipant)?.isEmpty == false)
      #expect(session.color(of: session.localParticipant)?.count == 7)
      session.leave()
    }

    @Test("a page's session opens by its link, its identifier in whatever case")
    func opensLink() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let session = try await withTimeout("an offer") {
        async let offered = DrawTogether.nextSession()
        try await GroupActivitiesGateway.open(link)
        return try await offered
      }
      #expect(session.link == link && !session.isLocallyInitiated)
      session.join()
      try await session.waitForState(.joined)
      await session.leaveAndWait()
    }

    @Test("what cannot be opened or activated throws in words")
    func words() async throws {
      let gateway = try TestGateway()
      await #expect(throws: GroupActivitiesGateway.ConnectionError.self) {
        try await GroupActivitiesGateway.open(gateway.url)
      }
      let unknown = try #require(URL(string: "\(gateway.url)/s/AAAAAAAAAAAAAAAAAAAAAA"))
      let error = await #expect(throws: GroupActivitiesGateway.ConnectionError.self) {
        try await GroupActivitiesGateway.open(unknown)
      }
      guard case .refused("not-found", let words)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error.map { "\($0)" } == words && !words.isEmpty)
      let long = await #expect(throws: GroupActivitiesGateway.ConnectionError.self) {
        _ = try await Titled(text: String(repeating: "x", count: 129)).activate()
      }
      let said = "\(try #require(long))"
      #expect(said.contains("128") && said.contains("129"))
    }

    @Test("leaving stops both directions, at once, and is published as invalidated")
    func leaving() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let (fromAda, fromBen) = (GroupSessionMessenger(session: ada), GroupSessionMessenger(session: ben))
      try await fromAda.send(Remark("before"))
      try await ada.settle()
      try await fromBen.send(Signal(number: 0))
      // The message is here when the one behind it is; nobody has listened to it yet.
      _ = try await fromAda.next(1, of: Signal.self)
      try await fromBen.send(Remark("unread"))
      try await fromBen.send(Signal(number: 1))
      ada.leave()
      await #expect(throws: GroupSessionMessenger.SendError.invalidated(.left)) {
        try await fromAda.send(Remark("after"))
      }
      let seen = try await withTimeout("the end of a sequence") {
        var seen = 0
        for await _ in fromAda.messages(of: Remark.self) { seen += 1 }
        for await _ in GroupSessionJournal(session: ada).attachments { seen += 1 }
        return seen
      }
      #expect(seen == 0)
      try await ada.waitForState(.invalidated(reason: GroupSessionInvalidation.left))
      try await ben.waitForParticipants(1)
      // For the others it goes on.
      #expect(ben.state == .joined)
      try await fromBen.send(Remark("goes on"))
      // A session rejoined is a new object, and a new participant.
      let again = try await gateway.join(link)
      #expect(again !== ada && again.localParticipant != ada.localParticipant)
    }

    @Test("end() reaches everybody as invalidated")
    func ending() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let remarks = Task {
        var count = 0
        for await _ in GroupSessionMessenger(session: ben).messages(of: Remark.self) { count += 1 }
        return count
      }
      ada.end()
      try await ada.waitForState(.invalidated(reason: GroupSessionInvalidation.ended))
      try await ben.waitForState(.invalidated(reason: GroupSessionInvalidation.ended))
      #expect(try await withTimeout("the end of ben's messages") { await remarks.value } == 0)
      let late = try? await gateway.session(at: link)
      #expect(late == nil)
    }

    @Test("$activeParticipants publishes before it stores: newcomers are those who are not in the property")
    @MainActor
    func newcomers() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.session(at: link)
      var newcomers: [Set<GroupActivities.Participant>] = []
      let subscription = ada.$activeParticipants.sink { people in
        let new = people.subtracting(ada.activeParticipants)
        if !new.isEmpty { newcomers.append(new) }
      }
      ada.join()
      try await ada.waitForParticipants(1)
      let ben = try await gateway.join(link)
      try await ada.waitForParticipants(2)
      ben.leave()
      try await ada.waitForParticipants(1)
      #expect(newcomers == [[ada.localParticipant], [ben.localParticipant]])
      subscription.cancel()
    }

    @Test("who holds a session and has not joined is in waitingParticipants, until it joins or lets go")
    func waitingParticipants() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      func waiting(_ count: Int) async throws {
        try await withTimeout("\(count) who wait") {
          for await _ in ada.$activeParticipants.values where ada.waitingParticipants.count == count {
            return
          }
        }
      }
      let ben = try await gateway.session(at: link)
      try await waiting(1)
      let waiter = try #require(ada.waitingParticipants.first)
      #expect(ben.state == .waiting && ben.activeParticipants.isEmpty)
      #expect(ada.activeParticipants == [ada.localParticipant])
      ben.join()
      try await waiting(0)
      try await ada.waitForParticipants(2)
      try await ben.waitForState(.joined)
      #expect(ben.localParticipant == waiter)
      do {
        let cleo = try await gateway.session(at: link)
        try await waiting(1)
        #expect(cleo.state == .waiting)
      }
      try await waiting(0)
      let dan = try await gateway.session(at: link)
      ada.end()
      try await dan.waitForState(.invalidated(reason: GroupSessionInvalidation.ended))
    }

    @Test("a session is Sendable if its activity is; iterators, messengers and journals always are")
    func sendable() {
      func isSendable<Value: Sendable>(_ type: Value.Type) -> Bool { true }
      #expect(isSendable(GroupSession<Quiz>.self))
      #expect(isSendable(GroupSession<Riddle>.Sessions.Iterator.self))
      #expect(isSendable(GroupSession<Riddle>.Entries.Iterator.self))
      #expect(isSendable(GroupSessionMessenger.self) && isSendable(GroupSessionJournal.self))
      #expect(isSendable(GroupSessionMessenger.Messages<Riddle>.Iterator.self))
      #expect(isSendable(GroupSessionJournal.Attachments.Iterator.self))
    }

    @Test("activity set by two at once converges; by one it is there at once")
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
      // What somebody says now comes behind all of it in the session's order, and is told to both: so all of it was.
      let cleo: GroupSession<Quiz> = try await GroupActivitiesGateway.session(at: ada.link)
      cleo.join()
      try await cleo.waitForState(.joined)
      for session in [ada, ben] { try await session.waitForParticipants(3) }
      let last = cleo.activity.round
      #expect(last / 10 == 9)
      #expect(ada.activity.round == last && ben.activity.round == last)
      for session in [ada, ben, cleo] { session.leave() }
      _ = gateway
    }

    @Test(
      "activity set again and again is not taken back here, and everybody has the last one, whatever the rate"
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
      _ = gateway
    }

    @Test("who sent what is kept, and left before one came, has a name")
    func departedName() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.session(at: link)
      ada.join(as: "Ada")
      try await ada.waitForState(.joined)
      try await GroupSessionMessenger(session: ada).send(
        UpsertStrokeMessage(id: UUID(), color: 1, point: [1, 1]))
      try await ada.settle()
      let source = ada.localParticipant
      await ada.leaveAndWait()
      let ben = try await gateway.join(link)
      #expect(ben.name(of: source) == "Ada" && ben.color(of: source)?.count == 7)
      await ben.leaveAndWait()
    }

    @Test(
      "a session that a program lets go of leaves, even if another iterator was offered it and does not read")
    func unreadIterator() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let idle = DrawTogether.sessions().makeAsyncIterator()
      func comeAndGo() async throws -> GroupSession<DrawTogether> {
        async let offered = DrawTogether.nextSession()
        try await GroupActivitiesGateway.open(link)
        let session = try await offered
        session.join()
        try await session.waitForState(.joined)
        // Whoever is in a session already is offered it no more: another participant comes afterwards.
        let ada = try await gateway.join(link)
        try await ada.waitForParticipants(2)
        return ada
      }
      let ada = try await comeAndGo()
      try await ada.waitForParticipants(1)
      await ada.leaveAndWait()
      _ = idle
    }

    @Test(
      "reset: leave and activate make the successor, which everybody in the old one is offered after its end")
    @MainActor
    func reset() async throws {
      let gateway = try TestGateway()
      #expect(try await Board(title: "one").activate())
      let first = try await Board.nextSession()
      first.join()
      try await first.waitForState(.joined)
      // Another program's participant, in the same process.
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
      // While it is in, a new activation is its successor, and it is over before the new one is offered.
      #expect(try await Board(title: "three").activate())
      let third = try await Board.nextSession()
      #expect(second.state == .invalidated(reason: GroupSessionInvalidation.succeeded(by: third.link)))
      #expect(third.isLocallyInitiated)
      third.leave()
      _ = gateway
    }

    @Test("two activations of the same at once are one session")
    func oneSession() async throws {
      let gateway = try TestGateway()
      async let one = Board(title: "same").activate()
      async let two = Board(title: "same").activate()
      let both = (try await one, try await two)
      #expect(both == (true, true))
      let session = try await Board.nextSession()
      #expect(session.activity.title == "same")
      // A second one of the same would be offered before this.
      #expect(try await Board(title: "another").activate())
      #expect(try await Board.nextSession().activity.title == "another")
      _ = gateway
    }

    @Test("endsWhenInitiatorLeaves ends it for everybody by its starter's leave()")
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
      _ = gateway
    }

    @Test("a session that nobody holds has left, and is gone")
    func isFreed() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      weak var gone: GroupSession<DrawTogether>?
      do {
        let ben = try await gateway.join(link)
        gone = ben
        try await ada.waitForParticipants(2)
      }
      try await ada.waitForParticipants(1)
      #expect(gone == nil)
      weak var over: GroupSession<DrawTogether>?
      do {
        let cleo = try await gateway.join(link)
        over = cleo
        await cleo.leaveAndWait()
      }
      // What was to be published of it has been, once the main actor has got here.
      await MainActor.run {}
      #expect(over == nil)
    }

    @Test("GroupStateObserver is eligible once the gateway is reached, and no longer when there is none")
    @MainActor
    func observer() async throws {
      let gateway = try TestGateway()
      let observer = GroupStateObserver()
      #expect(!observer.isEligibleForGroupSession)
      try await withTimeout("eligible") {
        for await isEligible in observer.$isEligibleForGroupSession.values where isEligible { return }
      }
      try GroupActivitiesGateway.use(try #require(URL(string: "http://127.0.0.1:9")))
      try await withTimeout("not eligible") {
        for await isEligible in observer.$isEligibleForGroupSession.values where !isEligible { return }
      }
      #expect(await Quiz(round: 0).prepareForActivation() == .activationDisabled)
      _ = gateway
    }

    @Test("showNotice and requestForegroundPresentation go to whoever shows things")
    func presentation() async throws {
      let gateway = try TestGateway()
      let session = try await gateway.join(try await gateway.makeLink())
      let shown = Mutex<[String]>([])
      GroupActivitiesGateway.present { presentation in
        let text =
          switch presentation {
          case .notice(let event, let name, _): "\(name == nil) \(event.action)"
          case .foreground: "front"
          }
        shown.withLock { $0.append(text) }
      }
      session.showNotice(
        GroupSessionEvent(originator: session.localParticipant, action: .skip(item: "Intro"), url: nil))
      session.requestForegroundPresentation()
      GroupActivitiesGateway.present(by: nil)
      session.requestForegroundPresentation()
      #expect(shown.withLock { $0 } == ["false skipped Intro", "front"])
    }
  }
}

extension GroupActivity where Self: Sendable {
  /// The next session that is offered.
  static func nextSession() async throws -> GroupSession<Self> {
    try await withTimeout("a session of \(activityIdentifier)") {
      for await session in sessions() { return session }
      throw WaitTimeout(description: "sessions() ended")
    }
  }
}

private struct Signal: Codable { let number: Int }

private struct Quiz: GroupActivity {
  let round: Int
  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = "Round \(round)"
    return metadata
  }
}

/// An activity that is not `Sendable`.
private final class Riddle: GroupActivity {
  var metadata: GroupActivityMetadata { GroupActivityMetadata() }
}

private struct Board: GroupActivity {
  let title: String
  var metadata: GroupActivityMetadata { GroupActivityMetadata() }
}

private struct Titled: GroupActivity {
  let text: String
  var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata()
    metadata.title = text
    return metadata
  }
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
