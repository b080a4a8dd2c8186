import CoreTransferable
import FoundationEssentials
import Gateway
import GroupActivities
import Testing
import Wire

extension GatewaySuites {
  @Suite("A GroupSessionJournal adds, lists and removes attachments")
  struct JournalTests {
    private struct Placement: Codable, Equatable {
      let location: [Double]
    }

    @Test(
      "all participants see attachments with content and metadata; any participant can remove an attachment for all"
    )
    func attachments() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let (ada, ben) = (try await gateway.join(link), try await gateway.join(link))
      let (ours, theirs) = (GroupSessionJournal(session: ada), GroupSessionJournal(session: ben))
      let picture =
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 1, count: 100_000)
      let placement = Placement(location: [3, 4.5])
      let added = try await ours.add(picture, metadata: placement)
      #expect(try await added.load(Data.self) == picture)
      for journal in [ours, theirs] {
        let all = try await journal.waitForAttachments { $0.count == 1 }
        #expect(all[0].id == added.id && all[0].contentType == "image/png" && all[0].size == picture.count)
        #expect(try await all[0].load(Data.self) == picture)
        #expect(try await all[0].loadMetadata(of: Placement.self) == placement)
      }
      let note = try await theirs.add("a note")
      let both = try await ours.waitForAttachments { $0.count == 2 }
      #expect(Set(both.map(\.id)) == [added.id, note.id])
      let text = try #require(both.first { $0.id == note.id })
      #expect(try await text.load(String.self) == "a note")
      await #expect(throws: GroupSessionJournal.JournalError.noMetadata) {
        try await text.loadMetadata(of: Placement.self)
      }
      // A late joiner receives the current list.
      let late = GroupSessionJournal(session: try await gateway.join(link))
      #expect(try await late.waitForAttachments { _ in true }.count == 2)
      try await theirs.remove(attachment: added)
      for journal in [ours, theirs, late] {
        #expect(try await journal.waitForAttachments { $0.count == 1 }[0].id == note.id)
      }
      try await theirs.remove(attachment: added)
    }

    @Test(
      "`add` throws before `join()`; after `join()`, it waits for the joined state, and rejects attachments that are too large"
    )
    func limits() async throws {
      let gateway = try TestGateway { $0.limits.attachmentBytes = 1_000 }
      let link = try await gateway.makeLink()
      let session = try await gateway.session(at: link)
      let journal = GroupSessionJournal(session: session)
      await #expect(throws: GroupSessionMessenger.SendError.notJoined) { try await journal.add(Data([1])) }
      session.join()
      let first = try await journal.add(Data(repeating: 1, count: 1_000))
      let tooLarge = GroupSessionJournal.JournalError.tooLarge(limit: 1_000, actual: 1_001)
      await #expect(throws: tooLarge) { try await journal.add(Data(count: 1_001)) }
      #expect("\(tooLarge)".contains("1000") && "\(tooLarge)".contains("1001"))
      let long = String(repeating: "x", count: 4_096)
      await #expect(throws: GroupSessionJournal.JournalError.metadataTooLarge(limit: 4_096, actual: 4_098)) {
        try await journal.add(Data([1]), metadata: long)
      }
      #expect(try await journal.waitForAttachments { !$0.isEmpty }.map(\.id) == [first.id])
    }

    @Test("a file keeps its name and media type; settle() waits for its upload")
    func files() async throws {
      let gateway = try TestGateway()
      let link = try await gateway.makeLink()
      let ada = try await gateway.join(link)
      let journal = GroupSessionJournal(session: ada)
      let content = Data(repeating: 9, count: 3_000_000)
      let file = try await journal.add(
        content, name: "clip.mp4", contentType: "video/mp4", metadata: ["seconds": 3])
      try await ada.settle()
      let ben = GroupSessionJournal(session: try await gateway.join(link))
      let all = try await ben.waitForAttachments { _ in true }
      #expect(all.map(\.id) == [file.id])
      #expect(all.map(\.name) == ["clip.mp4"] && all.map(\.contentType) == ["video/mp4"])
      #expect(try await all[0].loadMetadata(of: [String: Int].self) == ["seconds": 3])
      #expect(try await all[0].load(Data.self) == content)
    }
  }
}

extension GroupSessionJournal {
  /// Waits until the attachments satisfy a condition.
  fileprivate func waitForAttachments(
    _ condition: @escaping @Sendable ([Attachment]) -> Bool
  ) async throws -> [Attachment] {
    try await withTimeout("attachments") {
      for await all in self.attachments where condition(all) { return all }
      throw WaitTimeout(description: "the sequence ended")
    }
  }
}
