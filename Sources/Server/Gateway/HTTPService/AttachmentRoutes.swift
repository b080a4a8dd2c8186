internal import FoundationEssentials
internal import HTTP
internal import Primitives
internal import Networking
internal import Platform
internal import SessionCore
internal import Wire

/// Answers requests for the attachments of a reactor's sessions.
final class AttachmentRoutes {
  private let sessions: SessionTable
  private let uploads: UploadService
  private let downloads: DownloadService
  private let limits: Limits
  private let logger: GatewayLogger

  init(
    _ sessions: SessionTable, _ uploads: UploadService, _ downloads: DownloadService, limits: Limits,
    logger: GatewayLogger
  ) {
    self.sessions = sessions
    self.uploads = uploads
    self.downloads = downloads
    self.limits = limits
    self.logger = logger
  }

  // MARK: - Plans

  /// Decides how a request for attachments is answered.
  ///
  /// - Parameters:
  ///   - head: the head of the request.
  ///   - id: the session.
  ///   - attachment: the attachment in the path; nil if the path names all attachments of the session.
  ///   - client: the client of the request.
  ///   - connection: the connection of the request.
  ///   - isDraining: true if new uploads are refused.
  /// - Returns: the way in which the request is answered.
  func plan(
    for head: RequestHead, of id: SessionID, _ attachment: UUID?, from client: ForwardedClient,
    over connection: Connection, isDraining: Bool
  ) -> HTTPExchange.Plan {
    func upload(_ request: UploadRequest) throws(Refusal) -> HTTPExchange.Plan {
      guard !isDraining else { throw .restarting }
      return .upload(
        Upload(
          request, to: id, over: connection.key, from: connection.clientAddress,
          countedAs: client.countedAddress))
    }
    do throws(Refusal) {
      switch (Tus.method(of: head), attachment) {
      case (.post, nil):
        return try upload(try UploadRequest(creating: head, limits: limits))
      case (.patch, let attachment?):
        return try upload(try UploadRequest(resuming: attachment, head, limits: limits))
      case (.delete, let attachment?):
        if Tus.isSpoken(in: head) { try Tus.checkVersion(of: head) }
        return .attachments(.remove(attachment, by: head.participantToken, from: client.address), id)
      case (.head, let attachment?) where Tus.isSpoken(in: head):
        try Tus.checkVersion(of: head)
        return .attachments(.status(attachment), id)
      case (_, let attachment?):
        return .attachments(.read(attachment, for: client.countedAddress), id)
      case (_, nil):
        return .attachments(.list, id)
      }
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(session: id, address: client.address)))
      return .answer(.problem(error))
    }
  }

  // MARK: - Answers

  /// Answers a request without a body.
  ///
  /// - Returns: the response; nil if the connection has closed.
  func answer(
    _ request: AttachmentRequest, of id: SessionID, for head: RequestHead, over key: Connection.Key
  ) async -> HTTPResponse? {
    do throws(Refusal) {
      switch request {
      case .list:
        return list(try await sessions.findReadable(id).get(), for: head)
      case .status(let attachment):
        return HTTPResponse(
          answer: try await status(of: attachment, in: try await sessions.findOpen(id).get()))
      case .remove(let attachment, let token, let address):
        let hosted = try await sessions.findOpen(id).get()
        return HTTPResponse(answer: try await remove(attachment, of: hosted, by: token, from: address))
      case .read(let attachment, let client):
        let readable = try downloads.content(of: attachment, in: try await sessions.findReadable(id).get())
        guard let reader = try await downloads.open(readable, for: client, over: key) else { return nil }
        let (answer, range) = content(readable, for: head)
        return HTTPResponse(
          answer: answer, body: range.isEmpty ? nil : .file(FileTransfer(reader, range)))
      }
    } catch {
      return HTTPResponse(answer: .problem(error))
    }
  }

  private func list(_ hosted: SessionHost, for head: RequestHead) -> HTTPResponse {
    var answer = Answer(.ok, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"])
    let isChunked = head.minorVersion >= 1
    answer.hasUnknownLength = true
    if isChunked { answer.head.fields.append("Transfer-Encoding", "chunked") }
    return HTTPResponse(
      answer: answer,
      body: .list(AttachmentListBody(downloads.attachments(of: hosted), isChunked: isChunked)))
  }

  /// Returns the offset, size and metadata of an upload for tus.
  private func status(of attachment: UUID, in hosted: SessionHost) async throws(Refusal) -> Answer {
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    var offset = found.object.offset
    if let pending = uploads.pendingAttachments[attachment, hosted] {
      offset = try await uploads.offset(of: pending)
    }
    return .uploadStatus(found, at: offset, uploads.expiry(of: found))
  }

  /// Removes an attachment, even during its upload.
  private func remove(
    _ attachment: UUID, of hosted: SessionHost, by token: Token?, from address: IPAddress
  ) async throws(Refusal) -> Answer {
    guard hosted.session.attachment(attachment) != nil else { throw .noAttachment }
    hosted.tasksInHand += 1
    defer { sessions.finishTask(of: hosted) }
    guard await uploads.remove(attachment, from: hosted) else {
      throw sessions.persister.refusalOfUnstored(hosted)
    }
    logger.log(
      .attachmentRemoved(
        PeerEvent.Upload(session: hosted.id, attachment: attachment, address: address),
        by: token.flatMap { hosted.session.number(of: $0) } ?? 0))
    return Answer(.noContent)
  }

  /// Returns the head of the answer to a `GET` or `HEAD`, and the range of the content that is sent as the body.
  private func content(
    _ readable: DownloadService.ReadableContent, for head: RequestHead
  ) -> (answer: Answer, range: Range<UInt64>) {
    let name = readable.object.name
    // Only safe image types are shown inline. All other types are sent as downloads, because a browser might run them as code.
    let type = MediaType(parsing: readable.object.contentType)
    let picture = type.flatMap { $0.isSafeImage ? $0.essence : nil }
    let response = RepresentationResponse(
      to: head,
      with: Representation(
        length: Int(readable.size), entityTag: EntityTag(readable.content.digest), lastModified: nil),
      always: ["Cache-Control": "private, max-age=31536000, immutable"],
      withContent: [
        "Content-Type": picture ?? MediaType.octetStream.value,
        "Content-Disposition": picture != nil
          ? ContentDisposition.inline(fileName: name) : ContentDisposition.attachment(fileName: name),
      ],
      now: HTTPDate(secondsSinceEpoch: Int(WallTime.now().secondsSince1970)))
    switch response {
    case .content(let head, let range):
      var answer = Answer(head.status)
      answer.head = head
      return (answer, UInt64(range.lowerBound)..<UInt64(range.upperBound))
    case .preconditionFailed:
      var refusal = Refusal(.badRequest, "The attachment does not meet the preconditions of the request.")
      refusal.status = 412
      return (.problem(refusal), 0..<0)
    case .rangeNotSatisfiable(let contentRange):
      var refusal = Refusal(
        .badRequest, "The attachment has no bytes in the requested range.", limit: Int(readable.size))
      refusal.status = 416
      var answer = Answer.problem(refusal)
      answer.head.fields.append("Content-Range", contentRange)
      return (answer, 0..<0)
    }
  }
}
