import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// P3, P6: concurrent changes of the same attachments by several clients, in any order.
  @Suite("P3, P6: attachments stay consistent under random concurrent requests")
  struct JournalModelTests {
    /// The seeds include all seeds with which this test failed in the past.
    @Test(
      "After six clients have randomly changed four attachments, the list, the entries, the files and the descriptors agree",
      arguments: [1, 2, 3, 54, 103] as [UInt64])
    func agree(seed: UInt64) throws {
      let room = try JournalRoom()
      // Two of the four attachments have the same content, and one is empty.
      let material = JournalWorker.Material(
        ids: (0..<4).map { _ in UUID() },
        contents: [Content.bytes(170_001, seed: 71), [], Content.bytes(5000, seed: 72)])
      var workers = try (0..<6).map {
        try JournalWorker(room, material, isSecure: $0 % 3 == 0, seed: seed * 100 + UInt64($0))
      }
      var random = SeededGenerator(seed: seed)
      for _ in 0..<900 { try workers[Int(random.next(below: UInt64(workers.count)))].step() }
      for worker in workers { try worker.finish() }
      workers = []

      // Each incomplete upload can be continued at its offset until it is complete.
      let patience = TestTimeout.deadline
      while let object = try room.settle().first(where: { $0.state == .uploading }) {
        try #require(.now() < patience)
        let content = material.content(try #require(material.ids.firstIndex(of: object.id)))
        guard let offset = try room.observer.offset(of: object.id) else { continue }
        do {
          let status = try room.client().patch(object.id, at: offset, Array(content[offset...])).status
          #expect([204, 404, 409].contains(status))
        } catch ClientError.streamEnded {
          // An interrupted request may still be processed later, and replace or remove the upload.
        } catch ClientError.broken {
        }
      }
      for object in try room.settle() {
        let content = material.content(try #require(material.ids.firstIndex(of: object.id)))
        #expect(object.sha256 == Content.digest(content))
        #expect(try room.observer.read(object.id).body == content)
        #expect(try room.observer.remove(object.id) == 204)
      }
      try room.expectNothing()
      let deadline = TestTimeout.deadline
      while try room.gateway.openSockets() != JournalRoom.connections, .now() < deadline {}
      #expect(try room.gateway.openSockets() == JournalRoom.connections)
    }
  }
}
