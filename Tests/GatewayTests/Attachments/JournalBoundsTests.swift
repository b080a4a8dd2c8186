import FoundationEssentials
import Testing
import Platform
import Wire

@testable import Gateway

extension OverSockets {
  /// P6: limits on the memory and on the reads that a client's requests about attachments can cause.
  @Suite("P6: a client's requests about attachments cause bounded memory use and bounded reads")
  struct JournalBoundsTests {
    @Test(
      "If a client repeats a creation with an endless body, it gets the response after a limited number of bytes"
    )
    func endlessRepetition() throws {
      let room = try JournalRoom { $0.limits.attachmentBytes = 1_048_576 }
      let (client, id) = (try room.client(), UUID())
      #expect(try client.add(id, Content.bytes(1_000, seed: 1)).status == 201)

      let chunk = Array("10000\r\n".utf8) + Content.bytes(65_536, seed: 2) + Array("\r\n".utf8)
      try client.stream.send(
        client.head("POST", client.path(), JournalClient.fileFields(id), .chunked, length: 0))
      for _ in 0...16 { try client.stream.send(chunk) }
      let answer = try client.http.response(to: "POST")
      #expect(answer.status == 201)
      #expect(answer.field("Connection") == "close")
      #expect(try room.settle().map(\.size) == [1_000])
    }

    @Test(
      "The list of attachments has the same bytes, whether it is sent in pieces or as a whole",
      arguments: [0, 1, 2, 50, 400])
    func listInPieces(count: Int) throws {
      let attachments = try (0..<count).map { number in
        let metadata = Array("\"\(String(repeating: "x", count: number * 13 % 4_000))\"".utf8)
        return AttachmentObject(
          id: UUID(), name: "n", contentType: "image/png", size: UInt64(number), sha256: nil,
          metadata: try AttachmentMetadata.parse(metadata.span, limit: 4_096), participant: nil,
          state: .uploading,
          offset: 0, createdAt: Date(timeIntervalSince1970: 0), url: "/\(number)")
      }
      var (list, bytes) = (AttachmentListBody(attachments, isChunked: false), [UInt8]())
      while let piece = list.next() {
        // A piece ends with the attachment that makes the piece reach 32 KiB. So the piece exceeds 32 KiB by about one
        // attachment.
        #expect(piece.count < 32_768 + 8_192)
        bytes += piece
      }
      #expect(bytes == WireJSON.encode(AttachmentList(attachments)))
    }
  }
}
