import Combine
import FoundationEssentials
import Gateway
import GroupActivities
import Synchronization
import Testing
import Wire

extension GatewaySuites {
  @Suite("A GroupSession can be joined, left and ended, and publishes its state and its participants")
  struct SessionTests {
    @Test("activate() offers a locally initiated session; join() changes its state from waiting to joined")
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

    @Test(
      "open(_:) offers a session that the page created; the case of the activity identifier does not matter")
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

    @Test("open and activate throw errors with a description")
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

    @Test("leave() stops sending and receiving immediately, and publishes the state invalidated")
    func leaving() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let (fromAda, fromBen) = (GroupSessionMessenger(session: ada), GroupSessionMessenger(session: ben))
      try await fromAda.send(Remark("before"))
      try await ada.settle()
      try await fromBen.send(Signal(number: 0))
      // Ada receives messages before she leaves: Ben's first signal arrives.
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
      // The other participant stays in the session.
      #expect(ben.state == .joined)
      try await fromBen.send(Remark("goes on"))
      // Joining at the same link again creates a new session object with a new participant.
      let again = try await gateway.join(link)
      #expect(again !== ada && again.localParticipant != ada.localParticipant)
    }

    @Test("end() invalidates the session for all participants")
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

    @Test(
      "$activeParticipants publishes a set before the property changes, so a sink can compare both sets to find newcomers"
    )
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

    @Test(
      "a program that has a session object is listed in waitingParticipants until it joins the session or releases the object"
    )
    func waitingParticipants() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      func waiting(_ count: Int) async throws {
        try await withTimeout("\(count) waiting participants") {
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

    @Test(
      "GroupSession is Sendable if its activity is Sendable; iterators, messengers and journals are always Sendable"
    )
    func sendable() {
      func isSendable<Value: Sendable>(_ type: Value.Type) -> Bool { true }
      #expect(isSendable(GroupSession<Quiz>.self))
      #expect(isSendable(GroupSession<Riddle>.Sessions.Iterator.self))
      #expect(isSendable(GroupSession<Riddle>.Entries.Iterator.self))
      #expect(isSendable(GroupSessionMessenger.self) && isSendable(GroupSessionJournal.self))
      #expect(isSendable(GroupSessionMessenger.Messages<Riddle>.Iterator.self))
      #expect(isSendable(GroupSessionJournal.Attachments.Iterator.self))
    }

    @Test("the sender of a retained message still has a name after leaving the session")
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
      "releasing a session object leaves the session, even if the object was offered to an iterator that nobody reads"
    )
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
        // A session that this program has joined is not offered again, so the second participant joins later.
        let ada = try await gateway.join(link)
        try await ada.waitForParticipants(2)
        return ada
      }
      let ada = try await comeAndGo()
      try await ada.waitForParticipants(1)
      await ada.leaveAndWait()
      withExtendedLifetime(idle) {}
    }

    @Test("releasing a session object leaves the session and deallocates the object")
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
      // The main actor has published all changes of the session when it runs this closure.
      await MainActor.run {}
      #expect(over == nil)
    }

    @Test("GroupStateObserver reports whether the gateway can be reached")
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
      withExtendedLifetime(gateway) {}
    }

    @Test("showNotice and requestForegroundPresentation call the presentation closure")
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

private struct Signal: Codable { let number: Int }

/// An activity that is not `Sendable`.
private final class Riddle: GroupActivity {
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
