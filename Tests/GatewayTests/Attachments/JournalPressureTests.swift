import FoundationEssentials
import Glibc
import Testing
import Platform
import Primitives
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// P5, P6: uploads that are faster than the disk, and a gateway that stops during uploads and downloads.
  @Suite("Uploads to a slow disk use bounded memory; a stop does not wait for transfers, but a drain does")
  struct JournalPressureTests {
    /// The maximum number of bytes of one request that the gateway keeps in memory. Each of two buffers may exceed its limit
    /// `fewPendingBytes` by the bytes of one read. While the request is paused, the gateway also buffers one more read.
    private static let bytesEach = 2 * (Upload.fewPendingBytes + 131_072) + 131_072

    @Test(
      "P6: with 24 fast uploads of 8 MiB, the gateway reads little more from the sockets than it has written to the disk",
      arguments: [false, true])
    func faster(isSecure: Bool) throws {
      let room = try JournalRoom()
      let (gateway, session) = (room.gateway, room.session)
      let ids = (0..<24).map { _ in UUID() }
      let received = try room.metrics.value("received_bytes_total")
      let uploads = try ids.enumerated().map { index, id in
        try Background {
          let client = try JournalClient(gateway, session, isSecure: isSecure)
          let answer = try client.add(id, Content.bytes(8 << 20, seed: UInt64(index)))
          #expect(answer.status == 201)
        }
      }
      var most = 0
      try room.metrics.wait(for: "all attachments") { values in
        let bytesReceived = (values["received_bytes_total"] ?? 0) - received
        // The test reads the number of received bytes first, and the sizes of the files second. Bytes that are written between
        // these two measurements can only make the difference smaller.
        most = max(most, bytesReceived - Self.bytesInFiles(room))
        return values["attachments_added_total"] == ids.count
      }
      for upload in uploads { try upload.wait() }
      // The value `most` also counts the bytes of the request heads, of TLS and of the metrics requests. They are far less than a
      // tenth of `bytesEach` for each upload.
      #expect(most < ids.count * Self.bytesEach * 11 / 10)
      let digests = ids.indices.map { Content.digest(Content.bytes(8 << 20, seed: UInt64($0))) }
      #expect(Set(try room.settle().compactMap(\.sha256)) == Set(digests))
    }

    @Test(
      "P6: while the disk hangs, the gateway reads only two buffers of a 64 MiB upload, and the rest after the disk works again",
      arguments: [false, true])
    func standstill(isSecure: Bool) throws {
      let room = try JournalRoom()
      let bytes = Content.bytes(64 << 20, seed: 64)
      let (client, id) = (try room.client(isSecure: isSecure, onOwner: false), UUID())
      #expect(try client.create(id, size: bytes.count).status == 201)
      try client.stream.send(
        client.head(
          "PATCH", client.path(of: id), JournalClient.pieceFields(at: 0), .length, length: bytes.count)
          + bytes[..<1000])
      let deadline = TestTimeout.deadline
      while try room.observer.offset(of: id) != 1000, .now() < deadline {}
      let threads = room.gateway.gateway.shared.fileThreads
      let holds = (0..<2).map { _ in Hold(on: threads.nextTransfer()) }
      let before = try room.metrics.value("received_bytes_total")

      let stream = client.stream
      let (sender, rest) = (Sender(stream), Array(bytes[1000...]))
      let sending = try Background { try sender.send(rest) }
      var taken = 0
      try room.metrics.wait(for: "the gateway to stop reading the upload") { values in
        defer { taken = (values["received_bytes_total"] ?? 0) - before }
        // If the number of received bytes grew by less than 1,000 since the previous check, these bytes are the request for the
        // metrics, and no part of the upload was read.
        return taken > Upload.fewPendingBytes && (values["received_bytes_total"] ?? 0) - before - taken < 1000
      }
      // The value `taken` also counts the bytes of TLS and of the metrics requests. They are far less than a tenth of
      // `bytesEach`.
      #expect(taken < Self.bytesEach * 11 / 10)
      for hold in holds { hold.release() }
      try sending.wait()
      #expect(try client.http.response(to: "PATCH").status == 204)
      #expect(try room.settle().map(\.sha256) == [Content.digest(bytes)])
    }

    /// Makes a stream usable on one other thread. The creator must not use the stream until that thread has ended.
    private struct Sender: @unchecked Sendable {
      private let stream: ByteStream

      init(_ stream: ByteStream) {
        self.stream = stream
      }

      func send(_ bytes: [UInt8]) throws { try stream.send(bytes) }
    }

    /// Returns the bytes of a session's files. A file that is moved during the call may be counted twice, but is never
    /// missed.
    private static func bytesInFiles(_ room: JournalRoom) -> Int {
      let folder = "\(room.gateway.folder)/data/sessions/\(room.session.text)"
      return [RunningGateway.FilesFolder.uploads, .attachments].reduce(0) { sum, kind in
        room.gateway.files(of: room.session, in: kind).reduce(sum) { sum, name in
          var status = stat()
          // If `stat` fails, the file was moved to the `attachments` folder during the call, and is counted in that folder.
          guard unsafe stat("\(folder)/\(kind.rawValue)/\(name)", &status) == 0 else { return sum }
          return sum + status.st_size
        }
      }
    }

    /// The ways to stop a gateway.
    enum End: CaseIterable {
      case drain, stop
    }

    @Test(
      "Uploads and downloads in progress do not delay the stop of a gateway", arguments: End.allCases)
    func ends(end: End) throws {
      let room = try JournalRoom()
      let id = UUID()
      #expect(try room.observer.add(id, Content.bytes(16 << 20, seed: 62)).status == 201)
      var clients: [JournalClient] = []
      for isSecure in [false, true] {
        for isOnOwner in [false, true] {
          let reader = try room.client(isSecure: isSecure, onOwner: isOnOwner)
          try reader.stream.send(reader.http.head("GET", reader.path(of: id)))
          try reader.stream.receiveMore(by: TestTimeout.deadline)
          let writer = try room.client(isSecure: isSecure, onOwner: isOnOwner)
          try writer.stream.send(
            writer.head("POST", writer.path(), JournalClient.fileFields(UUID()), .length, length: 9 << 20)
              + [UInt8](repeating: 7, count: 3 << 20))
          clients += [reader, writer]
        }
      }
      try room.metrics.wait(for: "four uploads") { $0["uploads"] == 4 }
      let before = MonotonicTime.now()
      switch end {
      case .drain: room.gateway.gateway.drain()
      case .stop: room.gateway.gateway.stop()
      }
      room.gateway.gateway.waitUntilStopped()
      #expect(.now() - before < .seconds(8))
      for client in clients { try client.stream.drainToEnd() }
    }

    @Test("A drain waits for the answer to an upload whose bytes have all arrived")
    func drainOfTheWhole() throws {
      let room = try JournalRoom()
      let bytes = Content.bytes(100_000, seed: 65)
      let hold = Hold(on: room.gateway.gateway.shared.fileThreads.ordered)
      let (client, id) = (try room.client(onOwner: false), UUID())
      try client.stream.send(
        client.head("POST", client.path(), JournalClient.fileFields(id), .length, length: bytes.count) + bytes
      )
      let deadline = TestTimeout.deadline
      while try room.observer.list().first?.offset != UInt64(bytes.count), .now() < deadline {}
      room.gateway.gateway.drain()
      // The close frame is sent after the drain has begun.
      try room.witness.read(until: "the close frame of the drain") { $0.closed == 1012 }
      hold.release()
      let answer = try client.http.response(to: "POST")
      #expect(answer.status == 201)
      #expect(answer.field("Connection") == "close")
      room.gateway.gateway.waitUntilStopped()
    }

    @Test("A drain waits until uploads in one request are finished", arguments: [false, true])
    func drainOfUploads(onOwner: Bool) throws {
      let room = try JournalRoom()
      let bytes = Content.bytes(1 << 20, seed: 66)
      let clients = try [false, true].map { try room.client(isSecure: $0, onOwner: onOwner) }
      for client in clients {
        let head = client.head(
          "POST", client.path(), JournalClient.fileFields(UUID()), .length, length: bytes.count)
        try client.stream.send(head + bytes[..<300_000])
      }
      try room.metrics.wait(for: "two uploads") { $0["uploads_started_total"] == 2 }
      room.gateway.gateway.drain()
      // The close frame is sent after the drain has begun.
      try room.witness.read(until: "the close frame of the drain") { $0.closed == 1012 }
      for client in clients {
        try client.stream.send(Array(bytes[300_000...]))
        let answer = try client.http.response(to: "POST")
        #expect(answer.status == 201)
        #expect(answer.field("Connection") == "close")
      }
      room.gateway.gateway.waitUntilStopped()
    }

    @Test("A drain waits until downloads are finished")
    func drainIsPolite() throws {
      let room = try JournalRoom()
      let (id, bytes) = (UUID(), Content.bytes(16 << 20, seed: 63))
      #expect(try room.observer.add(id, bytes).status == 201)
      let readers = try [false, true].map { try room.client(isSecure: $0, onOwner: false) }
      for reader in readers {
        try reader.stream.send(reader.http.head("GET", reader.path(of: id)))
        try reader.stream.receiveMore(by: TestTimeout.deadline)
      }
      room.gateway.gateway.drain()
      for reader in readers { #expect(try reader.http.response().body == bytes) }
      room.gateway.gateway.waitUntilStopped()
    }
  }
}
