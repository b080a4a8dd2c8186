internal import FoundationEssentials
internal import HTTP
internal import Storage
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// Requests for a session's journal, on the reactor of their connection.
extension Reactor {
  /// What pages of other sites that are allowed may send and see of the journal.
  static let acceptedJournalFields =
    "Attachment-Id, Attachment-Metadata, Content-Disposition, Content-Type, If-Match, If-None-Match, "
    + "If-Range, Participant-Token, Range, Repr-Digest, Tus-Resumable, Upload-Checksum, Upload-Defer-Length, "
    + "Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override"
  static let exposedJournalFields =
    "Content-Disposition, Content-Range, ETag, Location, Retry-After, Tus-Checksum-Algorithm, Tus-Extension, "
    + "Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Defer-Length, Upload-Expires, Upload-Length, "
    + "Upload-Metadata, Upload-Offset"
  /// Nothing that somebody uploaded does anything in a browser.
  private static let contentSecurityPolicy = "sandbox; default-src 'none'"

  /// What a request below a session's attachments will get.
  func planJournal(
    for head: RequestHead, of id: SessionID, _ attachment: UUID?, from client: ForwardedClient
  ) -> HTTPConversation.Plan {
    do throws(Refusal) {
      switch (Tus.method(of: head), attachment) {
      case (.post, nil):
        return .upload(try upload(UploadRequest(creating: head, limits: shared.limits), to: id, from: client))
      case (.patch, let attachment?):
        return .upload(
          try upload(UploadRequest(resuming: attachment, head, limits: shared.limits), to: id, from: client))
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
    _ request: UploadRequest, to id: SessionID, from client: ForwardedClient
  ) throws(Refusal) -> UploadExchange {
    guard !shared.isDraining else { throw .restarting }
    return UploadExchange(request, from: client.countedAddress, session: id, owner: shared.owner(of: id))
  }

  /// The most time that a request waits until its content is verified.
  private static let contentCheckTime = Duration.seconds(300)

  /// Has the owner of a session answer for its journal.
  func askJournal(
    _ request: JournalRequest, of id: SessionID, _ connection: Connection, _ http: HTTPConversation,
    _ head: RequestHead
  ) {
    http.awaitsAnswer = true
    if case .read = request { connection.deadline = now + Self.contentCheckTime }
    let (owner, key) = (shared.owner(of: id), connection.key)
    Task {
      switch request {
      case .list: list(await owner.attachments(of: id), to: key, head)
      case .status(let attachment): deliver(await owner.uploadStatus(attachment, of: id), to: key, head)
      case .remove(let attachment, let token, let address):
        deliver(await owner.removeAttachment(attachment, of: id, by: token, from: address), to: key, head)
      case .read(let attachment, let client):
        await read(attachment, of: id, owner, for: client, to: key, head)
      }
    }
  }

  private func list(
    _ found: Result<[AttachmentObject], Refusal>, to key: Connection.Key, _ head: RequestHead
  ) {
    switch found {
    case .failure(let refusal):
      deliver(.problem(refusal), to: key, head)
    case .success(let attachments):
      var answer = Answer(.ok, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"])
      let isChunked = head.minorVersion >= 1
      answer.hasUnknownLength = true
      if isChunked { answer.head.fields.append("Transfer-Encoding", "chunked") }
      deliver(answer, to: key, head, body: .list(AttachmentListBody(attachments, isChunked: isChunked)))
    }
  }

  /// Opens a content and sends it, or what of it is asked for.
  private func read(
    _ attachment: UUID, of id: SessionID, _ owner: Reactor, for client: IPAddress?, to key: Connection.Key,
    _ head: RequestHead
  ) async {
    do throws(Refusal) {
      let grant = try await owner.findContent(attachment, of: id).get()
      guard let reader = try await openIntact(grant, owner, for: client, to: key) else { return }
      let found = content(grant, for: head)
      let body = found.range.isEmpty ? nil : FileTransfer(reader, found.range)
      deliver(found.answer, to: key, head, body: body.map { .file($0) })
    } catch {
      deliver(.problem(error), to: key, head)
    }
  }

  /// Opens a content that is known to be intact; one without a verdict is verified first.
  ///
  /// No byte of a content is sent before that, because a cache may keep the answer under the content's digest for a year.
  /// - Returns: nil when the connection is gone.
  private func openIntact(
    _ grant: ContentGrant, _ owner: Reactor, for client: IPAddress?, to key: Connection.Key
  ) async throws(Refusal) -> ContentReader? {
    var wasVerified = false
    while true {
      do {
        guard let (reader, mark) = try await openContent(grant, to: key) else { return nil }
        if wasVerified, mark?.length == grant.size { return reader }
        switch shared.verdicts.verdict(on: grant.content, mark) {
        case .intact: return reader
        case .damaged: throw .damagedAttachment
        case nil: break
        }
      }
      // No file is open while the check waits for its turn.
      switch await shared.verifier.verify(grant.content, size: grant.size, for: client) {
      case .intact: wasVerified = true
      case .damaged(let finding):
        if let refusal = await owner.noteDamaged(finding, grant) { throw refusal }
      case .unreadable(let error): throw unreadable(error)
      case .refused(let refusal): throw refusal
      }
    }
  }

  /// Opens the file of a content.
  ///
  /// - Returns: the reader and the mark of the file, without a mark when the file is missing; nil when the connection is gone.
  private func openContent(
    _ grant: ContentGrant, to key: Connection.Key
  ) async throws(Refusal) -> (reader: ContentReader, mark: ContentMark?)? {
    guard let connection = connections[key] else { return nil }
    let socket = connection.tls == nil ? connection.socket.duplicate() : nil
    guard connection.isSecure || socket != nil else { throw .outOfDescriptors }
    let reader = ContentReader(
      grant.content.digest, in: shared.data.attachments(of: grant.content.session), sendingTo: socket,
      on: shared.fileThreads.nextTransfer())
    do throws(StorageError) {
      return (reader, try await reader.open())
    } catch {
      guard error.isMissing else { throw unreadable(error) }
      return (reader, nil)
    }
  }

  /// The head of the answer, and which bytes of the content follow it.
  private func content(
    _ grant: ContentGrant, for head: RequestHead
  ) -> (answer: Answer, range: Range<UInt64>) {
    let name = grant.object.name
    // What a browser would run, or might take for something that it runs, is only ever saved.
    let type = MediaType(parsing: grant.object.contentType)
    let picture = type.flatMap { $0.isSafeImage ? $0.essence : nil }
    let reply = RepresentationAnswer(
      to: head,
      with: Representation(
        length: Int(grant.size), entityTag: EntityTag(grant.content.digest), lastModified: nil),
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
      var refusal = Refusal(.badRequest, "The attachment has no such bytes.", limit: Int(grant.size))
      refusal.status = 416
      var answer = Answer.problem(refusal)
      answer.head.fields.append("Content-Range", contentRange)
      return (answer, 0..<0)
    }
  }

  /// What every answer below a session's attachments carries.
  func addJournalFields(to answer: inout Answer, for head: RequestHead?) {
    answer.head.fields.set("Content-Security-Policy", Self.contentSecurityPolicy)
    guard let head, Tus.isSpoken(in: head) else { return }
    answer.head.fields.set("Tus-Resumable", Tus.version)
    if answer.head.status.code == 412 { answer.head.fields.set("Tus-Version", Tus.version) }
  }
}

extension Refusal {
  static var ended: Refusal {
    Refusal(.ended, "This session has ended.")
  }

  static var restarting: Refusal {
    var refusal = Refusal(.unavailable, "The gateway is about to restart: try again in a moment.")
    refusal.retryAfterMs = 2000
    return refusal
  }

  static var damagedAttachment: Refusal {
    var refusal = Refusal(
      .internal, "The attachment was damaged on the gateway's disk and cannot be loaded.")
    refusal.damaged = true
    return refusal
  }

  static var outOfDescriptors: Refusal {
    var refusal = Refusal(
      .unavailable, "The gateway has as many files open as it may: try again in a moment.")
    refusal.retryAfterMs = 2000
    return refusal
  }

  /// The time after which a client may retry an upload that got no slot, or lost it.
  static let uploadRetryMs: UInt64 = 2000

  static func tooManyUploads(_ words: String, _ limit: Int, _ actual: Int) -> Refusal {
    var refusal = Refusal(.tooMany, "\(words): try again in a moment.", limit: limit, actual: actual)
    refusal.retryAfterMs = uploadRetryMs
    return refusal
  }
}
