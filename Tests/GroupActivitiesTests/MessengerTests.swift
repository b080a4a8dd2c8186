import FoundationEssentials
import Gateway
import GroupActivities
import Synchronization
import Testing
import Wire

extension GatewaySuites {
  @Suite("A GroupSessionMessenger sends messages to participants and receives their messages")
  struct MessengerTests {
    @Test("reliable messages arrive once and in order at all other participants, with their source")
    func reliable() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let (fromAda, fromBen) = (GroupSessionMessenger(session: ada), GroupSessionMessenger(session: ben))
      for number in 0..<100 { try await fromAda.send(Remark("\(number)")) }
      try await fromBen.send(Remark("ben"))
      #expect(try await fromBen.next(100, of: Remark.self) == (0..<100).map { Remark("\($0)") })
      // Ada's messenger does not receive the messages that Ada sent.
      #expect(try await fromAda.next(1, of: Remark.self) == [Remark("ben")])
      try await fromAda.send(Signed(text: "who"))
      let source = try await withTimeout("a source") { () -> GroupActivities.Participant? in
        for await (_, context) in fromBen.messages(of: Signed.self) { return context.source }
        return nil
      }
      #expect(source == ada.localParticipant)
    }

    @Test("messages sent after join(), but before the state becomes `joined`, arrive in order")
    func sendsBeforeJoined() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      let ben = try await gateway.session(at: link)
      let messenger = GroupSessionMessenger(session: ben)
      await #expect(throws: GroupSessionMessenger.SendError.notJoined) {
        try await messenger.send(Remark("early"))
      }
      ben.join()
      for number in 0..<50 { try await messenger.send(Remark("\(number)")) }
      let received = try await GroupSessionMessenger(session: ada).next(50, of: Remark.self)
      #expect(received == (0..<50).map { Remark("\($0)") })
    }

    @Test("a message of 262,144 bytes is sent; with one more byte, an error with limit and size is thrown")
    func largestMessage() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let messenger = GroupSessionMessenger(session: ada)
      let tooLarge = GroupSessionMessenger.SendError.tooLarge(limit: 262_144, actual: 262_145)
      await #expect(throws: tooLarge) { try await messenger.send(Data(count: 262_145)) }
      #expect("\(tooLarge)".contains("262144") && "\(tooLarge)".contains("262145"))
      try await messenger.send(Data(repeating: 7, count: 262_144))
      // `Data` that generic code sends is received as `Data` too.
      func sendAny<Message: Codable>(_ message: Message) async throws { try await messenger.send(message) }
      try await sendAny(Data([1, 2, 3]))
      let largest = Remark(String(repeating: "x", count: 262_144 - #"{"text":""}"#.utf8.count))
      await #expect(throws: tooLarge) { try await messenger.send(Remark(largest.text + "x")) }
      try await messenger.send(largest)
      let receiver = GroupSessionMessenger(session: ben)
      #expect(
        try await receiver.next(2, of: Data.self)
          == [Data(repeating: 7, count: 262_144), Data([1, 2, 3])])
      #expect(try await receiver.next(1, of: Remark.self) == [largest])
    }

    @Test("a send beyond the rate limit throws an error, and all accepted messages arrive")
    func burst() async throws {
      let gateway = try TestGateway { $0.limits.entriesPerSecond = 20 }
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let messenger = GroupSessionMessenger(session: ada)
      var taken: [Remark] = []
      var refusal: GroupSessionMessenger.SendError?
      for number in 0..<200 {
        do {
          try await messenger.send(Remark("\(number)"))
          taken.append(Remark("\(number)"))
        } catch let error as GroupSessionMessenger.SendError {
          refusal = error
        }
      }
      guard case .rateLimited(let time) = refusal else {
        Issue.record("not refused: \(String(describing: refusal))")
        return
      }
      #expect(time > .zero && time <= .seconds(2))
      #expect(taken.count >= 20 && taken.count < 200)
      #expect(try await GroupSessionMessenger(session: ben).next(taken.count, of: Remark.self) == taken)
    }

    @Test(
      "a session can have messengers of both delivery modes; an unreliable message sent without a connection is dropped"
    )
    func bothModes() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      let ben = try await gateway.session(at: link)
      let receiver = GroupSessionMessenger(session: ada)
      let received = Task {
        try await withTimeout("both") {
          var received: [Remark] = []
          for await (remark, _) in receiver.messages(of: Remark.self) {
            received.append(remark)
            // An unreliable message reaches only participants that have already subscribed.
            if received.count == 1 { try await receiver.send(Signed(text: "listening")) }
            if received.count == 2 { break }
          }
          return received
        }
      }
      ben.join()
      let sure = GroupSessionMessenger(session: ben)
      let quick = GroupSessionMessenger(session: ben, deliveryMode: .unreliable)
      #expect(sure.deliveryMode == .reliable && quick.deliveryMode == .unreliable)
      try await quick.send(Remark("dropped"))
      try await sure.send(Remark("first"))
      _ = try await sure.next(1, of: Signed.self)
      try await quick.send(Remark("second"))
      #expect(try await received.value == [Remark("first"), Remark("second")])
    }

    @Test(
      "a message reaches only the selected participants; an empty selection is no error, even before join()")
    func targets() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben, cleo) = (
        try await gateway.join(link), try await gateway.join(link), try await gateway.join(link)
      )
      try await ada.waitForParticipants(3)
      let waiting = GroupSessionMessenger(session: try await gateway.session(at: link))
      try await waiting.send(Remark("to nobody"), to: .only([]))
      let messenger = GroupSessionMessenger(session: ada)
      try await messenger.send(Remark("to nobody"), to: .only([]))
      try await messenger.send(Remark("to ben"), to: .only(ben.localParticipant))
      let everyoneElse = ada.activeParticipants.subtracting([ada.localParticipant])
      #expect(everyoneElse == [ben.localParticipant, cleo.localParticipant])
      try await messenger.send(Remark("to both"), to: .only(everyoneElse))
      #expect(
        try await GroupSessionMessenger(session: ben).next(2, of: Remark.self) == [
          Remark("to ben"), Remark("to both"),
        ])
      #expect(try await GroupSessionMessenger(session: cleo).next(1, of: Remark.self) == [Remark("to both")])
    }

    @Test("send with a completion handler keeps the order of calls and reports errors")
    func completions() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let messenger = GroupSessionMessenger(session: ada)
      let completed = Mutex<[String]>([])
      for number in 0..<10 {
        messenger.send(Remark("\(number)")) { error in completed.withLock { $0.append("\(error == nil)") } }
      }
      messenger.send(Data(count: 262_145)) { error in
        completed.withLock { $0.append("\(error is GroupSessionMessenger.SendError)") }
      }
      #expect(completed.withLock { $0 } == Array(repeating: "true", count: 11))
      let received = try await GroupSessionMessenger(session: ben).next(10, of: Remark.self)
      #expect(received == (0..<10).map { Remark("\($0)") })
    }

    @Test("messages keep their order when each is sent by its own task")
    @MainActor
    func taskForEachPoint() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let messenger = GroupSessionMessenger(session: ada)
      let stroke = UUID()
      for number in 0..<200 {
        Task {
          try? await messenger.send(UpsertStrokeMessage(id: stroke, color: 3, point: [Double(number), 0.5]))
        }
      }
      let points = try await GroupSessionMessenger(session: ben).next(200, of: UpsertStrokeMessage.self)
      #expect(points.map { $0.point[0] } == (0..<200).map(Double.init))
    }

    @Test(
      "a message's type on the wire is its messageIdentifier, or else the Swift type's name without enclosing types"
    )
    func names() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let entries = ben.entries
      let messenger = GroupSessionMessenger(session: ada)
      try await messenger.send(Nested.Inner(value: 1))
      try await messenger.send(Named(value: 2))
      try await messenger.send(Data([3]))
      let names = try await withTimeout("three messages") {
        var names: [String] = []
        for await case .message(let message) in entries {
          names.append(message.type)
          if names.count == 3 { break }
        }
        return names
      }
      #expect(names == ["Inner", "urn:named", "Data"])
    }
  }
}

private enum Nested {
  struct Inner: Codable { let value: Int }
}

private struct Named: Codable, CustomMessageIdentifiable {
  static let messageIdentifier = "urn:named"
  let value: Int
}

private struct Signed: Codable, Equatable {
  let text: String
}
