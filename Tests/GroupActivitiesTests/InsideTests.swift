import SessionClient
import Combine
import FoundationEssentials
import Synchronization
import Testing
import Platform
import Wire

@testable import GroupActivities

extension GatewaySuites {
  /// What a gateway seldom brings about, brought about without one.
  @Suite("Inside a session")
  struct InsideTests {
    @Test("a damaged attachment is an error of its own")
    func damagedAttachment() {
      var refusal = Refusal(.internal, "It is damaged.")
      let other = GroupSessionJournal.JournalError(.refused(refusal))
      #expect(other == .refused(code: "internal", detail: "It is damaged."))
      refusal.damaged = true
      #expect(GroupSessionJournal.JournalError(.refused(refusal)) == .damaged)
    }

    @Test("nothing is published behind the end")
    @MainActor
    func publishesNothingBehindTheEnd() throws {
      let session = try GroupSession<DrawTogether>(makeCoordinator())
      let end = GroupSessionInvalidation.left
      session.publish(.invalidated(end))
      session.publish(.participants(active: [session.localParticipant]))
      session.publish(.joined)
      #expect(session.state == .invalidated(reason: end) && session.activeParticipants.isEmpty)
    }

    @Test("nothing is yielded after leave(), not even what has come to a reader that waits")
    @MainActor
    func yieldsNothingAfterLeave() async throws {
      let session = try GroupSession<DrawTogether>(makeCoordinator())
      let messages = GroupSessionMessenger(session: session).messages(of: Remark.self)
      let (begins, begin) = AsyncStream<Void>.makeStream()
      let reading = Task {
        var iterator = messages.makeAsyncIterator()
        begin.finish()
        return await iterator.next() == nil
      }
      for await _ in begins {}
      session.coordinator.inbox.deliver(entry(#"{"text":"late"}"#, type: "Remark", retention: .none, 1))
      session.leave()
      #expect(await reading.value)
    }

    @Test(
      "of what nobody listens to no more is held than a session may keep, and what is replaced or removed counts no more"
    )
    func holdsNoMoreThanASessionKeeps() {
      func remark(_ retention: Retention, _ number: UInt32) -> ReceivedEntry {
        entry("{}", type: "Remark", retention: retention, number)
      }
      var unclaimed = UnclaimedMessages(limit: 2 * remark(.append, 1).cost)
      for _ in 1...5 { unclaimed.add(remark(.replace, 2), keeps: true) }
      unclaimed.add(remark(.append, 3), keeps: true)
      unclaimed.add(remark(.append, 4), keeps: true)
      unclaimed.add(remark(.remove, 3), keeps: false)
      unclaimed.add(remark(.append, 5), keeps: true)
      #expect(unclaimed.removeAll(ofType: "Remark").map(\.clientSequence) == [2, 5])
      unclaimed.add(remark(.append, 6), keeps: true)
      #expect(unclaimed.removeAll(ofType: "Remark").map(\.clientSequence) == [6])
    }

    @Test("who began to listen within a snapshot that was cut is told nothing twice by the next")
    func listensAcrossBrokenSnapshots() async {
      let inbox = Inbox(meter: BackpressureMeter())
      func deliver(_ number: UInt32, isRepeat: Bool) {
        inbox.deliver(entry("{}", type: "Remark", retention: .append, number, isRepeat: isRepeat))
      }
      inbox.beginCatchUp(isSnapshot: true)
      deliver(1, isRepeat: false)
      let subscription = inbox.subscribe(to: "Remark")
      deliver(2, isRepeat: false)
      inbox.beginCatchUp(isSnapshot: true)
      for number in 1...3 as ClosedRange<UInt32> { deliver(number, isRepeat: number < 3) }
      inbox.endCatchUp()
      inbox.close(keepsBuffered: true)
      var seen: [UInt32] = []
      while let entry = await subscription.next() { seen.append(entry.clientSequence) }
      #expect(seen == [1, 2, 3])
    }

    @Test("what arrives while delivery is suspended is delivered later, in its order; at the end too")
    func defersDelivery() async {
      func numbers(of subscription: MessageSubscription) async -> [UInt32] {
        var numbers: [UInt32] = []
        while let entry = await subscription.next() { numbers.append(entry.clientSequence) }
        return numbers
      }
      for resumes in [true, false] {
        let inbox = Inbox(meter: BackpressureMeter())
        let early = inbox.subscribe(to: "Remark")
        inbox.suspendDelivery()
        inbox.beginCatchUp(isSnapshot: true)
        inbox.deliver(entry("{}", type: "Remark", retention: .append, 1))
        inbox.deliver(entry("{}", type: "Signal", retention: .append, 2))
        // The snapshot was cut; the next one repeats it.
        inbox.beginCatchUp(isSnapshot: true)
        for number in 1...2 as ClosedRange<UInt32> {
          let type = number == 1 ? "Remark" : "Signal"
          inbox.deliver(entry("{}", type: type, retention: .append, number, isRepeat: true))
        }
        inbox.endCatchUp()
        inbox.deliver(entry("{}", type: "Remark", retention: .none, 3))
        if resumes {
          inbox.resumeDelivery()
          inbox.deliver(entry("{}", type: "Remark", retention: .none, 4))
        }
        inbox.close(keepsBuffered: true)
        #expect(await numbers(of: early) == (resumes ? [1, 3, 4] : [1, 3]))
        #expect(await numbers(of: inbox.subscribe(to: "Signal")) == [2])
      }
    }

    @Test("deferred events have a limit")
    func deferredEventsHaveALimit() {
      let message = entry("{}", type: "Remark", retention: .append, 1)
      var deferred = DeferredEvents(limit: 2 * message.cost)
      for _ in 1...2 { deferred.append(.entry(message)) }
      #expect(!deferred.isFull)
      deferred.append(.entry(message))
      #expect(deferred.isFull && deferred.events.count == 3)
    }

    @Test("who begins to follow a journal while a later catch-up comes is told what there is")
    func followsWithinCatchUp() async throws {
      let coordinator = try makeCoordinator()
      coordinator.receive(.catchUp(.tail))
      coordinator.receive(.caughtUp)
      coordinator.receive(.catchUp(.tail))
      let subscription = coordinator.journal.subscribe()
      coordinator.receive(.caughtUp)
      #expect(try await withTimeout("all attachments") { await subscription.next() } == [])
    }

    @Test("a batch whose points are none costs no more than one of them")
    func badPoints() {
      var reader = MessageDecoder<Dot>(
        type: StrokeBatchSplitter.messageType, sentPoints: SentStrokePoints())
      let text =
        #"{"color":1,"point":[1,2],"points":["# + String(repeating: "0,", count: 5_000) + #"0],"x":"y"}"#
      let before = Dot.decodings.load(ordering: .relaxed)
      let (first, second) = (reader.decode(entry(text, type: "Dot", retention: .append, 1)), reader.next())
      #expect(first == nil && second == nil)
      #expect(Dot.decodings.load(ordering: .relaxed) - before <= 2)
    }

    @Test(
      "of a batch the members that a type does not know are read once, and long ones are read with pauses")
    func heavyBatches() {
      let heavy = String(repeating: "y", count: 20_000)
      let points = Array(repeating: "[3,4]", count: 100).joined(separator: ",")
      func pauses(_ member: String) -> (points: Int, pauses: Int) {
        var reader = MessageDecoder<Dot>(
          type: StrokeBatchSplitter.messageType, sentPoints: SentStrokePoints())
        var (count, pauses) = (0, 0)
        let text = #"{"color":1,"point":[1,2],"points":[\#(points)],"\#(member)":"\#(heavy)"}"#
        var next = reader.decode(entry(text, type: "Dot", retention: .append, 1))
        while next != nil {
          count += 1
          if reader.needsPause() { pauses += 1 }
          next = reader.next()
        }
        return (count, pauses)
      }
      #expect(pauses("x") == (100, 0))
      #expect(pauses("name") == (100, 1))
    }

    @Test(
      "what the session tells of the activity is passed over while changes of the program's own are under way"
    )
    func ownChangesComeFirst() {
      func expect(_ wanted: Bool, _ told: Bool, at location: SourceLocation = #_sourceLocation) {
        #expect(told == wanted, sourceLocation: location)
      }
      var changes = ActivityChanges()
      for number in 1...3 { changes.begin(.number(Double(number))) }
      expect(false, changes.confirm(.number(1), isMine: true))
      expect(false, changes.confirm(.number(9), isMine: false))
      expect(false, changes.confirm(.number(2), isMine: true))
      expect(false, changes.settle())
      expect(true, changes.confirm(.number(3), isMine: true))
      expect(true, changes.confirm(.number(9), isMine: false))
      // One that was not taken, and one that was refused.
      changes.begin(.number(4))
      changes.cancel(.number(4))
      expect(true, changes.confirm(.number(9), isMine: false))
      changes.begin(.number(5))
      changes.recordRefusal()
      expect(true, changes.settle())
      expect(true, changes.confirm(.number(9), isMine: false))
      // One of which nothing was ever heard.
      changes.begin(.number(6))
      expect(false, changes.settle())
      expect(true, changes.settle())
    }

    @Test("an activity that was told before the program set another one is not published after it")
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

    @Test("a busy main actor is told once who is in: the newest")
    @MainActor
    func tellsTheNewest() async throws {
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

    @Test("a table forgets what was set longest ago")
    func recentTable() {
      var table = RecentTable<Int, Int>(limit: 10)
      for number in 0..<100 { table[number] = number }
      #expect(table[99] == 99 && table[90] == 90 && table[79] == nil)
      table[95, default: 0] += 1
      #expect(table[95] == 96)
    }

    private func makeCoordinator() throws -> SessionCoordinator {
      let link = try SessionLink(try #require(URL(string: "http://127.0.0.1:9/s/AAAAAAAAAAAAAAAAAAAAAA")))
      let object = SessionObject(
        id: link.session, link: "/s/AAAAAAAAAAAAAAAAAAAAAA", activity: .standard, createdAt: Date(),
        participants: 0, sequence: 0)
      return SessionCoordinator(object, at: link.gateway, isLocallyInitiated: false)
    }

    private func entry(
      _ text: String, type: String, retention: Retention, _ number: UInt32, isRepeat: Bool = false
    ) -> ReceivedEntry {
      var flags: EntryFlags = [.reliable]
      flags.retention = retention
      return ReceivedEntry(
        source: Wire.Participant(id: UUID(), number: 7, name: "Ada", color: "#000000"), isMine: false,
        type: type,
        payload: Array(text.utf8), flags: flags, key: EntryKey(high: 1, low: UInt64(number)),
        sequence: UInt64(number), clientSequence: number, isRepeat: isRepeat)
    }
  }
}

/// A message that counts how often it is decoded.
private struct Dot: Codable {
  static let decodings = Atomic(0)
  let color: Int
  let point: [Double]
  let name: String?

  init(from decoder: any Decoder) throws {
    Self.decodings.add(1, ordering: .relaxed)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    color = try container.decode(Int.self, forKey: .color)
    point = try container.decode([Double].self, forKey: .point)
    name = try container.decodeIfPresent(String.self, forKey: .name)
  }
}
