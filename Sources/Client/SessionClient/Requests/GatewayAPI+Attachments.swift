package import FoundationEssentials
internal import HTTP
package import Wire

/// Requests for the attachments of a session (its journal).
extension GatewayAPI {
  /// The maximum size of the list of attachments in bytes, enough for a thousand attachments with metadata of the maximum size.
  private static let listBytes = 32 << 20

  /// Returns all attachments of a session in the order of their creation, including incomplete uploads.
  package func attachments(of session: SessionID) async throws(SessionClientError) -> [AttachmentObject] {
    var request = HTTPRequest(method: .get, path: Self.path(of: session))
    request.responseLimit = Self.listBytes
    return try decode(AttachmentList.self, from: await perform(request, expecting: [200])).attachments
  }

  /// Adds an attachment by a tus upload. Returns when the gateway has created the attachment. The upload continues in the
  /// background, even if connections are lost.
  ///
  /// If the gateway cannot be reached or is busy, the request is repeated for 30 s.
  ///
  /// - Throws: `SessionClientError` when the gateway does not create the attachment.
  package func add(
    _ attachment: NewAttachment, to session: SessionID, as token: Token?
  ) async throws(SessionClientError) -> Upload {
    let run = try UploadTransfer(of: attachment, to: session, as: token, by: self)
    return Upload(try await run.create(), run)
  }

  /// Returns the content of a complete attachment, verified against its digest. After a lost connection, the download continues
  /// with the first missing byte.
  ///
  /// Contents are cached. Contents of up to 16 MiB are kept in memory, 64 MiB in total. Larger contents, and contents evicted
  /// from memory, are kept in files without names, 2 GiB in total. Concurrent requests for the same content share one download.
  ///
  /// - Parameters:
  ///   - attachment: the attachment as the session describes it.
  ///   - session: the attachment's session.
  ///   - limit: the maximum size in bytes, whatever size the attachment's description states; usually the session's limit
  ///     `attachmentBytes`.
  /// - Returns: the whole content.
  /// - Throws: `SessionClientError`; for content above the limit, the refusal `attachment-too-large`.
  package func load(
    _ attachment: AttachmentObject, of session: SessionID, limit: Int = Limits().attachmentBytes
  ) async throws(SessionClientError) -> Data {
    try await cache.content(
      of: attachment, at: Self.path(of: session, attachment.id), limit: limit, by: self)
  }

  /// Removes an attachment for everyone. Removing a missing attachment is not an error. The gateway's log records the removal
  /// with the participant to which the token belongs.
  package func remove(
    _ attachment: UUID, of session: SessionID, by token: Token? = nil
  ) async throws(SessionClientError) {
    var request = HTTPRequest(method: .delete, path: Self.path(of: session, attachment))
    if let token { request.fields.append("Participant-Token", token.text) }
    do throws(SessionClientError) {
      _ = try await perform(request, expecting: [204])
    } catch .refused(let refusal) where [404, 410].contains(refusal.httpStatus) {
      // Status 404 or 410: the attachment or its session does not exist any more, so this error is ignored.
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
  /// The id of the attachment in the session. A second request with the same id refers to the same attachment.
  package var id: UUID
  /// The file name; nil for none.
  package var name: String?
  /// The media type.
  package var contentType: String
  /// The program's metadata as JSON of at most `metadataBytes`; nil for none.
  package var metadata: [UInt8]?
  /// The content.
  package var content: Data

  /// Creates an attachment from the values of its properties.
  package init(id: UUID = UUID(), name: String? = nil, contentType: String, metadata: [UInt8]?, content: Data)
  {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.metadata = metadata
    self.content = content
  }
}
