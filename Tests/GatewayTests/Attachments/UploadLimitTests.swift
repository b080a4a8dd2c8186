import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// P6: limits on uploads, and uploads that are accepted again when there is room.
  @Suite("P6: uploads beyond a limit are refused, and accepted again when there is room")
  struct UploadLimitTests {
    private static let body = Content.bytes(300_000, seed: 41)

    /// The way in which an upload ends.
    enum End: CaseIterable {
      case reset, close, lastByte, removal
    }

    @Test(
      "P6: while as many uploads as allowed are in progress, a further upload is refused with a retry time"
    )
    func atOnce() throws {
      let room = try JournalRoom { $0.limits.uploads = 2 }
      for end in End.allCases {
        var held: [(client: JournalClient, id: UUID)] = []
        for _ in 0..<2 {
          let (client, id) = (try room.client(onOwner: false), UUID())
          #expect(try client.create(id, size: Self.body.count).status == 201)
          try client.stream.send(
            client.head(
              "PATCH", client.path(of: id), JournalClient.pieceFields(at: 0), .length, length: Self.body.count
            )
              + Self.body.dropLast(1))
          let deadline = TestTimeout.deadline
          while try room.observer.offset(of: id) != Self.body.count - 1, .now() < deadline {}
          held.append((client, id))
        }
        let refused = try room.client().add(UUID(), Self.body)
        #expect(refused.status == 503)
        #expect(refused.field("Retry-After") != nil)
        #expect(refused.text.contains("too-many") && refused.text.contains(#""limit":2"#))
        // Requests for the list of attachments need no upload slot.
        #expect(try room.observer.list().count >= 2)

        let (client, id) = held[0]
        switch end {
        case .reset: client.stream.cut()
        case .close: client.stream.close()
        case .lastByte:
          try client.stream.send([Self.body[Self.body.count - 1]])
          #expect(try client.http.response(to: "PATCH").status == 204)
        case .removal:
          #expect(try room.observer.remove(id) == 204)
          #expect(try client.http.response(to: "PATCH").status == 404)
        }
        try Self.addWhenThereIsRoom(room)
        held[1].client.stream.cut()
        for id in try room.settle().map(\.id) { #expect(try room.observer.remove(id) == 204) }
        try room.expectNothing()
      }
    }

    /// Adds an attachment. Repeats the request while it is refused, because the gateway may not have noticed yet that an earlier
    /// upload has ended.
    private static func addWhenThereIsRoom(_ room: JournalRoom) throws {
      let deadline = TestTimeout.deadline
      while true {
        let status = try room.client().add(UUID(), body).status
        if status == 201 { return }
        try #require(status == 503 && .now() < deadline)
      }
    }

    @Test(
      "PROTOCOL 4: if only the disk reserve is free, an upload is refused with 507, and leaves no file",
      arguments: [false, true])
    func reserve(isResumable: Bool) throws {
      let before = try RunningGateway()
      let session = try before.makeSession()
      // The reserve is larger than any disk: new uploads are refused, and existing attachments are served.
      let gateway = try before.restart(.drained) { $0.limits.diskReserveBytes = 1 << 60 }
      let witness = try ParticipantClient(gateway, session).join()
      let (client, id) = (try JournalClient(gateway, session), UUID())
      let answer = isResumable ? try client.create(id, size: 1000) : try client.add(id, Self.body, .chunked)
      #expect(answer.status == 507)
      #expect(answer.text.contains("storage-full") && answer.text.contains(#""limit":\#(1 << 60)"#))
      #expect(gateway.files(of: session, in: .uploads).isEmpty)
      // The refused attachment must not be announced in an entry. Otherwise, the uploader's page would show the attachment, and
      // then report that a participant removed it.
      try witness.send(witness.entry([1]))
      try witness.read(until: "the entry that was sent after the refused upload") {
        $0.received.contains { $0.payload == [1] }
      }
      #expect(UploadTests.states(of: id, seenBy: witness).isEmpty)
      #expect(try HTTPClient(gateway).ask("POST", "/api/sessions", body: []).status == 507)
    }

    @Test(
      "PROTOCOL 4: if a chunk size exceeds the limit of an attachment, the upload is refused before the chunk arrives"
    )
    func announcedByChunk() throws {
      let room = try JournalRoom { $0.limits.attachmentBytes = 1_000_000 }
      for isOnOwner in [true, false] {
        let client = try room.client(onOwner: isOnOwner)
        let chunk = Array("3e8\r\n".utf8) + Self.body[..<1000] + Array("\r\n".utf8)
        try client.stream.send(
          client.head("POST", client.path(), JournalClient.fileFields(UUID()), .chunked, length: 0)
            + chunk + Array("f3e59\r\n".utf8))
        let refused = try client.http.response(to: "POST")
        #expect(refused.status == 413)
        #expect(refused.text.contains("attachment-too-large") && refused.text.contains(#""limit":1000000"#))
        #expect(refused.text.contains(#""actual":1000001"#))
        #expect(refused.field("Connection") == "close")

        // A piece is limited to the rest of the upload: the size of the upload minus the offset of the piece.
        let (other, id) = (try room.client(onOwner: isOnOwner), UUID())
        #expect(try other.create(id, size: 3000).status == 201)
        #expect(try other.patch(id, at: 0, Array(Self.body[..<1000]), .chunked).status == 204)
        try other.stream.send(
          other.head("PATCH", other.path(of: id), JournalClient.pieceFields(at: 1000), .chunked, length: 0)
            + Array("7d1\r\n".utf8))
        let beyond = try other.http.response(to: "PATCH")
        #expect(beyond.status == 400 && beyond.text.contains(#""limit":3000"#))
        #expect(try room.observer.offset(of: id) == 1000)
        #expect(try room.observer.remove(id) == 204)
      }
      try room.expectNothing()
    }

    @Test(
      "PROTOCOL 4: the quota counts equal contents once, and counts the announced size of each upload in progress"
    )
    func quota() throws {
      let room = try JournalRoom { $0.limits.sessionAttachmentBytes = 1_000_000 }
      let (client, other) = (try room.client(onOwner: false), try room.client(onOwner: true))
      let (first, second) = (UUID(), UUID())
      #expect(try client.add(first, Self.body).status == 201)
      // The three attachments have the same content of 300,000 bytes. The quota counts this content once.
      #expect(try client.add(second, Self.body).status == 201)
      #expect(try client.add(UUID(), Self.body, .chunked).status == 201)
      let announced = UUID()
      #expect(try other.create(announced, size: 700_000).status == 201)
      let refused = try client.create(UUID(), size: 1)
      #expect(refused.status == 413)
      #expect(refused.text.contains("session-quota") && refused.text.contains(#""limit":1000000"#))
      // An upload of unknown length is refused when it exceeds the quota, and none of its bytes are kept.
      let unknown = try room.client().add(UUID(), Self.body, .chunked)
      #expect(unknown.status == 413)
      #expect(try other.remove(announced) == 204)
      #expect(try client.add(UUID(), Content.bytes(700_000, seed: 1)).status == 201)
      for id in [first, second] { #expect(try client.remove(id) == 204) }
      #expect(try client.create(UUID(), size: 1).status == 413)
      let list = try room.settle()
      #expect(list.count == 2)
      for id in list.map(\.id) { #expect(try client.remove(id) == 204) }
      #expect(try client.create(announced, size: 1_000_000).status == 201)
    }

    @Test(
      "PROTOCOL 4: a deferred length over the quota is refused, and the upload can continue with a smaller length"
    )
    func lateLength() throws {
      let room = try JournalRoom { $0.limits.sessionAttachmentBytes = 1_000_000 }
      let (client, id) = (try room.client(onOwner: false), UUID())
      #expect(try client.create(id, size: nil).status == 201)
      func patch(_ length: Int, _ bytes: ArraySlice<UInt8>, at offset: Int) throws -> Int {
        try client.stream.send(
          client.head(
            "PATCH", client.path(of: id),
            JournalClient.pieceFields(at: offset) + [("Upload-Length", "\(length)")], .length,
            length: bytes.count) + bytes)
        return try client.http.response(to: "PATCH").status
      }
      #expect(try patch(1_000_001, Self.body[..<1000], at: 0) == 413)
      #expect(try room.settle().map(\.size) == [nil])
      #expect(try patch(Self.body.count, Self.body[..<1000], at: 0) == 204)
      #expect(try patch(Self.body.count, Self.body[1000...], at: 1000) == 204)
      #expect(try room.settle().map(\.sha256) == [Content.digest(Self.body)])
    }

    @Test(
      "PROTOCOL 4: an upload that becomes too large is refused before its end, and its connection is closed",
      arguments: [false, true])
    func tooLarge(isSecure: Bool) throws {
      let room = try JournalRoom { $0.limits.attachmentBytes = 200_000 }
      let client = try room.client(isSecure: isSecure, onOwner: false)
      let answer = try client.add(UUID(), Self.body, .chunked)
      #expect(answer.status == 413)
      #expect(answer.text.contains("attachment-too-large") && answer.text.contains(#""limit":200000"#))
      try client.stream.drainToEnd()
      try room.expectNothing()
    }
  }
}
