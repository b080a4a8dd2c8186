internal import FoundationEssentials
internal import HTTP
internal import Wire

/// The requests of an upload, from the creation to the last byte (tus 1.0.0).
struct UploadTransfer: Sendable {
  /// The maximum size in bytes of content that is sent with the creation request. Sending the content with this request saves a
  /// connection. The size is small, because the content is sent again if the request fails.
  private static let embeddedBytes = 262_144
  private static let uploadContentType = "application/offset+octet-stream"
  /// The maximum length in bytes of a header field that a gateway reads, and the number of bytes of `Upload-Metadata` that are
  /// reserved for all members other than `metadata`.
  private static let (fieldBytes, namesBytes) = (16_384, 2_400)

  let attachment: NewAttachment
  private let api: GatewayAPI
  private let path: String
  private let collection: String
  private let fields: FieldList

  /// Prepares to add an attachment.
  ///
  /// - Throws: `refused` when the metadata are longer than any gateway accepts.
  init(
    of attachment: NewAttachment, to session: SessionID, as token: Token?, by api: GatewayAPI
  ) throws(SessionClientError) {
    let metadata = attachment.metadata ?? []
    guard metadata.count <= (Self.fieldBytes - Self.namesBytes) / 4 * 3 else {
      let limit = Limits().metadataBytes
      throw .refused(
        Refusal(
          .badRequest,
          "An attachment's metadata may have at most \(limit) bytes of JSON; the given metadata has \(metadata.count) bytes.",
          limit: limit, actual: metadata.count))
    }
    self.attachment = attachment
    self.api = api
    path = GatewayAPI.path(of: session, attachment.id)
    collection = GatewayAPI.path(of: session)
    var fields: FieldList = [
      "Tus-Resumable": "1.0.0", "Attachment-Id": attachment.id.uuidString,
      "Upload-Length": "\(attachment.content.count)", "Upload-Metadata": Self.metadataField(attachment),
    ]
    if let token { fields.append("Participant-Token", token.text) }
    self.fields = fields
  }

  private static func metadataField(_ attachment: NewAttachment) -> String {
    var parts = ["filetype \(Base64.encode(Array(attachment.contentType.utf8.prefix(255))))"]
    if let name = attachment.name {
      parts.append("filename \(Base64.encode(Array(AttachmentName.sanitised(name).utf8)))")
    }
    if let metadata = attachment.metadata { parts.append("metadata \(Base64.encode(metadata))") }
    return parts.joined(separator: ",")
  }

  /// The size of the content in bytes.
  private var size: UInt64 { UInt64(attachment.content.count) }

  // MARK: - Creating

  /// Creates the upload on the gateway. Small content is sent in the same request.
  ///
  /// - Throws: when the gateway does not create the upload.
  func create() async throws(SessionClientError) -> AttachmentObject {
    try await cacheContent()
    var request = HTTPRequest(method: .post, path: collection, fields: fields)
    if size > 0, size <= UInt64(Self.embeddedBytes) {
      request.fields.append("Content-Type", Self.uploadContentType)
      request.content = attachment.content
    }
    do throws(SessionClientError) {
      return try await create(by: request)
    } catch {
      // After a cancellation, it is unknown whether the gateway created the upload, so the upload is removed.
      if error == .cancelled { Task { await remove() } }
      throw error
    }
  }

  private func create(by first: HTTPRequest) async throws(SessionClientError) -> AttachmentObject {
    var request = first
    var retry = RetryPolicy(api.timeouts, for: api.timeouts.creationRetry)
    while true {
      do throws(SessionClientError) {
        let response = try await api.performOnce(request, in: request.content == nil ? .brief : .transfer)
        guard response.status == 201 else { throw api.error(for: response) }
        return try validated(api.decode(AttachmentObject.self, from: response))
      } catch {
        try await retry.wait(after: error)
        // The repeated request has no content, because a gateway that has already created the upload does not read the content.
        // The response reports the offset from which to send.
        request = HTTPRequest(method: .post, path: collection, fields: fields)
      }
    }
  }

  private func validated(_ object: AttachmentObject) throws(SessionClientError) -> AttachmentObject {
    guard object.id == attachment.id, object.size == size else {
      let there = object.size.map { "\($0)" } ?? "an unknown number of"
      throw .refused(
        Refusal(
          .badRequest,
          "The attachment \(attachment.id) already exists with \(there) bytes; the new content has \(size) bytes.",
          limit: Int(clamping: object.size ?? 0), actual: attachment.content.count))
    }
    _ = try validated(object.offset)
    return object
  }

  /// Returns the offset that the gateway reports. Throws an error if the offset is beyond the end of the content.
  private func validated(_ offset: UInt64) throws(SessionClientError) -> UInt64 {
    guard offset <= size else {
      throw .noGateway("\(api.gateway) reports \(offset) received bytes for an upload of \(size) bytes")
    }
    return offset
  }

  /// Caches the content, so that this program can load the attachment without a download.
  private func cacheContent() async throws(SessionClientError) {
    let (content, cache) = (attachment.content, api.cache)
    guard cache.canStore(content.count) else { return }
    try await api.threads.run(.brief) { _ in cache.storeCopy(of: content) }
  }

  // MARK: - Sending

  /// Sends the missing bytes, no matter how many connections are lost.
  ///
  /// - Parameter start: the current offset.
  /// - Throws: the gateway's permanent refusal; `cancelled`; or the last error after `uploadKeepSeconds` without progress.
  func send(from start: UInt64) async throws(SessionClientError) {
    var retry = RetryPolicy(api.timeouts, for: api.timeouts.uploadRetry)
    var highest = start
    var known: UInt64? = start
    while true {
      do throws(SessionClientError) {
        let offset: UInt64
        if let known { offset = known } else { offset = try await self.offset() }
        if offset > highest {
          highest = offset
          retry.recordProgress()
        }
        known = nil
        // A request is sent even if no bytes are missing, because only its response shows that the attachment is ready.
        guard try await send(at: offset) < size else { return }
        throw .unreachable("\(api.gateway) accepted only a part of the upload")
      } catch {
        known = try offset(afterwards: error)
        try await retry.wait(after: known == nil ? error : .unreachable("\(error)"))
      }
    }
  }

  /// Returns the offset in the gateway's refusal; nil if the error contains no offset, so that a HEAD request has to ask for it.
  private func offset(afterwards failure: SessionClientError) throws(SessionClientError) -> UInt64? {
    guard case .refused(let refusal) = failure, refusal.code == .offsetMismatch, let offset = refusal.offset
    else { return nil }
    return try validated(offset)
  }

  private func send(at offset: UInt64) async throws(SessionClientError) -> UInt64 {
    let request = HTTPRequest(
      method: .patch, path: path,
      fields: [
        "Tus-Resumable": "1.0.0", "Upload-Offset": "\(offset)", "Content-Type": Self.uploadContentType,
      ], content: attachment.content.dropFirst(Int(offset)))
    let response = try await api.performOnce(request, in: .transfer)
    guard response.status == 204 else { throw api.error(for: response) }
    return try self.offset(in: response)
  }

  private func offset() async throws(SessionClientError) -> UInt64 {
    let response = try await api.performOnce(
      HTTPRequest(method: .head, path: path, fields: ["Tus-Resumable": "1.0.0"]))
    // A response to HEAD has no body that could contain a message.
    switch response.status {
    case 200: return try offset(in: response)
    case 404:
      throw .refused(Refusal(.notFound, "The attachment does not exist; it may have been removed."))
    case 410: throw .refused(Refusal(.ended, "This session has ended."))
    case 408, 429, 500...: throw .unreachable("\(api.gateway) responds with status \(response.status)")
    default: throw api.error(for: response)
    }
  }

  private func offset(in response: HTTPResponse) throws(SessionClientError) -> UInt64 {
    guard let offset = response.head.number("Upload-Offset") else {
      throw .noGateway(
        "the server at \(api.gateway) is not a gateway: it does not report the upload's offset")
    }
    return try validated(offset)
  }

  // MARK: - Removing

  /// Removes the upload if the gateway can be reached.
  func remove() async {
    var request = HTTPRequest(method: .delete, path: path)
    if let token = fields.first("Participant-Token") { request.fields.append("Participant-Token", token) }
    // A failure is ignored, because an abandoned upload expires.
    _ = try? await api.perform(request, expecting: [204, 404, 410], for: api.timeouts.creationRetry)
  }
}
