internal import FoundationEssentials
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// The handler of a connection over which `DownloadService` sends files.
protocol DownloadHandler: ConnectionHandler {
  /// The file that is being sent.
  var transfer: FileTransfer? { get }
}

/// Sends the contents of attachments over the connections of one reactor. File threads read the contents, at the pace at which
/// the sockets accept bytes.
///
/// The content of an attachment is sent only after it has been verified.
final class DownloadService {
  /// The values and components that the download services of all reactors share.
  struct Environment: Sendable {
    let limits: Limits
    let attachments: any AttachmentStore
    let verdicts: ContentVerdicts
    let verifier: ContentVerifier
    let log: Log
    /// Returns the file thread for the next transfer.
    let nextThread: @Sendable () -> BlockingExecutor
  }

  /// The content of a completely uploaded attachment.
  struct ReadableContent {
    let object: AttachmentObject
    let content: ContentID
    /// The size of the content in bytes.
    let size: UInt64
  }

  /// The state of a transfer after a call of `pump`.
  enum TransferState {
    case done
    /// The transfer can send more bytes immediately: call `pump` again.
    case ready
    /// The transfer waits for the socket or for the file thread.
    case waiting
  }

  private let environment: Environment
  private let io: ConnectionIO
  private let sessions: SessionTable
  private let clock: LoopClock
  private let tasks: LoopTasks
  private let counters: ReactorCounters

  init(
    _ environment: Environment, _ io: ConnectionIO, _ sessions: SessionTable, clock: LoopClock,
    tasks: LoopTasks,
    counters: ReactorCounters
  ) {
    self.environment = environment
    self.io = io
    self.sessions = sessions
    self.clock = clock
    self.tasks = tasks
    self.counters = counters
  }

  // MARK: - Contents

  /// Returns the attachments of a session, for the list that a client requests. For an attachment with a damaged file, `damaged`
  /// is true.
  func attachments(of hosted: SessionHost) -> [AttachmentObject] {
    hosted.session.attachmentObjects.map { object in
      var object = object
      if let digest = object.sha256,
        environment.verdicts.isDamaged(ContentID(session: hosted.id, digest: digest))
      {
        object.damaged = true
      }
      return object
    }
  }

  /// Returns the content of an attachment.
  ///
  /// - Throws: the refusal if there is no such attachment, or if the attachment is still being uploaded.
  func content(of attachment: UUID, in hosted: SessionHost) throws(Refusal) -> ReadableContent {
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    guard found.object.state == .ready, let digest = found.object.sha256, let size = found.object.size else {
      var refusal = Refusal(.notReady, "The attachment is still being uploaded.")
      refusal.offset = found.object.offset
      throw refusal
    }
    return ReadableContent(
      object: found.object, content: ContentID(session: hosted.id, digest: digest), size: size)
  }

  /// Opens the content of an attachment. If the content has no verdict, it is verified first.
  ///
  /// No byte of unverified content is sent, because caches may keep the response for a year, with the content's digest as its
  /// validator.
  ///
  /// - Parameters:
  ///   - readable: the content.
  ///   - client: the client's address; nil for this machine.
  ///   - key: the connection over which the content is sent.
  /// - Returns: the reader of the opened content; nil if the connection has closed.
  /// - Throws: the refusal if the content is damaged or cannot be read.
  func open(
    _ readable: ReadableContent, for client: IPAddress?, over key: Connection.Key
  ) async throws(Refusal) -> ContentReader? {
    var wasVerified = false
    while true {
      do {
        guard let (reader, mark) = try await openFile(readable, over: key) else { return nil }
        if wasVerified, mark?.length == readable.size { return reader }
        switch environment.verdicts.verdict(on: readable.content, mark) {
        case .intact: return reader
        case .damaged: throw .damagedAttachment
        case nil: break
        }
      }
      // While the content waits for its check, this request keeps no file open.
      switch await environment.verifier.verify(readable.content, size: readable.size, for: client) {
      case .intact: wasVerified = true
      case .damaged(let finding):
        if let refusal = markDamaged(finding, readable) { throw refusal }
      case .unreadable(let error): throw unreadable(error)
      case .refused(let refusal): throw refusal
      }
    }
  }

  /// Returns a reader of content that is open already; nil if the connection has closed.
  func reader(of content: any StoredContent, over key: Connection.Key) throws(Refusal) -> ContentReader? {
    guard let connection = io.table[key] else { return nil }
    let socket = connection.tls == nil ? connection.socket.duplicate() : nil
    guard connection.isSecure || socket != nil else { throw .outOfDescriptors }
    return ContentReader(reading: content, sendingTo: socket, on: environment.nextThread())
  }

  /// Opens the file with the content of an attachment.
  ///
  /// - Returns: the reader, and the `ContentMark` of the file (nil if the file is missing); nil instead of both if the connection
  ///   has closed.
  private func openFile(
    _ readable: ReadableContent, over key: Connection.Key
  ) async throws(Refusal) -> (reader: ContentReader, mark: ContentMark?)? {
    guard let connection = io.table[key] else { return nil }
    let socket = connection.tls == nil ? connection.socket.duplicate() : nil
    guard connection.isSecure || socket != nil else { throw .outOfDescriptors }
    let reader = ContentReader(
      readable.content, in: environment.attachments, sendingTo: socket, on: environment.nextThread())
    do throws(StorageError) {
      return (reader, try await reader.open())
    } catch {
      guard error.isMissing else { throw unreadable(error) }
      return (reader, nil)
    }
  }

  /// Records and logs that the content of an attachment is damaged.
  ///
  /// - Returns: the refusal to send to the client; nil if another check has given the content a new verdict in the meantime, so
  ///   that the content must be checked again.
  private func markDamaged(_ finding: ContentFinding, _ readable: ReadableContent) -> Refusal? {
    let id = readable.content.session
    // A missing file is no damage if its attachment was removed during the check.
    guard let hosted = sessions[id] ?? sessions.endedSessionCache[id],
      hosted.session.attachment(readable.object.id)?.object.sha256 == readable.content.digest
    else { return .noAttachment }
    switch environment.verdicts.noteDamaged(readable.content, finding) {
    case .superseded: return nil
    case .known: break
    case .noted:
      environment.log(
        .error, "attachment damaged",
        [
          "session": .session(id), "attachment": "\(readable.object.id)", "reason": "\(finding.damage)",
        ])
    }
    return .damagedAttachment
  }

  /// Logs that the content of an attachment could not be read.
  ///
  /// - Returns: the refusal to send to the client.
  private func unreadable(_ error: StorageError) -> Refusal {
    environment.log(.error, "attachment not read", ["reason": "\(error)"])
    return error.isOutOfDescriptors
      ? .outOfDescriptors : Refusal(.internal, "The attachment could not be read.")
  }

  // MARK: - Transfers

  /// Sends as many of the file's next bytes as the socket accepts. If the result is `waiting`, the handler's `continueWriting` is
  /// called when more bytes can be sent.
  func pump(_ transfer: FileTransfer, over connection: Connection) -> TransferState {
    guard !transfer.range.isEmpty else { return .done }
    return connection.tls == nil
      ? sendSlice(of: transfer, connection) : encryptPiece(of: transfer, connection)
  }

  /// Returns the connection of a transfer and its handler; nil if the connection has closed, or does not send this transfer any
  /// more.
  private func handler(of transfer: FileTransfer, _ key: Connection.Key) -> (Connection, any DownloadHandler)?
  {
    guard let connection = io.table[key], let handler = connection.handler as? any DownloadHandler,
      handler.transfer === transfer
    else { return nil }
    return (connection, handler)
  }

  /// Aborts the connection of a download after a read error. An error response is impossible, because the head of the response
  /// was sent already.
  private func abort(_ connection: Connection, _ error: StorageError) {
    environment.log(.error, "attachment not read", ["reason": "\(error)"])
    io.abort(connection, reason: "\(error)")
  }

  private func extendDeadline(of connection: Connection) {
    connection.deadline = clock.now + .seconds(environment.limits.bodyStallSeconds)
  }

  // MARK: - Without TLS

  private func sendSlice(of transfer: FileTransfer, _ connection: Connection) -> TransferState {
    guard !transfer.isSending, !connection.isWriteBlocked, !connection.hasPendingWrites else {
      return .waiting
    }
    transfer.isSending = true
    transfer.becameWritable = false
    let count = Int(min(UInt64(FileTransfer.sliceBytes), UInt64(transfer.range.count)))
    let key = connection.key
    func send() async {
      let outcome = await transfer.reader.send(at: transfer.range.lowerBound, count: count)
      sent(outcome, of: count, transfer, key)
    }
    tasks.start(send)
    return .waiting
  }

  private func sent(_ outcome: SendOutcome, of count: Int, _ transfer: FileTransfer, _ key: Connection.Key) {
    transfer.isSending = false
    counters.values.sendCalls += 1
    guard let (connection, handler) = handler(of: transfer, key) else { return }
    switch outcome {
    case .sent(let taken):
      counters.values.bytesSent += UInt64(taken)
      transfer.range = transfer.range.lowerBound + UInt64(taken)..<transfer.range.upperBound
      extendDeadline(of: connection)
      connection.isWriteBlocked = taken < count && !transfer.becameWritable
    case .wouldBlock:
      connection.isWriteBlocked = !transfer.becameWritable
    case .failed(let error):
      io.abort(connection, reason: "\(error)")
      return
    case .unreadable(let error):
      abort(connection, error)
      return
    }
    handler.continueWriting()
  }

  // MARK: - With TLS

  private func encryptPiece(of transfer: FileTransfer, _ connection: Connection) -> TransferState {
    if transfer.pieceRange.isEmpty {
      guard let next = transfer.nextPiece else {
        readPiece(of: transfer, connection.key)
        return .waiting
      }
      transfer.nextPiece = nil
      transfer.piece = next
      transfer.pieceRange = 0..<next.count
    }
    if !io.counts.isMemoryTight { readPiece(of: transfer, connection.key) }
    let taken = io.write(transfer.piece, transfer.pieceRange, on: connection)
    guard taken > 0 else { return .waiting }
    extendDeadline(of: connection)
    transfer.pieceRange = transfer.pieceRange.lowerBound + taken..<transfer.pieceRange.upperBound
    transfer.range = transfer.range.lowerBound + UInt64(taken)..<transfer.range.upperBound
    if transfer.pieceRange.isEmpty { transfer.piece = [] }
    io.updateBufferedBytes(of: connection)
    return transfer.range.isEmpty ? .done : .ready
  }

  /// Starts to read the next piece of the file, unless that piece is in memory or being read.
  private func readPiece(of transfer: FileTransfer, _ key: Connection.Key) {
    guard !transfer.isReading, transfer.nextPiece == nil, transfer.readUpTo < transfer.range.upperBound
    else { return }
    transfer.isReading = true
    let start = transfer.readUpTo
    let most = io.counts.isMemoryTight ? FileTransfer.smallPieceBytes : FileTransfer.pieceBytes
    let count = Int(min(UInt64(most), transfer.range.upperBound - start))
    transfer.readUpTo = start + UInt64(count)
    func read() async {
      let result: Result<[UInt8], StorageError>
      do throws(StorageError) {
        result = .success(try await transfer.reader.read(at: start, count: count))
      } catch {
        result = .failure(error)
      }
      self.read(result, of: transfer, key)
    }
    tasks.start(read)
  }

  private func read(_ result: Result<[UInt8], StorageError>, of transfer: FileTransfer, _ key: Connection.Key)
  {
    transfer.isReading = false
    guard let (connection, handler) = handler(of: transfer, key) else { return }
    switch result {
    case .success(let bytes):
      transfer.nextPiece = bytes
      io.updateBufferedBytes(of: connection)
      guard transfer.pieceRange.isEmpty else { return }
      handler.continueWriting()
    case .failure(let error):
      abort(connection, error)
    }
  }
}
