import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// PROTOCOL 4: several writers of one upload, and uploads whose attachment or session is removed.
  @Suite("PROTOCOL 4: concurrent writes and removals of one upload leave complete content, or no file")
  struct UploadRaceTests {
    private static let body = Content.bytes(600_000, seed: 21)

    /// Sends a request with the first bytes of its body, so that the upload is in progress.
    private static func begin(_ id: UUID, at offset: Int = 0, upTo end: Int, over client: JournalClient)
      throws
    {
      try client.stream.send(
        client.head(
          "PATCH", client.path(of: id), JournalClient.pieceFields(at: offset), .length,
          length: body.count - offset) + body[offset..<end])
    }

    @Test(
      "PROTOCOL 4: a newer request for an upload replaces a stalled request, whose connection is closed",
      arguments: [false, true])
    func takeover(isSecure: Bool) throws {
      let room = try JournalRoom()
      for isOnOwner in [true, false] {
        let stalled = try room.client(isSecure: isSecure, onOwner: isOnOwner)
        let next = try room.client(isSecure: isSecure, onOwner: !isOnOwner)
        let id = UUID()
        #expect(try next.create(id, size: Self.body.count).status == 201)
        try Self.begin(id, upTo: 100_000, over: stalled)
        let deadline = TestTimeout.deadline
        while try next.offset(of: id) != 100_000, .now() < deadline {}
        #expect(try next.patch(id, at: 100_000, Array(Self.body[100_000...])).status == 204)
        try stalled.stream.drainToEnd()
        #expect(try room.settle().last?.sha256 == Content.digest(Self.body))
      }
    }

    @Test(
      "PROTOCOL 4: a new upload in one request replaces a stalled upload with the same id, and begins at the first byte",
      arguments: JournalClient.Framing.allCases)
    func anew(framing: JournalClient.Framing) throws {
      let room = try JournalRoom()
      let (stalled, next, id) = (try room.client(onOwner: true), try room.client(onOwner: false), UUID())
      let longer = Content.bytes(2_000_000, seed: 3)
      try stalled.stream.send(
        stalled.head("POST", stalled.path(), JournalClient.fileFields(id), framing, length: longer.count)
          + JournalClient.framed(longer, framing).dropLast(300_000))
      try room.witness.read(until: "progress") { !$0.unreliable.isEmpty }
      let bytes = Content.bytes(1000, seed: 4)
      let answer = try next.add(id, bytes, framing)
      #expect(answer.status == 201)
      #expect(answer.text.contains(Content.digest(bytes)))
      try stalled.stream.drainToEnd()
      #expect(try room.settle().map(\.sha256) == [Content.digest(bytes)])
    }

    @Test(
      "If an attachment is removed and added again while its file is moved to its final folder, all contents match their digests"
    )
    func addedAgainBehindItsRemoval() throws {
      let room = try JournalRoom()
      let (old, new) = (Self.body, Content.bytes(600_000, seed: 22))
      let (kept, id) = (UUID(), UUID())
      #expect(try room.observer.add(kept, old).status == 201)

      let hold = Hold(on: room.gateway.gateway.shared.fileThreads.ordered)
      let first = try room.client()
      try first.stream.send(
        first.head("POST", first.path(), JournalClient.fileFields(id), .length, length: old.count) + old)
      try Self.wait(for: id, at: old.count, in: room)
      #expect(try room.observer.remove(id) == 204)
      let second = try room.client()
      try second.stream.send(
        second.head("POST", second.path(), JournalClient.fileFields(id), .length, length: new.count) + new)
      try Self.wait(for: id, at: new.count, in: room)
      hold.release()

      #expect(try second.http.response(to: "POST").status == 201)
      #expect(try room.settle().map(\.sha256) == [Content.digest(old), Content.digest(new)])
      #expect(try room.observer.read(kept).body == old)
      #expect(try room.observer.read(id).body == new)
    }

    /// Waits until the session lists an upload with this offset.
    private static func wait(for id: UUID, at offset: Int, in room: JournalRoom) throws {
      let deadline = TestTimeout.deadline
      while .now() < deadline {
        if try room.observer.list().contains(where: { $0.id == id && $0.offset == UInt64(offset) }) { return }
      }
      Issue.record("the upload never reached offset \(offset)")
    }

    @Test(
      "PROTOCOL 4: a client that aborts and repeats an upload is accepted, whether the abort or the new request arrives first"
    )
    func againAtOnce() throws {
      let room = try JournalRoom()
      var random = SeededGenerator(seed: 5)
      for round in 0..<40 {
        let (first, second) = (
          try room.client(onOwner: round % 2 == 0), try room.client(onOwner: round % 4 < 2)
        )
        let id = UUID()
        let count = Int(random.next(below: 40_000))
        try first.stream.send(
          first.head("POST", first.path(), JournalClient.fileFields(id), .length, length: 100_000)
            + Self.body[..<count])
        // The second request is sent after the first one has arrived, so that it restarts the first upload.
        try room.witness.read(until: "the first upload") { $0.state.attachments[EntryKey(id)] != nil }
        try second.stream.send(
          second.head("POST", second.path(), JournalClient.fileFields(id), .length, length: 100_000)
            + Self.body[..<100_000])
        first.stream.close()
        #expect(try second.http.response(to: "POST").status == 201, "round \(round)")
      }
      #expect(try room.settle().count == 40)
    }

    @Test("PROTOCOL 4: if a file is sent twice under one id at almost the same time, its content is complete")
    func twiceToTheEnd() throws {
      let room = try JournalRoom()
      let bytes = Array(Self.body[..<50_000])
      for round in 0..<60 {
        let (first, second) = (
          try room.client(onOwner: round % 2 == 0), try room.client(onOwner: round % 4 < 2)
        )
        let id = UUID()
        let request = first.head(
          "POST", first.path(), JournalClient.fileFields(id), .length, length: bytes.count)
        try first.stream.send(request + bytes.dropLast(1))
        try room.witness.read(until: "the first upload") { $0.state.attachments[EntryKey(id)] != nil }
        // The last byte of the first request and the whole second request are sent at almost the same time.
        try first.stream.send([bytes[bytes.count - 1]])
        try second.stream.send(request + bytes)
        #expect(try second.http.response(to: "POST").status == 201, "round \(round)")
        let read = try second.read(id)
        #expect(
          read.status == 200 && read.body == bytes, "round \(round): \(read.status), \(read.body.count) bytes"
        )
        #expect(try second.remove(id) == 204)
      }
      try room.expectNothing()
    }

    @Test(
      "PROTOCOL 4: if two PATCH requests with the same offset arrive together, at most one is accepted, and no byte is written twice"
    )
    func samePlace() throws {
      let room = try JournalRoom()
      for round in 0..<30 {
        let (one, other) = (try room.client(onOwner: true), try room.client(onOwner: round % 2 == 0))
        let id = UUID()
        #expect(try one.create(id, size: Self.body.count).status == 201)
        for client in [one, other] { try Self.begin(id, upTo: 1, over: client) }
        for client in [one, other] {
          do throws(any Error) {
            try client.stream.send(Array(Self.body[1...]))
          } catch ClientError.broken {
            // The other client's request has already replaced this client's request.
          }
        }
        var statuses: [Int] = []
        for client in [one, other] {
          do {
            statuses.append(try client.http.response(to: "PATCH").status)
          } catch ClientError.streamEnded {
          } catch ClientError.broken {
          }
        }
        #expect(statuses.count { $0 == 204 } <= 1, "round \(round): \(statuses)")
        #expect(statuses.allSatisfy { [204, 409].contains($0) }, "round \(round): \(statuses)")
        // Both requests may have failed: the first one because the second one replaced it, the second one because its offset was
        // wrong. The loop below sends the remaining bytes of the upload.
        let deadline = TestTimeout.deadline
        while try room.settle().last?.state != .ready, .now() < deadline {
          let offset = try #require(try room.observer.offset(of: id))
          _ = try room.observer.patch(id, at: offset, Array(Self.body[offset...]))
        }
        #expect(try room.settle().map(\.sha256) == [Content.digest(Self.body)])
        #expect(try room.observer.remove(id) == 204)
      }
      try room.expectNothing()
    }

    /// An event that ends an upload and is not a request of the uploader.
    enum End: CaseIterable {
      case removal, sessionEnd, expiry
    }

    @Test(
      "PROTOCOL 4: if an attachment or its session is removed during the upload, the upload is refused, and leaves no file",
      arguments: End.allCases, [false, true])
    func goneInTheMiddle(end: End, isResumable: Bool) throws {
      let room = try JournalRoom {
        // The upload must make progress within this time.
        if end == .expiry { $0.limits.uploadKeepSeconds = TestTimeout.briefSeconds }
      }
      for isOnOwner in end == .removal ? [true, false] : [false] {
        let (client, id) = (try room.client(onOwner: isOnOwner), UUID())
        if isResumable {
          #expect(try client.create(id, size: Self.body.count).status == 201)
          try Self.begin(id, upTo: 300_000, over: client)
        } else {
          try client.stream.send(
            client.head("POST", client.path(), JournalClient.fileFields(id), .chunked, length: 0)
              + JournalClient.framed(Self.body, .chunked).dropLast(200_000))
        }
        try room.witness.read(until: "progress") { client in
          client.unreliable.contains { String(decoding: $0.payload, as: UTF8.self).contains(id.uuidString) }
        }
        switch end {
        case .removal: #expect(try room.observer.remove(id) == 204)
        case .sessionEnd: try room.end()
        case .expiry: break
        }
        let answer = try client.http.response(to: "POST")
        #expect(answer.status == (end == .sessionEnd ? 410 : 404))
        #expect(answer.field("Connection") == "close")
      }
      try Self.expectNothing(in: room, hasEnded: end == .sessionEnd)
    }

    @Test(
      "PROTOCOL 4: the answer to an upload that is removed while its last bytes are stored is 201, 404 or 410, and never 500",
      arguments: [End.removal, .sessionEnd])
    func goneAtTheEnd(end: End) throws {
      var random = SeededGenerator(seed: 8)
      let bytes = Array(Self.body[..<40_000])
      var room = try JournalRoom()
      for round in 0..<(end == .removal ? 80 : 12) {
        let (client, id) = (try room.client(onOwner: round % 2 == 0), UUID())
        try client.stream.send(
          client.head("POST", client.path(), JournalClient.fileFields(id), .length, length: bytes.count)
            + bytes.dropLast(1))
        try room.witness.read(until: "the upload") { $0.state.attachments[EntryKey(id)] != nil }
        let remover = try room.client(onOwner: round % 4 < 2)
        try client.stream.send([bytes[bytes.count - 1]])
        // The attachment is removed, or the session is ended, after a random delay of at most the duration of an upload.
        for _ in 0..<random.next(below: 4) { _ = try remover.http.ask("GET", "/healthz") }
        if end == .removal {
          #expect(try remover.remove(id) == 204)
        } else {
          try room.end()
        }
        let answer = try client.http.response(to: "POST")
        #expect([201, end == .removal ? 404 : 410].contains(answer.status), "round \(round): \(answer.text)")
        if end == .sessionEnd {
          try Self.expectNothing(in: room, hasEnded: true)
          room = try JournalRoom()
        }
      }
      try room.expectNothing()
    }

    @Test("PROTOCOL 4: after the removal of an upload, its id can be used again immediately")
    func sameIDAgain() throws {
      let room = try JournalRoom()
      let bytes = Array(Self.body[..<30_000])
      for round in 0..<80 {
        let (first, second, remover) = (
          try room.client(onOwner: round % 2 == 0), try room.client(onOwner: true),
          try room.client(onOwner: true)
        )
        let id = UUID()
        try first.stream.send(
          first.head("POST", first.path(), JournalClient.fileFields(id), .length, length: bytes.count)
            + bytes.dropLast(1))
        try room.witness.read(until: "the upload") { $0.state.attachments[EntryKey(id)] != nil }
        // Removes the attachment, and begins a new upload with the same id before the removal can be finished.
        try remover.stream.send(remover.http.head("DELETE", remover.path(of: id)))
        try second.stream.send(
          second.head("POST", second.path(), JournalClient.fileFields(id), .length, length: bytes.count)
            + bytes)
        #expect(try remover.http.response(to: "DELETE").status == 204)
        let answer = try second.http.response(to: "POST")
        // If the second request is processed before the removal, the removal also removes the upload of the second request, even
        // if this upload is already complete.
        #expect([201, 404].contains(answer.status), "round \(round): \(answer.text)")
        let isThere = try second.read(id).status == 200
        #expect(answer.status == 201 || !isThere)
        if try room.settle().contains(where: { $0.id == id }) { #expect(try remover.remove(id) == 204) }
      }
      try room.expectNothing()
    }

    @Test(
      "PROTOCOL 4: a request for the offset of an upload that is just being completed or removed gets an offset or 404"
    )
    func statusAtTheEnd() throws {
      let room = try JournalRoom()
      let bytes = Array(Self.body[..<40_000])
      for round in 0..<60 {
        let (client, id) = (try room.client(onOwner: round % 2 == 0), UUID())
        #expect(try client.create(id, size: bytes.count).status == 201)
        try client.stream.send(
          client.head(
            "PATCH", client.path(of: id), JournalClient.pieceFields(at: 0), .length, length: bytes.count)
            + bytes)
        for _ in 0..<6 {
          let offset = try #require(try room.observer.offset(of: id))
          #expect(offset <= bytes.count)
        }
        #expect(try client.http.response(to: "PATCH").status == 204)
        try client.stream.send(client.http.head("DELETE", client.path(of: id)))
        while try room.observer.offset(of: id) != nil {}
        #expect(try client.http.response(to: "DELETE").status == 204)
      }
      try room.expectNothing()
    }

    @Test(
      "PROTOCOL 4: a PATCH for an upload that has just been completed is refused with the upload's offset, not with 404"
    )
    func pieceAtTheEnd() async throws {
      let room = try JournalRoom()
      let threads = room.gateway.gateway.shared.fileThreads
      let (writer, id, size) = (try room.client(onOwner: false), UUID(), Self.body.count)
      let (asking, late) = (try room.client(onOwner: true), try room.client(onOwner: true))
      #expect(try writer.create(id, size: size).status == 201)
      let placing = Hold(on: threads.ordered)
      try Self.begin(id, upTo: size, over: writer)
      try await room.gateway.wait(for: "all bytes of the upload") {
        await room.gateway.gateway.shared.owner(of: room.session).hasAllBytes(of: id, in: room.session)
      }
      // All transfer threads are blocked. So both requests find the upload in progress, but look for its file only after the
      // attachment is ready.
      let reading = (0..<Gateway.transferThreads).map { _ in Hold(on: threads.nextTransfer()) }
      try asking.stream.send(
        asking.head("PATCH", asking.path(of: id), JournalClient.pieceFields(at: size), .length, length: 0))
      try late.stream.send(
        late.head("PATCH", late.path(of: id), JournalClient.pieceFields(at: 0), .length, length: size))
      try await room.gateway.wait(for: "both requests", of: room.session) { $0?.tasksInHand == 3 }
      placing.release()
      #expect(try writer.http.response(to: "PATCH").status == 204)
      for hold in reading { hold.release() }
      let asked = try asking.http.response(to: "PATCH")
      #expect(asked.status == 204 && asked.field("Upload-Offset") == "\(size)")
      let refused = try late.http.response(to: "PATCH")
      #expect(refused.status == 409 && refused.text.contains(#""offset":\#(size)"#))
      #expect(try room.settle().map(\.sha256) == [Content.digest(Self.body)])
    }

    @Test(
      "PROTOCOL 4: an empty PATCH after the last byte is answered only after the file was moved to its final folder"
    )
    func askedWhilePlaced() async throws {
      let room = try JournalRoom()
      let (writer, id, size) = (try room.client(onOwner: false), UUID(), Self.body.count)
      let asking = try room.client(onOwner: true)
      #expect(try writer.create(id, size: size).status == 201)
      let placing = Hold(on: room.gateway.gateway.shared.fileThreads.ordered)
      try Self.begin(id, upTo: size, over: writer)
      try await room.gateway.wait(for: "all bytes of the upload") {
        await room.gateway.gateway.shared.owner(of: room.session).hasAllBytes(of: id, in: room.session)
      }
      try asking.stream.send(
        asking.head("PATCH", asking.path(of: id), JournalClient.pieceFields(at: size), .length, length: 0))
      try await room.gateway.wait(for: "the request", of: room.session) { $0?.tasksInHand == 2 }
      placing.release()
      #expect(try writer.http.response(to: "PATCH").status == 204)
      #expect(try asking.http.response(to: "PATCH").status == 204)
    }

    /// Waits until no uploads, files or open descriptors are left.
    private static func expectNothing(in room: JournalRoom, hasEnded: Bool) throws {
      guard hasEnded else { return try room.expectNothing() }
      try room.metrics.wait(for: "no upload in progress") { $0["uploads"] == 0 }
      let deadline = TestTimeout.deadline
      // Complete attachments are kept with the ended session.
      while try !room.gateway.files(of: room.session, in: .uploads).isEmpty
        || !room.gateway.openFiles().isEmpty,
        .now() < deadline
      {
        _ = try room.observer.stream.isReadable(within: .milliseconds(5))
      }
      #expect(room.gateway.files(of: room.session, in: .uploads).isEmpty)
      #expect(try room.gateway.openFiles().isEmpty)
    }
  }
}
