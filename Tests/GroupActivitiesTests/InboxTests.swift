import FoundationEssentials
import SessionClient
import Testing
import Wire

@testable import GroupActivities

extension GatewaySuites {
  @Suite("The inbox, which delivers messages to the subscribers of their types")
  struct InboxTests {
    @Test("after leave(), no message is yielded, not even to a reader that was already resumed")
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
      session.coordinator.inbox.deliver(makeEntry(#"{"text":"late"}"#, type: "Remark", retention: .none, 1))
      session.leave()
      #expect(await reading.value)
    }

    @Test("two sequences read on one actor yield messages in the order of their arrival")
    @MainActor
    func ordersSequencesOfOneActor() async throws {
      let session = try GroupSession<DrawTogether>(makeCoordinator())
      let messenger = GroupSessionMessenger(session: session)
      let (reader, otherJobs) = (ManualReader(), ManualExecutor())
      let tasks = [
        Task.detached(executorPreference: otherJobs) {
          await reader.perform { reader in
            for await (stroke, _) in messenger.messages(of: UpsertStrokeMessage.self) {
              reader.record("stroke \(stroke.color)")
            }
          }
        },
        Task.detached(executorPreference: otherJobs) {
          await reader.perform { reader in
            for await (remark, _) in messenger.messages(of: Remark.self) {
              reader.record("remark \(remark.text)")
            }
          }
        },
      ]
      ManualReader.run([reader], and: otherJobs)
      for color in 1...2 {
        let stroke = #"{"id":"\#(UUID())","color":\#(color),"point":[0,0]}"#
        session.coordinator.inbox.deliver(
          makeEntry(stroke, type: "UpsertStrokeMessage", retention: .append, UInt32(color)))
      }
      session.coordinator.inbox.deliver(makeEntry(#"{"text":"3"}"#, type: "Remark", retention: .none, 3))
      ManualReader.run([reader], and: otherJobs)
      #expect(reader.elements == ["stroke 1", "stroke 2", "remark 3"])
      session.leave()
      ManualReader.run([reader], and: otherJobs)
      for task in tasks { await task.value }
    }

    @Test(
      "messages without a subscriber are kept up to a size limit; replaced and removed messages do not count toward it"
    )
    func limitsUnclaimedMessages() {
      func remark(_ retention: Retention, _ number: UInt32) -> ReceivedEntry {
        makeEntry("{}", type: "Remark", retention: retention, number)
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

    @Test("a subscriber added during an interrupted snapshot receives each message once")
    func subscribesDuringInterruptedSnapshot() async {
      let inbox = Inbox(meter: BackpressureMeter())
      func deliver(_ number: UInt32, isRepeat: Bool) {
        inbox.deliver(makeEntry("{}", type: "Remark", retention: .append, number, isRepeat: isRepeat))
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

    @Test(
      "events received while delivery is suspended are delivered in order when delivery is resumed or the inbox is closed"
    )
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
        inbox.deliver(makeEntry("{}", type: "Remark", retention: .append, 1))
        inbox.deliver(makeEntry("{}", type: "Signal", retention: .append, 2))
        // The snapshot is interrupted; the next one repeats its entries.
        inbox.beginCatchUp(isSnapshot: true)
        for number in 1...2 as ClosedRange<UInt32> {
          let type = number == 1 ? "Remark" : "Signal"
          inbox.deliver(makeEntry("{}", type: type, retention: .append, number, isRepeat: true))
        }
        inbox.endCatchUp()
        inbox.deliver(makeEntry("{}", type: "Remark", retention: .none, 3))
        if resumes {
          inbox.resumeDelivery()
          inbox.deliver(makeEntry("{}", type: "Remark", retention: .none, 4))
        }
        inbox.close(keepsBuffered: true)
        #expect(await numbers(of: early) == (resumes ? [1, 3, 4] : [1, 3]))
        #expect(await numbers(of: inbox.subscribe(to: "Signal")) == [2])
      }
    }

    @Test("the buffer of deferred events is full when the size of its events exceeds the limit")
    func deferredEventsHaveALimit() {
      let message = makeEntry("{}", type: "Remark", retention: .append, 1)
      var deferred = DeferredEvents(limit: 2 * message.cost)
      for _ in 1...2 { deferred.append(.entry(message)) }
      #expect(!deferred.isFull)
      deferred.append(.entry(message))
      #expect(deferred.isFull && deferred.events.count == 3)
    }
  }
}
