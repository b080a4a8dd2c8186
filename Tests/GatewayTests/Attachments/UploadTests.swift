import FoundationEssentials
import Testing
import Platform
import Wire

@testable import Gateway

extension OverSockets {
  /// PROTOCOL 4: an attachment from its first byte to its removal, over connections on the session's reactor and on
  /// another reactor.
  @Suite("PROTOCOL 4: attachments are uploaded, over connections to any reactor")
  struct UploadTests {
    /// The way in which the content is sent: in one request or in several, with a known length or in chunks.
    enum Kind: CaseIterable {
      case whole, wholeInChunks, pieces, piecesInChunks, creationWithUpload
    }

    /// The kind of upload, and the connection that it uses.
    struct Way: CustomTestStringConvertible {
      let kind: Kind
      let isSecure: Bool
      let isOnOwner: Bool

      var testDescription: String {
        "\(kind), \(isSecure ? "TLS" : "plain"), on \(isOnOwner ? "the session's" : "the other") reactor"
      }

      static let all = Kind.allCases.flatMap { kind in
        [false, true].flatMap { isSecure in
          [false, true].map { Way(kind: kind, isSecure: isSecure, isOnOwner: $0) }
        }
      }
    }

    @Test(
      "PROTOCOL 4: an attachment is announced, completed and read; its removal leaves no files",
      arguments: Way.all)
    func life(_ way: Way) throws {
      let room = try JournalRoom()
      let client = try room.client(isSecure: way.isSecure, onOwner: way.isOnOwner)
      let id = UUID()
      // The size is not a multiple of any buffer size.
      let bytes = Content.bytes(1_500_007, seed: 4)
      try Self.upload(bytes, as: id, way.kind, over: client)

      let list = try room.settle()
      #expect(list.map(\.id) == [id])
      #expect(list.first?.state == .ready)
      #expect(list.first?.sha256 == Content.digest(bytes))
      let read = try client.read(id)
      #expect(read.status == 200)
      #expect(read.body == bytes)
      #expect(try client.remove(id) == 204)
      #expect(try client.read(id).status == 404)
      try room.expectNothing()
      #expect(Self.states(of: id, seenBy: room.witness) == ["uploading", "ready", "removed"])
    }

    @Test("PROTOCOL 4: an attachment may be empty", arguments: Kind.allCases)
    func empty(kind: Kind) throws {
      let room = try JournalRoom()
      let (client, id) = (try room.client(onOwner: false), UUID())
      try Self.upload([], as: id, kind, over: client)
      #expect(try room.settle().map(\.sha256) == [Content.digest([])])
      let read = try client.read(id)
      #expect(read.status == 200)
      #expect(read.body.isEmpty)
    }

    @Test(
      "PROTOCOL 4: uploads and other requests that are pipelined on one connection are answered in their order"
    )
    func pipelined() throws {
      let room = try JournalRoom()
      let client = try room.client(onOwner: false)
      let ids = (0..<4).map { _ in UUID() }
      for id in ids {
        let bytes = Content.bytes(30_000, seed: 1)
        try client.stream.send(
          client.head("POST", client.path(), JournalClient.fileFields(id), .chunked, length: 0)
            + JournalClient.framed(bytes, .chunked) + client.http.head("GET", "/healthz")
            + client.http.head("GET", client.path(of: id)))
      }
      for _ in ids {
        #expect(try client.http.response(to: "POST").status == 201)
        #expect(try client.http.response().text == "{\"status\":\"alive\"}\n")
        #expect(try client.http.response().body == Content.bytes(30_000, seed: 1))
      }
      #expect(try room.settle().map(\.id) == ids)
    }

    @Test(
      "RFC 9112 §9.6: a client that half-closes its connection after an upload gets all responses",
      arguments: [false, true], JournalClient.Framing.allCases)
    func halfClosed(isSecure: Bool, framing: JournalClient.Framing) throws {
      let room = try JournalRoom()
      let client = try room.client(isSecure: isSecure, onOwner: false)
      let bytes = Content.bytes(900_000, seed: 2)
      try client.stream.sendLast(
        client.head("POST", client.path(), JournalClient.fileFields(UUID()), framing, length: bytes.count)
          + JournalClient.framed(bytes, framing) + client.http.head("GET", "/healthz"))
      #expect(try client.http.response(to: "POST").status == 201)
      #expect(try client.http.response().text == "{\"status\":\"alive\"}\n")
      try client.stream.drainToEnd()
      #expect(try room.settle().map(\.sha256) == [Content.digest(bytes)])
    }

    /// Uploads content and checks the response.
    private static func upload(_ bytes: [UInt8], as id: UUID, _ kind: Kind, over client: JournalClient) throws
    {
      let framing: JournalClient.Framing =
        [.wholeInChunks, .piecesInChunks].contains(kind) ? .chunked : .length
      switch kind {
      case .whole, .wholeInChunks:
        let answer = try client.add(id, bytes, framing)
        #expect(answer.status == 201)
        #expect(answer.field("Location") == client.path(of: id))
      case .pieces, .piecesInChunks:
        #expect(try client.create(id, size: bytes.count).status == 201)
        var offset = 0
        while offset < bytes.count {
          let end = min(bytes.count, offset + 400_000)
          let answer = try client.patch(id, at: offset, Array(bytes[offset..<end]), framing)
          #expect(answer.status == 204)
          #expect(answer.field("Upload-Offset") == "\(end)")
          offset = end
        }
      case .creationWithUpload:
        try client.stream.send(
          client.head(
            "POST", client.path(),
            [
              ("Attachment-Id", id.uuidString), ("Upload-Length", "\(bytes.count)"),
              ("Tus-Resumable", "1.0.0"), ("Content-Type", "application/offset+octet-stream"),
            ], framing, length: bytes.count) + bytes)
        let answer = try client.http.response(to: "POST")
        #expect(answer.status == 201)
        #expect(answer.field("Upload-Offset") == "\(bytes.count)")
      }
    }

    /// Returns the states that a client received in the entries about an attachment, without repetitions.
    static func states(of id: UUID, seenBy client: ParticipantClient) -> [String] {
      var states: [String] = []
      for entry in client.received where entry.key == EntryKey(id) && entry.flags.contains(.system) {
        // An entry that cannot be decoded is listed as removed or unreadable.
        let object = try? AttachmentObject.decode(entry.payload.span)
        let state = object?.state.rawValue ?? (entry.flags.retention == .remove ? "removed" : "unreadable")
        if states.last != state { states.append(state) }
      }
      return states
    }
  }
}
