internal import Networking
internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Bodies that become attachments: from the socket, a buffer at a time, to a file thread.
///
/// At most one buffer is being written while the next one fills; when that is full too, nothing is read from the socket.
extension Reactor {
  /// How often a session hears how far an upload is; it tells its people less often.
  private static let tellInterval = Duration.milliseconds(100)
  /// How long the disk may take for a buffer.
  private static let diskTime = Duration.seconds(60)

  /// Asks the session's owner for a place for the body that is about to come.
  func startUpload(_ connection: Connection, _ http: HTTPConversation, _ upload: UploadExchange) {
    http.reader.bodyLimit = .max
    connection.deadline = now + Self.diskTime
    let key = connection.key
    upload.clientAddress = connection.clientAddress
    let place = UploadTable.Place(reactor: number, connection: key)
    switch shared.uploads.admit(
      from: upload.countedAddress, at: place, now: now, evict: { shared.evict($0) })
    {
    case .admitted(let id):
      upload.id = id
    case .refused(let refusal):
      logger.log(
        .refused(
          .upload, .tooMany, EventSubject(session: upload.session, address: connection.clientAddress)))
      upload.phase = .over
      refuse(.problem(refusal), connection, http)
      return
    }
    counters.values.uploads += 1
    if shared.uploads.count <= min(UploadExchange.few, shared.limits.uploads / 8) {
      upload.pendingLimit = UploadExchange.fewPendingBytes
    }
    let holder = UploadHolder(reactor: self, connection: key, client: connection.clientAddress)
    Task {
      let start = await upload.owner.startUpload(upload.request, of: upload.session, by: holder)
      uploadStarted(key, upload, start)
    }
  }

  private func uploadStarted(_ key: Connection.Key, _ upload: UploadExchange, _ start: UploadStart) {
    let found = conversation(key, with: upload)
    switch start {
    case .refused(let answer):
      end(upload)
      guard let (connection, http) = found else { return }
      if http.exchange.map({ Self.isLong($0.head.body) }) ?? true {
        refuse(answer, connection, http)
      } else {
        answerAfterBody(answer, connection, http, upload)
      }
    case .repeated(let answer):
      end(upload)
      if let (connection, http) = found { answerAfterBody(answer, connection, http, upload) }
    case .granted(let grant):
      upload.phase = .streaming(grant)
      upload.written = grant.offset
      upload.reserved = grant.size ?? grant.offset
      logStart(of: upload, grant)
      guard let (connection, http) = found else { return cut(upload) }
      // A chunk that announces more is refused before its bytes come.
      http.reader.bodyLimit = Int(clamping: Self.end(of: grant, shared.limits) - grant.offset)
      if http.exchange?.head.expectsContinue == true {
        send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: connection, http)
      }
      shared.uploads.resumeRate(of: upload.id, at: now)
      resumeBody(connection)
    }
  }

  /// The body is not wanted: it is read to its end, so that the connection can go on, or not begun.
  private func answerAfterBody(
    _ answer: Answer, _ connection: Connection, _ http: HTTPConversation, _ upload: UploadExchange
  ) {
    upload.phase = .answered(answer)
    // After its answer, no more than this is read of a request.
    http.reader.bodyLimit = shared.limits.attachmentBytes
    if let head = http.exchange?.head, head.expectsContinue {
      http.closesAfterOutput = true
      send(answer, on: connection, http, for: head)
    } else {
      resumeBody(connection)
    }
  }

  /// Takes bytes of the body.
  func receive(
    _ bytes: ArraySlice<UInt8>, of upload: UploadExchange, _ connection: Connection, _ http: HTTPConversation
  ) {
    upload.received += UInt64(bytes.count)
    guard case .streaming = upload.phase else { return }
    shared.uploads.add(bytes.count, to: upload.id, at: now)
    upload.pending.append(contentsOf: bytes)
    write(connection.key, upload)
    if upload.isHoldingBody {
      shared.uploads.pauseRate(of: upload.id, at: now)
      connection.deadline = now + Self.diskTime
    }
  }

  /// Returns the offset at which an upload ends: its announced size, or the size of the largest attachment.
  private static func end(of grant: UploadGrant, _ limits: Limits) -> UInt64 {
    max(grant.offset, min(grant.size ?? .max, UInt64(clamping: limits.attachmentBytes)))
  }

  /// Refuses a body that has announced more bytes than its request may bring.
  func bodyIsTooLarge(
    _ announced: Int, for upload: UploadExchange, _ connection: Connection, _ http: HTTPConversation
  ) {
    switch upload.phase {
    case .answered(let answer):
      upload.phase = .over
      refuse(answer, connection, http)
    case .streaming(let grant):
      let (sum, isTooLarge) = grant.offset.addingReportingOverflow(UInt64(clamping: announced))
      let end = isTooLarge ? .max : sum
      if let size = grant.size {
        fail(upload, .beyondLength(end, length: size), connection, http)
      } else {
        fail(upload, .tooLarge(atLeast: end, limit: shared.limits.attachmentBytes), connection, http)
      }
    case .asking, .over:
      // The body is not read in these phases.
      break
    }
  }

  /// The body is whole.
  func bodyEnded(of upload: UploadExchange, _ connection: Connection, _ http: HTTPConversation) {
    if case .answered(let answer) = upload.phase {
      upload.phase = .over
      send(answer, on: connection, http, for: http.exchange?.head)
      return
    }
    upload.hasWholeBody = true
    shared.uploads.pauseRate(of: upload.id, at: now)
    http.awaitsAnswer = true
    connection.deadline = now + Self.diskTime
    write(connection.key, upload)
  }

  /// Gives the file thread what has arrived; when that was all, brings the upload to its end.
  private func write(_ key: Connection.Key, _ upload: UploadExchange) {
    guard case .streaming(let grant) = upload.phase, !upload.isWriting, !upload.isFinishing else { return }
    if upload.pending.isEmpty {
      guard upload.hasWholeBody else { return }
      upload.isFinishing = true
      Task {
        let answer = await finish(upload, grant)
        uploadAnswered(key, upload, answer)
      }
      return
    }
    upload.isWriting = true
    let bytes = upload.takePending()
    Task {
      do throws(Refusal) {
        try await write(bytes, upload, grant)
        wrote(key, upload)
      } catch {
        failed(key, upload, error)
      }
    }
  }

  private func write(
    _ bytes: [UInt8], _ upload: UploadExchange, _ grant: UploadGrant
  ) async throws(Refusal) {
    let end = upload.written + UInt64(bytes.count)
    if end > upload.reserved {
      upload.reserved = try await upload.owner.reserveUpload(grant, of: upload.session, upTo: end)
    }
    do throws(UploadWriter.Fault) {
      upload.written = try await grant.writer.append(bytes, turn: grant.turn)
    } catch {
      throw await upload.owner.refusal(for: error, of: grant, in: upload.session)
    }
    counters.values.uploadedBytes += UInt64(bytes.count)
    let time = MonotonicTime.now()
    if upload.toldAt.map({ time - $0 >= Self.tellInterval }) ?? true {
      upload.toldAt = time
      await upload.owner.uploadMoved(grant, of: upload.session, to: upload.written)
    }
  }

  private func wrote(_ key: Connection.Key, _ upload: UploadExchange) {
    upload.isWriting = false
    if let grant = upload.cutGrant { return leave(upload, grant) }
    guard let (connection, _) = conversation(key, with: upload) else { return }
    write(key, upload)
    if upload.hasWholeBody || upload.isHoldingBody {
      connection.deadline = now + Self.diskTime
    } else {
      shared.uploads.resumeRate(of: upload.id, at: now)
      resumeBody(connection)
    }
  }

  private func failed(_ key: Connection.Key, _ upload: UploadExchange, _ refusal: Refusal) {
    upload.isWriting = false
    logFailure(of: upload, grant: upload.cutGrant, refusal.code)
    upload.pending = []
    if let grant = upload.cutGrant { return leave(upload, grant) }
    guard let (connection, http) = conversation(key, with: upload) else { return }
    refuse(.problem(refusal), connection, http)
  }

  /// All bytes of the request are in the file.
  private func finish(_ upload: UploadExchange, _ grant: UploadGrant) async -> Answer {
    let (owner, id, request) = (upload.owner, upload.session, upload.request)
    do throws(UploadWriter.Fault) {
      let size = request.isTus ? grant.size : upload.written
      let offset = try await grant.writer.endPiece(turn: grant.turn, size: size)
      if request.isTus, offset != grant.size {
        return await owner.uploadPieceEnded(grant, of: id, by: request, at: offset)
      }
      let digest = try await grant.writer.finish(turn: grant.turn)
      if case .create(let creation) = request.kind, let wanted = creation.sha256, wanted != digest {
        logFailure(of: upload, grant: grant, .digestMismatch)
      }
      return await owner.completeUpload(grant, of: id, by: request, sha256: digest, size: offset)
    } catch {
      let refusal = await owner.refusal(for: error, of: grant, in: id)
      if case .checksum = error, case .create = request.kind {
        await owner.rejectCreation(grant, of: id)
      } else if case .checksum(let offset) = error {
        _ = await owner.uploadPieceEnded(grant, of: id, by: request, at: offset)
      } else {
        await owner.uploadCut(grant, of: id, by: request)
      }
      logFailure(of: upload, grant: grant, refusal.code)
      return .problem(refusal)
    }
  }

  private func uploadAnswered(_ key: Connection.Key, _ upload: UploadExchange, _ answer: Answer) {
    let found = conversation(key, with: upload)
    end(upload)
    guard let (connection, http) = found else { return }
    send(answer, on: connection, http, for: http.exchange?.head)
  }

  /// What comes is not taken.
  private func fail(
    _ upload: UploadExchange, _ refusal: Refusal, _ connection: Connection, _ http: HTTPConversation
  ) {
    logFailure(of: upload, grant: nil, refusal.code)
    refuse(.problem(refusal), connection, http)
  }

  /// Answers before the body is whole: what still comes of it is read a little and dropped.
  private func refuse(_ answer: Answer, _ connection: Connection, _ http: HTTPConversation) {
    http.closesAfterOutput = true
    http.lingersLong = true
    send(answer, on: connection, http, for: http.exchange?.head)
  }

  // MARK: - The end of an upload

  /// The request is over before its end: what had arrived is still written, for uploads that go on later.
  func cut(_ upload: UploadExchange) {
    // While a place is asked for, the answer is waited for; and once all is there, it goes to its end without the client.
    guard case .streaming(let grant) = upload.phase, !upload.isFinishing else { return }
    end(upload)
    if !upload.request.isTus { upload.pending = [] }
    upload.cutGrant = grant
    logCut(of: upload, grant)
    if !upload.isWriting { leave(upload, grant) }
  }

  private func leave(_ upload: UploadExchange, _ grant: UploadGrant) {
    let rest = upload.takePending()
    Task {
      if !rest.isEmpty {
        do throws(Refusal) {
          try await write(rest, upload, grant)
        } catch {
          logFailure(of: upload, grant: grant, error.code)
        }
      }
      await upload.owner.uploadCut(grant, of: upload.session, by: upload.request)
    }
  }

  /// Somebody else writes, or the attachment is gone: ends the request of whoever wrote.
  func cutUpload(
    _ key: Connection.Key, of writer: UploadWriter, turn: UInt64, telling refusal: Refusal?
  ) {
    guard let connection = connections[key], case .http(let http) = connection.state,
      case .upload(let upload)? = http.exchange?.plan, case .streaming(let grant) = upload.phase,
      grant.writer === writer, grant.turn == turn
    else { return }
    end(upload)
    if let refusal {
      refuse(.problem(refusal), connection, http)
    } else {
      close(connection)
    }
  }

  /// Ends an upload whose slot another upload has now.
  func endSlowUpload(_ evicted: UploadTable.Eviction) {
    guard let connection = connections[evicted.place.connection], case .http(let http) = connection.state,
      let upload = http.upload, upload.id == evicted.id, case .streaming = upload.phase, !upload.hasWholeBody
    else { return }
    let least = shared.limits.minimumBodyBytesPerSecond
    var refusal = Refusal(
      .tooMany,
      "This upload gave its slot to another one: \(evicted.slots.description), and its body came at \(evicted.rate) bytes a second."
        + " The minimum is then \(least) bytes a second (minimumBodyBytesPerSecond).",
      limit: least, actual: evicted.rate)
    refusal.status = 408
    refusal.retryAfterMs = Refusal.uploadRetryMs
    upload.cutCause = .slow
    refuse(.problem(refusal), connection, http)
  }

  /// Counts it out, once.
  private func end(_ upload: UploadExchange) {
    switch upload.phase {
    case .over, .answered: return
    case .asking, .streaming: break
    }
    upload.phase = .over
    shared.uploads.release(upload.id)
    counters.values.uploads -= 1
  }

  private func conversation(
    _ key: Connection.Key, with upload: UploadExchange
  ) -> (Connection, HTTPConversation)? {
    guard let connection = connections[key], case .http(let http) = connection.state,
      case .upload(let current)? = http.exchange?.plan, current === upload
    else { return nil }
    return (connection, http)
  }

  /// Goes on with a body that was held back.
  private func resumeBody(_ connection: Connection) {
    connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
    resumeReading(connection)
    guard !connection.hasHeldInput else { return }
    // What was held back may be no more than the end of the request, for which no byte is needed.
    var nothing: [UInt8] = []
    consume(connection, &nothing, from: 0, upTo: 0)
  }
}
