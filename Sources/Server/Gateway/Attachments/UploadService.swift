internal import FoundationEssentials
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// Writes the bodies of uploads to files, for the sessions of one reactor. Passes one buffer at a time from the socket to a file
/// actor.
///
/// While one buffer of an upload is written, the next buffer is filled. When the next buffer is also full, the gateway stops
/// reading from the socket.
final class UploadService: SessionUploads {
  /// The minimum interval between two progress reports of an upload to its session. The session informs its members less often.
  private static let progressInterval = Duration.milliseconds(100)

  /// Performs an action on the connection of an upload. Called only while the upload is connected.
  var perform: (UploadEffect, Connection.Key) -> Void = { _, _ in }
  /// Called when an upload has changed a session, so that the reactor stores and sends the changes.
  var didChange: (SessionID) -> Void = { _ in }
  /// True after a drain has begun: interrupted uploads are then logged as stopped.
  var isStopping = false

  let environment: Environment
  let persister: Persister
  let logger: GatewayLogger
  let counters: ReactorCounters
  let tasks: LoopTasks
  let pendingAttachments = PendingAttachments()
  private let reactor: Int
  private let clock: LoopClock
  /// The uploads that have a slot in `environment.table`, by slot.
  private var uploads: [UploadTable.ID: Upload] = [:]
  /// The time of the last log line about a nearly full disk.
  private var diskWarnedAt: MonotonicTime?

  init(
    _ environment: Environment, reactor: Int, clock: LoopClock, tasks: LoopTasks, persister: Persister,
    logger: GatewayLogger, counters: ReactorCounters
  ) {
    self.environment = environment
    self.reactor = reactor
    self.clock = clock
    self.tasks = tasks
    self.persister = persister
    self.logger = logger
    self.counters = counters
  }

  var now: MonotonicTime { clock.now }
  var limits: Limits { environment.limits }

  // MARK: - The body of a request

  /// Takes a slot for an upload.
  ///
  /// - Parameters:
  ///   - upload: the upload. If it gets no slot, it is refused and its state is `over`.
  ///   - evict: asks the reactor of another upload to end that upload; returns false if that reactor cannot be asked.
  /// - Returns: true if the upload has got a slot. In this case, the caller calls `open` next.
  func admit(_ upload: Upload, evict: (UploadTable.Eviction) -> Bool) -> Bool {
    switch environment.table.admit(from: upload.countedAddress, on: reactor, now: now, evict: evict) {
    case .admitted(let slot):
      upload.slot = slot
      uploads[slot] = upload
    case .refused(let refusal):
      logger.log(
        .refused(.upload, .tooMany, EventSubject(session: upload.session, address: upload.clientAddress)))
      upload.state = .over
      perform(.refuse(.problem(refusal)), upload.connection)
      return false
    }
    counters.values.uploads += 1
    if environment.table.count <= min(Upload.few, limits.uploads / 8) {
      upload.pendingLimit = Upload.fewPendingBytes
    }
    return true
  }

  /// Opens an upload: either gives the upload a lease and starts to read its body, or answers its request.
  func open(_ upload: Upload, in found: Result<SessionHost, Refusal>) async {
    do throws(Refusal) {
      let hosted = try found.get()
      hosted.tasksInHand += 1
      defer { done(with: hosted) }
      opened(upload, try await lease(upload, in: hosted))
    } catch {
      logger.log(
        .refused(.upload, error.code, EventSubject(session: upload.session, address: upload.clientAddress)))
      release(upload)
      upload.state = .over
      let bodyLength = upload.request.bodyLength ?? .max
      if bodyLength > UInt64(environment.droppedBodyBytes) {
        refuse(upload, .problem(error))
      } else {
        dropBody(of: upload, .problem(error))
      }
    }
  }

  private func opened(_ upload: Upload, _ opening: UploadOpening) {
    switch opening {
    case .repeated(let answer):
      release(upload)
      dropBody(of: upload, answer)
    case .lease(let lease):
      upload.state = .streaming(lease)
      upload.attachment = lease.attachment
      upload.written = lease.offset
      upload.reserved = lease.size ?? lease.offset
      logStart(of: upload, lease)
      guard upload.isConnected else { return disconnect(upload) }
      if let slot = upload.slot { environment.table.resumeRate(of: slot, at: now) }
      // A chunk that announces too many bytes is refused before its bytes arrive.
      perform(.readBody(limit: lease.end(limit: limits.attachmentBytes) - lease.offset), upload.connection)
    }
  }

  private func dropBody(of upload: Upload, _ answer: Answer) {
    upload.state = .answered(answer)
    if upload.isConnected { perform(.dropBody(answer), upload.connection) }
  }

  /// Receives bytes of the body from the connection.
  func receive(_ bytes: ArraySlice<UInt8>, of upload: Upload) {
    if case .streaming = upload.state { upload.buffer.append(bytes) }
    received(bytes.count, of: upload)
  }

  /// Handles bytes of the body that are already in the buffer of the upload.
  func received(_ count: Int, of upload: Upload) {
    upload.received += UInt64(count)
    guard case .streaming(let lease) = upload.state else { return }
    if let slot = upload.slot { environment.table.add(count, to: slot, at: now) }
    write(upload, lease)
    if upload.isHoldingBody {
      pauseRate(of: upload)
      perform(.awaitDisk, upload.connection)
    }
  }

  /// Continues an upload after the last byte of its body was received.
  func bodyEnded(of upload: Upload) {
    switch upload.state {
    case .answered(let answer):
      upload.state = .over
      perform(.answer(answer), upload.connection)
    case .streaming(let lease):
      upload.hasWholeBody = true
      pauseRate(of: upload)
      perform(.awaitAnswer, upload.connection)
      write(upload, lease)
    case .opening, .finishing, .leaving, .over:
      break
    }
  }

  /// Starts to write the pending bytes. If there are none and the body is complete, finishes the upload.
  private func write(_ upload: Upload, _ lease: UploadLease) {
    guard !upload.isWriting else { return }
    if upload.buffer.isEmpty {
      guard upload.hasWholeBody else { return }
      upload.state = .finishing(lease)
      func finish() async {
        finished(upload, await answer(to: upload, lease))
      }
      tasks.start(finish)
      return
    }
    upload.isWriting = true
    upload.buffer.beginWriting()
    func append() async {
      do throws(Refusal) {
        try await writeBuffer(of: upload, lease)
        wrote(upload)
      } catch {
        failed(upload, error)
      }
    }
    tasks.start(append)
  }

  private func writeBuffer(of upload: Upload, _ lease: UploadLease) async throws(Refusal) {
    defer { upload.buffer.endWriting() }
    let count = UInt64(upload.buffer.writing.count)
    let end = upload.written + count
    if end > upload.reserved { upload.reserved = try reserve(lease, upTo: end) }
    do throws(UploadError) {
      upload.written = try await lease.pending.file.append(
        upload.buffer.writing, fencingToken: lease.fencingToken)
    } catch {
      throw refusal(for: error, of: lease)
    }
    counters.values.uploadedBytes += count
    let time = MonotonicTime.now()
    if upload.reportedAt.map({ time - $0 >= Self.progressInterval }) ?? true {
      upload.reportedAt = time
      moved(lease, to: upload.written)
    }
  }

  private func wrote(_ upload: Upload) {
    upload.isWriting = false
    switch upload.state {
    case .leaving(let lease):
      leave(upload, lease)
    case .streaming(let lease):
      write(upload, lease)
      if upload.hasWholeBody || upload.isHoldingBody {
        perform(.awaitDisk, upload.connection)
      } else {
        if let slot = upload.slot { environment.table.resumeRate(of: slot, at: now) }
        perform(.resumeBody, upload.connection)
      }
    case .opening, .answered, .finishing, .over:
      break
    }
  }

  private func failed(_ upload: Upload, _ refusal: Refusal) {
    upload.isWriting = false
    logFailure(of: upload, refusal.code)
    upload.buffer.dropWaiting()
    if case .leaving(let lease) = upload.state { return leave(upload, lease) }
    refuse(upload, .problem(refusal))
  }

  private func finished(_ upload: Upload, _ answer: Answer) {
    release(upload)
    upload.state = .over
    if upload.isConnected { perform(.answer(answer), upload.connection) }
  }

  /// Sends an answer before the body is complete, and closes the connection.
  func refuse(_ upload: Upload, _ answer: Answer) {
    if upload.isConnected { perform(.refuse(answer), upload.connection) }
  }

  // MARK: - The end of an upload

  /// Detaches an upload from its connection, which has closed or sends a response. The received bytes of a resumable upload are
  /// still written. An upload that waits for its lease or is being completed continues without the connection.
  func disconnect(_ upload: Upload) {
    upload.isConnected = false
    guard case .streaming(let lease) = upload.state else { return }
    release(upload)
    if !upload.request.isTus { upload.buffer.dropWaiting() }
    upload.state = .leaving(lease)
    logCut(of: upload)
    if !upload.isWriting { leave(upload, lease) }
  }

  private func leave(_ upload: Upload, _ lease: UploadLease) {
    upload.buffer.beginWriting()
    func leave() async {
      if !upload.buffer.writing.isEmpty {
        do throws(Refusal) {
          try await writeBuffer(of: upload, lease)
        } catch {
          logFailure(of: upload, error.code)
        }
      }
      await end(lease, of: upload)
      upload.state = .over
    }
    tasks.start(leave)
  }

  /// Ends an upload whose lease was given to another upload, or whose attachment was removed.
  ///
  /// - Parameters:
  ///   - upload: the upload.
  ///   - refusal: the refusal to send to the client; nil to close the connection.
  func supersede(_ upload: Upload, telling refusal: Refusal?) {
    guard upload.isConnected, upload.lease != nil else { return }
    release(upload)
    upload.state = .over
    perform(refusal.map { .refuse(.problem($0)) } ?? .close, upload.connection)
  }

  /// Ends a slow upload, because its slot was given to another upload.
  func endSlowUpload(_ evicted: UploadTable.Eviction) {
    guard let upload = uploads[evicted.id], upload.isConnected, case .streaming = upload.state,
      !upload.hasWholeBody
    else { return }
    let least = limits.minimumBodyBytesPerSecond
    var refusal = Refusal(
      .tooMany,
      "This upload lost its slot: \(evicted.slots.description), and its body arrived at \(evicted.rate) bytes a second."
        + " When no slot is free, the minimum is \(least) bytes a second (minimumBodyBytesPerSecond).",
      limit: least, actual: evicted.rate)
    refusal.status = 408
    refusal.retryAfterMs = Refusal.uploadRetryMs
    upload.cutCause = .slow
    refuse(upload, .problem(refusal))
  }

  /// Releases the slot of an upload, if the upload has one.
  private func release(_ upload: Upload) {
    guard let slot = upload.slot else { return }
    upload.slot = nil
    uploads[slot] = nil
    environment.table.release(slot)
    counters.values.uploads -= 1
  }

  private func pauseRate(of upload: Upload) {
    if let slot = upload.slot { environment.table.pauseRate(of: slot, at: now) }
  }

  // MARK: - The session

  /// Reports that a task of a session has ended. The session stays in memory while it has tasks.
  func done(with hosted: SessionHost) {
    hosted.tasksInHand -= 1
    changed(hosted)
  }

  /// Reports a change of a session.
  func changed(_ hosted: SessionHost) {
    if !hosted.isRemoved { didChange(hosted.id) }
  }

  /// Logs an error about the disk or the file, but not an error that a client caused.
  ///
  /// - Returns: the refusal to send to the client.
  func logged(_ error: UploadError) -> Refusal {
    switch error {
    case .storage(let error):
      environment.log(.error, "upload not written", ["reason": "\(error)"])
    case .reserve(let free, let reserve):
      // This warning is logged once a minute at most, so that repeated requests do not fill the rest of the disk with log lines.
      guard diskWarnedAt.map({ now - $0 >= .seconds(60) }) ?? true else { break }
      diskWarnedAt = now
      environment.log(
        .warning, "disk nearly full",
        ["free": .number(free), "reserve": .number(reserve), "limit": "diskReserveBytes"])
    case .superseded, .finished, .removed, .offset, .checksum: break
    }
    return error.refusal
  }
}
