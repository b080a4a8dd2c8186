import FoundationEssentials
import Testing
import Wire

@testable import SessionClient

/// HTTP requests to a real gateway.
@Suite("Attachment requests of the client library to a real gateway")
struct AttachmentRequestTests {
  @Test("An attachment is added, listed, loaded and removed", arguments: [false, true])
  func attachment(isSecure: Bool) async throws {
    let gateway = try LocalGateway()
    let api = GatewayAPI(try gateway.address(isSecure: isSecure))
    #expect(await api.isReady())
    let session = try await api.makeSession(.standard)
    #expect(try await api.session(session.id).activity == .standard)
    for count in [0, 1, 262_144, 262_145, 3_000_001] {
      let content = TestContent.bytes(count, seed: UInt64(count))
      let upload = try await api.add(
        NewAttachment(
          name: "größe.bin", contentType: "application/x-test", metadata: Array(#"{"at":[1,2]}"#.utf8),
          content: content), to: session.id, as: nil)
      try await upload.finish()
      let found = try #require(try await api.attachments(of: session.id).first)
      #expect(found.state == .ready && found.size == UInt64(count) && found.name == "größe.bin")
      #expect(found.metadata?.text == Array(#"{"at":[1,2]}"#.utf8))
      #expect(found.sha256 == TestContent.digest(content))
      let other = GatewayAPI(
        api.gateway, timeouts: RequestTimeouts(), cache: ContentCache(limit: 0, itemLimit: 0))
      #expect(try await other.load(found, of: session.id) == content)
      try await api.remove(found.id, of: session.id)
      try await api.remove(found.id, of: session.id)
      #expect(try await api.attachments(of: session.id).isEmpty)
    }
  }
}
