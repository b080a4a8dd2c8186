package import FoundationEssentials
internal import HTTP
package import Wire

/// The journal: a session's attachments.
extension GatewayAPI {
  /// A list of a thousand attachments, each with as much said about it as may be.
  private static let listBytes = 32 << 20

  /// All attachments of a session, those that are still arriving too, in the order in which they were added.
  package func attachments(of session: SessionID) async throws(SessionClientError) -> [AttachmentObject] {
    var request = HTTPRequest(method: .get, path: Self.path(of: session))
    request.responseLimit = Self.listBytes
    return try decode(AttachmentList.self, from: await perform(request, expecting: [200])).attachments
  }

  /// Adds an attachment by tus: returns when the gateway has taken it on, and goes on with its bytes over any number of cuts.
  ///
  /// A gateway that is away or busy is waited for, 30 s.
  ///
  /// - Throws: `SessionClientError` when the gateway does not take it on.
  package func add(
    _ attachment: NewAttachment, to session: SessionID, as token: Token?
  ) async throws(SessionClientError) -> Upload {
    let run = try UploadTransfer(of: attachment, to: session, as: token, by: self)
    return Upload(try await run.create(), run)
  }

  /// The bytes of an attachment that is ready; goes on where it was cut, and checks them against its digest.
  ///
  /// Contents are kept for the next time: up to 16 MiB each in memory, 64 MiB of them in all, and 2 GiB of the larger and older
  /// ones in files without names. Concurrent requests for one content share a download.
  ///
  /// - Parameters:
  ///   - attachment: what the session says of it.
  ///   - session: whose it is.
  ///   - limit: the most bytes that are taken into memory, whatever is said of it: the session's `attachmentBytes` in force.
  /// - Returns: all of it.
  /// - Throws: `SessionClientError`; a refusal as `attachment-too-large` when there are more.
  package func load(
    _ attachment: AttachmentObject, of session: SessionID, limit: Int = Limits().attachmentBytes
  ) async throws(SessionClientError) -> Data {
    try await cache.content(
      of: attachment, at: Self.path(of: session, attachment.id), limit: limit, by: self)
  }

  /// Removes an attachment for everyone; fine when it is gone. The gateway's log names the participant with that token.
  package func remove(
    _ attachment: UUID, of session: SessionID, by token: Token? = nil
  ) async throws(SessionClientError) {
    var request = HTTPRequest(method: .delete, path: Self.path(of: session, attachment))
    if let token { request.fields.append("Participant-Token", token.text) }
    do throws(SessionClientError) {
      _ = try await perform(request, expecting: [204])
    } catch .refused(let refusal) where [404, 410].contains(refusal.httpStatus) {
      // Gone, or with a session that is.
    } catch {
      throw error
    }
  }

  static func path(of session: SessionID, _ attachment: UUID? = nil) -> String {
    "/api/sessions/\(session.text)/attachments" + (attachment.map { "/\($0.uuidString)" } ?? "")
  }
}

/// An attachment that is to be added.
package struct NewAttachment: Sendable {
  /// Its name in the session; the same one twice is one attachment.
  package var id: UUID
  /// Its file's name; nil for none.
  package var name: String?
  /// Its media type.
  package var contentType: String
  /// What a program says about it, as JSON of at most `metadataBytes`; nil for nothing.
  package var metadata: [UInt8]?
  /// Its bytes.
  package var content: Data

  /// All of it.
  package init(id: UUID = UUID(), name: String? = nil, contentType: String, metadata: [UInt8]?, content: Data)
  {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.metadata = metadata
    self.content = content
  }
}
