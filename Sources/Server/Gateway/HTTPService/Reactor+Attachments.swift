internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// Requests for the attachments of sessions.
extension Reactor {
  /// The header fields that pages of allowed other sites may send to attachments, and may read.
  static let acceptedJournalFields =
    "Attachment-Id, Attachment-Metadata, Content-Disposition, Content-Type, If-Match, If-None-Match, "
    + "If-Range, Participant-Token, Range, Repr-Digest, Tus-Resumable, Upload-Checksum, Upload-Defer-Length, "
    + "Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override"
  static let exposedJournalFields =
    "Content-Disposition, Content-Range, ETag, Location, Retry-After, Tus-Checksum-Algorithm, Tus-Extension, "
    + "Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Defer-Length, Upload-Expires, Upload-Length, "
    + "Upload-Metadata, Upload-Offset"
  /// No attachment may run code in a browser.
  private static let contentSecurityPolicy = "sandbox; default-src 'none'"

  /// Returns the plan for a request for attachments.
  func planAttachments(
    for head: RequestHead, of id: SessionID, _ attachment: UUID?, from client: ForwardedClient,
    on connection: Connection
  ) -> HTTPConversation.Plan {
    do throws(Refusal) {
      switch (Tus.method(of: head), attachment) {
      case (.post, nil):
        let request = try UploadRequest(creating: head, limits: shared.limits)
        return .upload(try upload(request, to: id, from: client, over: connection))
      case (.patch, let attachment?):
        let request = try UploadRequest(resuming: attachment, head, limits: shared.limits)
        return .upload(try upload(request, to: id, from: client, over: connection))
      case (.delete, let attachment?):
        if Tus.isSpoken(in: head) { try Tus.checkVersion(of: head) }
        return .journal(.remove(attachment, by: head.participantToken, from: client.address), id)
      case (.head, let attachment?) where Tus.isSpoken(in: head):
        try Tus.checkVersion(of: head)
        return .journal(.status(attachment), id)
      case (_, let attachment?):
        return .journal(.read(attachment, for: client.countedAddress), id)
      case (_, nil):
        return .journal(.list, id)
      }
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(session: id, address: client.address)))
      return .answer(.problem(error))
    }
  }

  private func upload(
    _ request: UploadRequest, to id: SessionID, from client: ForwardedClient, over connection: Connection
  ) throws(Refusal) -> Upload {
    guard !shared.isDraining else { throw .restarting }
    return Upload(
      request, to: id, over: connection.key, from: connection.clientAddress, countedAs: client.countedAddress)
  }

  /// The most time that a request waits until its content is verified.
  private static let contentCheckTime = Duration.seconds(300)

  /// Answers a request for attachments that has no body.
  func answer(
    _ request: AttachmentRequest, of id: SessionID, _ connection: Connection, _ http: HTTPConversation,
    _ head: RequestHead
  ) {
    http.awaitsAnswer = true
    if case .read = request { connection.deadline = now + Self.contentCheckTime }
    let key = connection.key
    Task {
      do throws(Refusal) {
        switch request {
        case .list:
          list(try await findToRead(id), to: key, head)
        case .status(let attachment):
          deliver(try await uploadStatus(attachment, of: try await findOpen(id).get()), to: key, head)
        case .remove(let attachment, let token, let address):
          let hosted = try await findOpen(id).get()
          deliver(try await remove(attachment, of: hosted, by: token, from: address), to: key, head)
        case .read(let attachment, let client):
          try await read(attachment, of: try await findToRead(id), for: client, to: key, head)
        }
      } catch {
        deliver(.problem(error), to: key, head)
      }
    }
  }

  /// Returns a session whose attachments may be read. It may have ended.
  private func findToRead(_ id: SessionID) async throws(Refusal) -> SessionHost {
    switch await find(id) {
    case .open(let hosted), .ended(let hosted): return hosted
    case .none(let refusal): throw refusal
    }
  }

  private func list(_ hosted: SessionHost, to key: Connection.Key, _ head: RequestHead) {
    let attachments = hosted.session.attachmentObjects.map { object in
      var object = object
      if let digest = object.sha256,
        shared.verdicts.isDamaged(ContentID(session: hosted.session.id, digest: digest))
      {
        object.damaged = true
      }
      return object
    }
    var answer = Answer(.ok, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"])
    let isChunked = head.minorVersion >= 1
    answer.hasUnknownLength = true
    if isChunked { answer.head.fields.append("Transfer-Encoding", "chunked") }
    deliver(answer, to: key, head, body: .list(AttachmentListBody(attachments, isChunked: isChunked)))
  }

  private func uploadStatus(_ attachment: UUID, of hosted: SessionHost) async throws(Refusal) -> Answer {
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    var offset = found.object.offset
    if let pending = hosted.uploads[attachment] { offset = try await uploads.offset(of: pending) }
    return .uploadStatus(found, at: offset, uploads.expiry(of: found))
  }

  /// Removes an attachment, also while its bytes arrive.
  private func remove(
    _ attachment: UUID, of hosted: SessionHost, by token: Token?, from address: IPAddress
  ) async throws(Refusal) -> Answer {
    guard hosted.session.attachment(attachment) != nil else { throw .noAttachment }
    hosted.tasksInHand += 1
    defer { done(with: hosted) }
    guard await uploads.remove(attachment, from: hosted) else {
      throw persister.refusalOfUnstored(hosted.stored)
    }
    logger.log(
      .attachmentRemoved(
        PeerEvent.Upload(session: hosted.session.id, attachment: attachment, address: address),
        by: token.flatMap { hosted.session.number(of: $0) } ?? 0))
    return Answer(.noContent)
  }

  // MARK: - Contents

  /// A content that may be read.
  private struct ReadableContent {
    let object: AttachmentObject
    let content: ContentID
    /// In bytes.
    let size: UInt64
  }

  private func findContent(_ attachment: UUID, of hosted: SessionHost) throws(Refusal) -> ReadableContent {
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    guard found.object.state == .ready, let digest = found.object.sha256, let size = found.object.size else {
      var refusal = Refusal(.notReady, "The attachment is still being uploaded.")
      refusal.offset = found.object.offset
      throw refusal
    }
    return ReadableContent(
      object: found.object, content: ContentID(session: hosted.session.id, digest: digest), size: size)
  }

  /// Marks the content of an attachment as damaged.
  ///
  /// - Returns: the refusal; nil when another file took the place of the damaged one meanwhile.
  private func markDamaged(_ finding: ContentFinding, _ readable: ReadableContent) -> Refusal? {
    let id = readable.content.session
    // The file is removed with its last attachment.
    guard let hosted = sessions[id] ?? sessions.endedSessionCache[id],
      hosted.session.attachment(readable.object.id)?.object.sha256 == readable.content.digest
    else { return .noAttachment }
    switch shared.verdicts.noteDamaged(readable.content, finding) {
    case .superseded: return nil
    case .known: break
    case .noted:
      shared.log(
        .error, "attachment damaged",
        [
          "session": .session(id), "attachment": "\(readable.object.id)", "reason": "\(finding.damage)",
        ])
    }
    return .damagedAttachment
  }

  /// Logs an error.
  ///
  /// - Returns: the refusal for a content whose file cannot be read.
  private func unreadable(_ error: StorageError) -> Refusal {
    shared.log(.error, "attachment not read", ["reason": "\(error)"])
    return error.isOutOfDescriptors
      ? .outOfDescriptors : Refusal(.internal, "The attachment could not be read.")
  }

  /// Opens a content and sends the requested range.
  private func read(
    _ attachment: UUID, of hosted: SessionHost, for client: IPAddress?, to key: Connection.Key,
    _ head: RequestHead
  ) async throws(Refusal) {
    let readable = try findContent(attachment, of: hosted)
    guard let reader = try await openIntact(readable, for: client, to: key) else { return }
    let found = content(readable, for: head)
    let body = found.range.isEmpty ? nil : FileTransfer(reader, found.range)
    deliver(found.answer, to: key, head, body: body.map { .file($0) })
  }

  /// Opens a content that is known to be intact; one without a verdict is verified first.
  ///
  /// No byte of a content is sent before that, because a cache may keep the answer under the content's digest for a year.
  /// - Returns: nil when the connection is gone.
  private func openIntact(
    _ readable: ReadableContent, for client: IPAddress?, to key: Connection.Key
  ) async throws(Refusal) -> ContentReader? {
    var wasVerified = false
    while true {
      do {
        guard let (reader, mark) = try await openContent(readable, to: key) else { return nil }
        if wasVerified, mark?.length == readable.size { return reader }
        switch shared.verdicts.verdict(on: readable.content, mark) {
        case .intact: return reader
        case .damaged: throw .damagedAttachment
        case nil: break
        }
      }
      // No file is open while the check waits for its turn.
      switch await shared.verifier.verify(readable.content, size: readable.size, for: client) {
      case .intact: wasVerified = true
      case .damaged(let finding):
        if let refusal = markDamaged(finding, readable) { throw refusal }
      case .unreadable(let error): throw unreadable(error)
      case .refused(let refusal): throw refusal
      }
    }
  }

  /// Opens the file of a content.
  ///
  /// - Returns: the reader and the mark of the file, without a mark when the file is missing; nil when the connection is gone.
  private func openContent(
    _ readable: ReadableContent, to key: Connection.Key
  ) async throws(Refusal) -> (reader: ContentReader, mark: ContentMark?)? {
    guard let connection = connections[key] else { return nil }
    let socket = connection.tls == nil ? connection.socket.duplicate() : nil
    guard connection.isSecure || socket != nil else { throw .outOfDescriptors }
    let reader = ContentReader(
      readable.content, in: shared.attachments, sendingTo: socket,
      on: shared.fileThreads.nextTransfer())
    do throws(StorageError) {
      return (reader, try await reader.open())
    } catch {
      guard error.isMissing else { throw unreadable(error) }
      return (reader, nil)
    }
  }

  /// Returns the head of the answer, and the range of the content that follows the head.
  private func content(
    _ readable: ReadableContent, for head: RequestHead
  ) -> (answer: Answer, range: Range<UInt64>) {
    let name = readable.object.name
    // Types that a browser might run are only ever saved.
    let type = MediaType(parsing: readable.object.contentType)
    let picture = type.flatMap { $0.isSafeImage ? $0.essence : nil }
    let reply = RepresentationResponse(
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
    switch reply {
    case .content(let head, let range):
      var answer = Answer(head.status)
      answer.head = head
      return (answer, UInt64(range.lowerBound)..<UInt64(range.upperBound))
    case .preconditionFailed:
      var refusal = Refusal(.badRequest, "The attachment is not the one that was asked for.")
      refusal.status = 412
      return (.problem(refusal), 0..<0)
    case .rangeNotSatisfiable(let contentRange):
      var refusal = Refusal(.badRequest, "The attachment has no such bytes.", limit: Int(readable.size))
      refusal.status = 416
      var answer = Answer.problem(refusal)
      answer.head.fields.append("Content-Range", contentRange)
      return (answer, 0..<0)
    }
  }

  /// Adds the header fields of all answers about attachments.
  func addJournalFields(to answer: inout Answer, for head: RequestHead?) {
    answer.head.fields.set("Content-Security-Policy", Self.contentSecurityPolicy)
    guard let head, Tus.isSpoken(in: head) else { return }
    answer.head.fields.set("Tus-Resumable", Tus.version)
    if answer.head.status.code == 412 { answer.head.fields.set("Tus-Version", Tus.version) }
  }
}
