internal import HTTP
internal import Platform
internal import Networking
internal import Primitives
internal import Wire

/// A connection that speaks HTTP: one request at a time. While a request is answered, later requests stay in the kernel's buffer.
final class HTTPConnection {
  /// The number of pieces of a request's body that are handled in one step.
  private static let bodyPiecesPerStep = 1_024
  /// The maximum length of a body that is copied after the head of its answer, so that both are written with one call.
  private static let joinedBodyBytes = 16_384
  /// The number of parts of an answer that are written before other connections continue.
  private static let piecesPerPump = 4

  /// The state of reading requests. A transfer to another reactor includes this state.
  struct RequestState {
    var reader: RequestReader
    var exchange: HTTPExchange?
    /// The time at which the head of the current request was complete.
    var headReadAt = MonotonicTime.distantPast
    /// The current request, if its duration is measured: its kind, and the time at which its head was complete.
    var timed: (kind: RequestTimes.Kind, since: MonotonicTime)?
  }

  let connection: Connection
  let service: HTTPService
  var request: RequestState
  /// True while the answer is produced asynchronously.
  var awaitsAnswer = false
  private var output: [HTTPResponse.Output] = []
  /// True if the connection is closed after `output`.
  var closesAfterOutput = false
  /// True if a long body was refused while the client sends it: more of the body is read and discarded, so that the answer
  /// arrives.
  var lingersLong = false

  init(_ connection: Connection, _ service: HTTPService, _ request: RequestState) {
    self.connection = connection
    self.service = service
    self.request = request
  }

  var io: ConnectionIO { service.io }
  var now: MonotonicTime { service.now }
  var limits: Limits { service.limits }

  /// True until the connection closes, lingers, becomes a WebSocket or is transferred.
  var isActive: Bool { connection.handler === self }

  /// True until the kernel has the present answer. The connection is not read before.
  var isBusy: Bool {
    awaitsAnswer || !output.isEmpty || closesAfterOutput || (upload?.isHoldingBody ?? false)
  }

  /// The upload of the present request.
  var upload: Upload? {
    if case .upload(let upload)? = request.exchange?.plan { upload } else { nil }
  }

  // MARK: - Reading

  private func read(_ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    var position = start
    var pieces = 0
    while true {
      guard !isBusy, !connection.hasPendingWrites else {
        io.pauseReading(connection, buffer, from: position, upTo: end)
        return
      }
      let wasBetween = request.reader.isBetweenRequests
      if wasBetween, position > start, position < end, io.readQueue.isShareOver {
        io.deferInput(connection, buffer, from: position, upTo: end)
        return
      }
      let event: RequestReader.Event?
      do throws(MessageError) {
        event = try request.reader.next(in: buffer.span.extracting(0..<end), at: &position)
      } catch {
        refuse(error)
        return
      }
      if wasBetween, !request.reader.isBetweenRequests {
        connection.deadline = now + .seconds(limits.headSeconds)
      }
      switch event {
      case nil:
        if request.reader.isBetweenRequests, request.exchange == nil, connection.hasServed {
          connection.deadline = now + .seconds(limits.idleSeconds)
        }
        return
      case .head(let head):
        request.headReadAt = now
        begin(head, rest: buffer, from: position, upTo: end)
        guard readsBody(&buffer, from: position, upTo: end) else { return }
      case .body(let range):
        pieces += 1
        extendDeadline()
        switch request.exchange?.plan {
        case .createSession: request.exchange?.body.append(contentsOf: buffer[range])
        case .upload(let upload): service.uploads.receive(buffer[range], of: upload)
        case .answer, .session, .attachments, .metrics, nil: break
        }
        guard isActive else { return }
        guard pieces < Self.bodyPiecesPerStep || position == end || isBusy else {
          io.deferInput(connection, buffer, from: position, upTo: end, isExpensive: true)
          return
        }
      case .end:
        if let exchange = request.exchange { complete(exchange, rest: buffer, from: position, upTo: end) }
        // After a last answer, the rest of the input is read and discarded up to the peer's end.
        guard isActive else { return }
      }
    }
  }

  /// If the request made the connection a WebSocket, passes the input after its head to the new handler.
  ///
  /// - Returns: true if the connection still reads requests.
  private func readsBody(_ buffer: inout [UInt8], from position: Int, upTo end: Int) -> Bool {
    guard isActive else {
      if position < end { connection.handler?.receive(&buffer, from: position, upTo: end) }
      return false
    }
    if upload == nil { extendDeadline() }
    return true
  }

  /// Sets the present request, whose head is complete.
  func setExchange(_ exchange: HTTPExchange) {
    request.exchange = exchange
    request.timed = RequestTimes.Kind(exchange.route, exchange.plan).map { ($0, request.headReadAt) }
  }

  /// Continues a request that another reactor transferred, and reads the input after it.
  func resume(at step: ConnectionTransfer.Step, _ input: [UInt8]) {
    connection.hasServed = true
    var input = input
    switch step {
    case .head(let head):
      dispatch(head, Route(head.path), service.client(of: head, on: connection), available: input.count)
      guard readsBody(&input, from: 0, upTo: input.count) else { return }
    case .end:
      if let exchange = request.exchange { complete(exchange, rest: input, from: 0, upTo: input.count) }
      guard isActive else { return }
    }
    receive(&input, from: 0, upTo: input.count)
  }

  // MARK: - Sending

  /// Sends an answer. When the kernel has the whole answer, the connection reads the next request, or closes.
  func send(_ answer: Answer, for head: RequestHead?, body: HTTPResponse.Output? = nil) {
    awaitsAnswer = false
    let (route, client) = (request.exchange?.route, request.exchange?.client)
    if let upload { service.uploads.disconnect(upload) }
    request.exchange = nil
    io.updateBufferedBytes(of: connection)
    if let head, !head.keepsAlive { closesAfterOutput = true }
    if service.isDraining { closesAfterOutput = true }
    if answer.hasUnknownLength, head?.minorVersion == 0 { closesAfterOutput = true }
    var bytes = service.encoder.encode(
      answer, for: head, route: route, from: client, isSecure: connection.isSecure, closes: closesAfterOutput)
    service.count(answer, route, to: connection.clientAddress)
    let hasBody = head?.method != .head && !answer.range.isEmpty
    if hasBody, answer.range.count <= Self.joinedBodyBytes {
      bytes.append(contentsOf: answer.bytes[answer.range])
      output.append(.bytes(bytes, 0..<bytes.count))
    } else {
      output.append(.bytes(bytes, 0..<bytes.count))
      if hasBody { output.append(.bytes(answer.bytes, answer.range)) }
    }
    if let body, head?.method != .head { output.append(body) }
    extendDeadline()
    pump()
  }

  /// Asks the client for the body of its request.
  func sendContinue() {
    let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    output.append(.bytes(bytes, 0..<bytes.count))
    pump()
  }

  /// Writes as much of the output as the kernel accepts.
  private func pump() {
    var quantum = Self.piecesPerPump
    while let next = output.first {
      guard quantum > 0 else {
        io.writeQueue.append(connection)
        return
      }
      quantum -= 1
      switch next {
      case .bytes(let bytes, let range):
        // This happens before the last bytes are sent: a client that has its answer may open its next connection on another
        // reactor at once.
        if output.count == 1, range.count <= TLSConnection.encryptLimitInBytes, request.exchange == nil,
          !awaitsAnswer, !lingersLong
        {
          io.releaseClient(of: connection)
        }
        let taken = io.write(bytes, range, on: connection)
        guard taken > 0 else { return }
        extendDeadline()
        if range.lowerBound + taken == range.upperBound {
          output.removeFirst()
        } else {
          output[0] = .bytes(bytes, range.lowerBound + taken..<range.upperBound)
        }
      case .file(let transfer):
        switch service.downloads.pump(transfer, over: connection) {
        case .done: output.removeFirst()
        case .ready: break
        case .waiting: return
        }
      case .list(var list):
        if let piece = list.next() {
          output[0] = .list(list)
          output.insert(.bytes(piece, 0..<piece.count), at: 0)
        } else {
          output.removeFirst()
        }
      }
    }
    guard !connection.hasPendingWrites else { return }
    didWriteAll()
  }

  /// Continues when the kernel has all output: reads the next request, or lingers.
  private func didWriteAll() {
    guard !awaitsAnswer else { return }
    if request.exchange == nil, let (kind, since) = request.timed {
      service.counters.values.requestTimes.count(kind, .now() - since)
      request.timed = nil
    }
    guard !closesAfterOutput else {
      io.linger(connection, isLong: lingersLong)
      return
    }
    if request.exchange == nil {
      connection.deadline = now + .seconds(limits.idleSeconds)
      io.releaseClient(of: connection)
    }
    io.resumeReading(connection)
  }
}

// MARK: - The handler of its connection

extension HTTPConnection: DownloadHandler {
  var isWebSocket: Bool { false }
  var isUploading: Bool { upload != nil }
  var hasUnhandledInput: Bool { false }
  var isQuiet: Bool { !isBusy && request.exchange == nil && request.reader.isBetweenRequests }

  /// The file that is being sent.
  var transfer: FileTransfer? {
    if case .file(let transfer)? = output.first { transfer } else { nil }
  }

  /// The buffered bytes of a request and of a file that is being sent.
  var bufferedBytes: Int {
    var bytes = 0
    if request.exchange != nil || request.reader.isInHead {
      bytes += max(0, request.reader.headBytes - Connection.freeBytes)
    }
    if let exchange = request.exchange { bytes += exchange.body.count }
    if let transfer { bytes += transfer.piece.count + (transfer.nextPiece?.count ?? 0) }
    return bytes
  }

  var stage: ReservedConnections.Stage {
    if request.exchange != nil || isBusy { return .answered }
    return connection.hasReceived || !request.reader.isBetweenRequests ? .asking : .silent
  }

  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    read(&buffer, from: start, upTo: end)
    guard !io.updateBufferedBytes(of: connection), isActive, !closesAfterOutput else { return }
    closesAfterOutput = true
    send(.problem(service.refusalOfBufferedBytes), for: request.exchange?.head)
  }

  func peerEnded() {
    guard isBusy else {
      if !connection.hasDeferredInput { io.close(connection) }
      return
    }
    connection.isReadingPaused = true
    // Input that TLS decrypted together with the end is handled first.
    guard !connection.hasDeferredInput, upload?.isHoldingBody != true else { return }
    // The peer may still wait for its answer.
    closesAfterOutput = true
    pump()
  }

  func socketBecameWritable() { transfer?.becameWritable = true }
  func didWritePending() { if isBusy { extendDeadline() } }

  func becameWritable() {
    if isBusy { extendDeadline() }
    pump()
  }

  func continueWriting() { pump() }
  func connectionBroke(reason: String) {}

  func drain() {
    if let upload, upload.request.isTus, !awaitsAnswer {
      // A resumable upload can continue later where it stopped. The received bytes of other bodies would be lost, so
      // their requests may continue, with the time limit of a download.
      io.close(connection)
    } else if request.exchange != nil {
      // `send` closes the connection after the answer. Until then, the rest of the body is read.
    } else if isBusy {
      closesAfterOutput = true
    } else {
      io.close(connection)
    }
  }

  func willClose() { if let upload { service.uploads.disconnect(upload) } }

  func sweep() {
    if connection.isWriteBlocked { transfer?.releaseReadAhead() }
    if connection.deadline <= now { expire() }
  }

  /// Extends the time limit, because the peer sent or accepted bytes.
  func extendDeadline() { connection.deadline = now + .seconds(limits.bodyStallSeconds) }
}
