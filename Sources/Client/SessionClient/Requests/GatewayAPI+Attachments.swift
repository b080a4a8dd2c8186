package import FoundationEssentials
internal import HTTP
package import Wire

/// The journal: a session's attachments.
extension GatewayAPI {
  /// The maximum size of the list, enough for a thousand attachments with maximum metadata.
  private static let listBytes = 32 << 20

  /// Returns all attachments of a session in the order of their creation, including incomplete uploads.
  package func attachments(of session: SessionID) async throws(SessionClientError) -> [AttachmentObject] {
    var request = HTTPRequest(method: .get, path: Self.path(of: session))
    request.responseLimit = Self.listBytes
    return try decode(AttachmentList.self, from: await perform(request, expecting: [200])).attachments
  }

  /// Adds an attachment by tus. Returns when the gateway has created it; the upload continues in the background and
  /// survives lost connections.
  ///
  /// If the gateway cannot be reached or is busy, the request is repeated for 30 s.
  ///
  /// - Throws: `SessionClientError` when the gateway does not create it.
  package func add(
    _ attachment: NewAttachment, to session: SessionID, as token: Token?
  ) async throws(SessionClientError) -> Upload {
    let run = try UploadTransfer(of: attachment, to: session, as: token, by: self)
    return Upload(try await run.create(), run)
  }

  /// Returns the content of a complete attachment, verified against its digest. A broken download continues where it
  /// ended.
  ///
  /// Contents are cached: up to 16 MiB each in memory, 64 MiB in total, and 2 GiB of larger and older ones in files
  /// without names. Concurrent requests for one content share a download.
  ///
  /// - Parameters:
  ///   - attachment: the attachment as the session describes it.
  ///   - session: the attachment's session.
  ///   - limit: the maximum size in bytes, independent of the description: the session's `attachmentBytes` in force.
  /// - Returns: the whole content.
  /// - Throws: `SessionClientError`; the refusal `attachment-too-large` above the limit.
  package func load(
    _ attachment: AttachmentObject, of session: SessionID, limit: Int = Limits().attachmentBytes
  ) async throws(SessionClientError) -> Data {
    try await cache.content(
      of: attachment, at: Self.path(of: session, attachment.id), limit: limit, by: self)
  }

  /// Removes an attachment for everyone. Removing a missing attachment is not an error. The gateway's log names the participant
  /// with the token.
  package func remove(
    _ attachment: UUID, of session: SessionID, by token: Token? = nil
  ) async throws(SessionClientError) {
    var request = HTTPRequest(method: .delete, path: Self.path(of: session, attachment))
    if let token { request.fields.append("Participant-Token", token.text) }
    do throws(SessionClientError) {
      _ = try await perform(request, expecting: [204])
    } catch .refused(let refusal) where [404, 410].contains(refusal.httpStatus) {
      // The attachment or its session does not exist any more.
    } catch {
      throw error
    }
  }

  static func path(of session: SessionID, _ attachment: UUID? = nil) -> String {
    "/api/sessions/\(session.text)/attachments" + (attachment.map { "/\($0.uuidString)" } ?? "")
  }
}

/// An attachment to be added.
package struct NewAttachment: Sendable {
  /// The id in the session. A second request with the same id refers to the same attachment.
  package var id: UUID
  /// The file name; nil for none.
  package var name: String?
  /// The media type.
  package var contentType: String
  /// The program's metadata as JSON of at most `metadataBytes`; nil for none.
  package var metadata: [UInt8]?
  /// The content.
  package var content: Data

  /// Creates an attachment with all its members.
  package init(id: UUID = UUID(), name: String? = nil, contentType: String, metadata: [UInt8]?, content: Data)
  {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.metadata = metadata
    self.content = content
  }
}
