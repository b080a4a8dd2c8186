import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// PROTOCOL 4: if an upload in a single request is interrupted, its bytes are removed. With tus, the received bytes are
  /// kept.
  @Suite("Interrupted uploads can be continued, or leave no files")
  struct CutTests {
    /// The place in the request at which the connection ends.
    enum Place: CaseIterable {
      case inHead, behindHead, atFirstByte, inTheMiddle, beforeLastByte
      /// Places in the framing of a chunked body, such as a chunk size or the end of a chunk.
      case inFirstSize, inSize, behindChunk, behindLastByte, inLastChunk
    }

    struct Cut: CustomTestStringConvertible {
      let place: Place
      let framing: JournalClient.Framing
      let isSecure: Bool

      var testDescription: String { "\(place), \(framing), \(isSecure ? "TLS" : "plain")" }

      static let all = Place.allCases.flatMap { place in
        JournalClient.Framing.allCases.flatMap { framing in
          [false, true].map { Cut(place: place, framing: framing, isSecure: $0) }
        }
      }.filter { cut in
        let isOfChunks: [Place] = [.inFirstSize, .inSize, .behindChunk, .behindLastByte, .inLastChunk]
        return cut.framing == .chunked || !isOfChunks.contains(cut.place)
      }

      /// Returns the sent part of the request, and the number of body bytes in it.
      func part(of head: [UInt8], _ body: [UInt8]) -> (sent: [UInt8], bodyCount: Int) {
        let framed = JournalClient.framed(body, framing)
        // The length of the line with the size of the first chunk: `10000` (hexadecimal) and a line end.
        let line = framing == .chunked ? 7 : 0
        // The length of the whole first chunk: the line with its size, 65,536 bytes of the body, and a line end.
        let chunk = line + 65_536 + 2
        switch place {
        case .inHead: return (Array(head.dropLast(3)), 0)
        case .behindHead: return (head, 0)
        case .atFirstByte: return (head + framed[..<(line + 1)], 1)
        case .inTheMiddle: return (head + framed[..<(line + 40_000)], 40_000)
        case .beforeLastByte:
          let end = framing == .chunked ? 2 + 5 : 0
          return (head + framed.dropLast(end + 1), body.count - 1)
        case .inFirstSize: return (head + framed[..<3], 0)
        case .inSize: return (head + framed[..<(chunk + 3)], 65_536)
        case .behindChunk: return (head + framed[..<(chunk - 1)], 65_536)
        case .behindLastByte: return (head + framed.dropLast(5), body.count)
        case .inLastChunk: return (head + framed.dropLast(2), body.count)
        }
      }
    }

    private static let body = Content.bytes(700_001, seed: 7)

    @Test(
      "PROTOCOL 4: if an upload in one request is interrupted, it leaves no attachment and no file",
      arguments: Cut.all)
    func whole(_ cut: Cut) throws {
      let room = try JournalRoom()
      for isOnOwner in [true, false] {
        let client = try room.client(isSecure: cut.isSecure, onOwner: isOnOwner)
        let id = UUID()
        let head = client.head(
          "POST", client.path(), JournalClient.fileFields(id), cut.framing, length: Self.body.count)
        try client.stream.send(cut.part(of: head, Self.body).sent)
        if cut.place != .inHead {
          try room.witness.read(until: "the upload") { $0.state.attachments[EntryKey(id)] != nil }
        }
        client.stream.close()
        // The attachment was announced, so the witness must also receive the entry that removes it.
        if cut.place != .inHead {
          try room.witness.read(until: "the removal of the attachment") {
            $0.state.attachments[EntryKey(id)] == nil
          }
        }
        try room.expectNothing()
        #expect(!Self.sawReady(id, room.witness))
      }
    }

    @Test(
      "PROTOCOL 4: with tus, the bytes of an interrupted request are kept, and the upload can be continued after them",
      arguments: Cut.all)
    func pieces(_ cut: Cut) throws {
      let room = try JournalRoom()
      for isOnOwner in [true, false] {
        let client = try room.client(isSecure: cut.isSecure, onOwner: isOnOwner)
        let id = UUID()
        #expect(try client.create(id, size: Self.body.count).status == 201)
        let head = client.head(
          "PATCH", client.path(of: id), JournalClient.pieceFields(at: 0), cut.framing, length: Self.body.count
        )
        let (sent, count) = cut.part(of: head, Self.body)
        try client.stream.send(sent)
        client.stream.close()

        let next = try room.client(isSecure: cut.isSecure, onOwner: !isOnOwner)
        // The gateway may notice the end of the first connection only after it has received the next request.
        let deadline = TestTimeout.deadline
        while try next.offset(of: id) != count, .now() < deadline {}
        #expect(try next.offset(of: id) == count)
        if count < Self.body.count {
          #expect(try next.patch(id, at: count, Array(Self.body[count...])).status == 204)
        }
        // If the connection is cut after the last byte of the upload, the upload is complete without a further request.
        while try next.list().first?.state != .ready, .now() < deadline {}
        #expect(try room.settle().first?.sha256 == Content.digest(Self.body))
        #expect(try next.remove(id) == 204)
      }
      try room.expectNothing()
    }

    @Test(
      "PROTOCOL 4: after ten connection resets at different offsets, all bytes are stored exactly once",
      arguments: [false, true])
    func manyResets(isSecure: Bool) throws {
      let room = try JournalRoom()
      var random = SeededGenerator(seed: 11)
      let id = UUID()
      #expect(try room.observer.create(id, size: Self.body.count).status == 201)
      var end = 0
      for _ in 0..<10 {
        let client = try room.client(isSecure: isSecure)
        let offset = try #require(try client.offset(of: id))
        let cut = min(Self.body.count - 1, offset + 1 + Int(random.next(below: 60_000)))
        let head = client.head(
          "PATCH", client.path(of: id), JournalClient.pieceFields(at: offset), .length,
          length: Self.body.count - offset)
        try client.stream.send(head + Self.body[offset..<cut])
        client.stream.cut()
        end = max(end, cut)
        // The gateway may still be receiving sent bytes, so the offset may be lower than the number of sent bytes, but never
        // higher.
        let kept = try #require(try room.observer.offset(of: id))
        #expect(kept <= end)
      }
      let deadline = TestTimeout.deadline
      while try room.settle().first?.state != .ready {
        try #require(.now() < deadline)
        let offset = try #require(try room.observer.offset(of: id))
        do {
          let status = try room.client().patch(id, at: offset, Array(Self.body[offset...])).status
          #expect([204, 409].contains(status))
        } catch ClientError.streamEnded {
          // The gateway began to process one of the interrupted requests only after this PATCH had begun. That request replaced
          // this PATCH, so this PATCH got no response.
        } catch ClientError.broken {
        }
      }
      #expect(try room.settle().first?.sha256 == Content.digest(Self.body))
    }

    @Test(
      "PROTOCOL 4: if the checksum of a request's bytes is wrong, they are dropped, even if the client has disconnected"
    )
    func cutWithWrongChecksum() throws {
      let room = try JournalRoom()
      let client = try room.client(onOwner: false)
      let (id, half) = (UUID(), Self.body.count / 2)
      #expect(try client.create(id, size: Self.body.count).status == 201)
      #expect(try client.patch(id, at: 0, Array(Self.body[..<half])).status == 204)
      // The SHA-256 of empty input.
      let wrong = "sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
      let head = client.head(
        "PATCH", client.path(of: id), JournalClient.pieceFields(at: half, checksum: wrong), .chunked,
        length: 0)
      try client.stream.send(head + JournalClient.framed(Array(Self.body[half...]), .chunked).dropLast(5))
      let next = try room.client()
      let deadline = TestTimeout.deadline
      // The gateway writes all bytes before it finds that the checksum is wrong.
      while try next.offset(of: id) != Self.body.count, .now() < deadline {}
      client.stream.close()
      while try next.offset(of: id) != half, .now() < deadline {}
      #expect(try next.offset(of: id) == half)
      #expect(!Self.sawReady(id, room.witness))
      #expect(try next.patch(id, at: half, Array(Self.body[half...])).status == 204)
      #expect(try room.settle().first?.sha256 == Content.digest(Self.body))
    }

    @Test("tus, creation with upload: a request with a wrong checksum creates no upload")
    func creationWithWrongChecksum() throws {
      let room = try JournalRoom()
      let (client, id) = (try room.client(onOwner: false), UUID())
      // The SHA-1 of empty input.
      let wrong = "sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk="
      try client.stream.send(
        client.head(
          "POST", client.path(),
          [
            ("Attachment-Id", id.uuidString), ("Upload-Length", "\(Self.body.count)"),
            ("Tus-Resumable", "1.0.0"), ("Content-Type", "application/offset+octet-stream"),
            ("Upload-Checksum", wrong),
          ], .length, length: 50_000) + Self.body[..<50_000])
      let answer = try client.http.response(to: "POST")
      #expect(answer.status == 460)
      #expect(answer.text.contains("digest-mismatch"))
      // The upload was not created.
      #expect(try room.observer.offset(of: id) == nil)
    }

    private static func sawReady(_ id: UUID, _ client: ParticipantClient) -> Bool {
      client.received.contains { entry in
        entry.key == EntryKey(id) && String(decoding: entry.payload, as: UTF8.self).contains(#""ready""#)
      }
    }
  }
}
