import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// PROTOCOL 4: the same content is stored once, and is kept while an attachment refers to it.
  @Suite("Attachments with the same content share one file")
  struct SameContentTests {
    @Test(
      "If attachments with the same content are added at the same time, they share a file, which is removed with the last of them"
    )
    func together() throws {
      let room = try JournalRoom()
      let bytes = Content.bytes(500_000, seed: 51)
      let ids = (0..<6).map { _ in UUID() }
      let (gateway, session) = (room.gateway, room.session)
      try Background.all(
        ids.enumerated().map { index, id in
          {
            let client = try JournalClient(gateway, session, isSecure: index % 2 == 0)
            let answer = try client.add(id, bytes, index % 3 == 0 ? .chunked : .length)
            #expect(answer.status == 201)
          }
        })
      #expect(try room.settle().count == ids.count)
      #expect(gateway.files(of: session, in: .attachments).count == 1)
      for (index, id) in ids.enumerated() {
        #expect(try room.observer.remove(id) == 204)
        for left in ids[(index + 1)...] { #expect(try room.observer.read(left).body == bytes) }
      }
      try room.expectNothing()
    }

    @Test(
      "A new attachment can be read, even if the only other attachment with its content is removed during the upload"
    )
    func removedMeanwhile() throws {
      let room = try JournalRoom()
      let bytes = Content.bytes(20_000, seed: 52)
      var present = UUID()
      #expect(try room.observer.add(present, bytes).status == 201)
      let (adder, remover) = (try room.client(onOwner: false), try room.client(onOwner: true))
      var random = SeededGenerator(seed: 53)
      for round in 0..<150 {
        let next = UUID()
        let request =
          adder.head("POST", adder.path(), JournalClient.fileFields(next), .length, length: bytes.count)
          + bytes
        let removal = remover.http.head("DELETE", remover.path(of: present))
        // At random, the last byte of the upload is sent before or after the request that removes the other attachment.
        try adder.stream.send(request.dropLast(1))
        if random.next(below: 2) == 0 {
          try adder.stream.send(request.suffix(1))
          try remover.stream.send(removal)
        } else {
          try remover.stream.send(removal)
          try adder.stream.send(request.suffix(1))
        }
        #expect(try adder.http.response(to: "POST").status == 201)
        #expect(try remover.http.response(to: "DELETE").status == 204)
        let read = try room.observer.read(next)
        #expect(read.status == 200 && read.body == bytes, "round \(round): \(read.status)")
        present = next
      }
      #expect(try room.settle().map(\.id) == [present])
    }
  }
}
