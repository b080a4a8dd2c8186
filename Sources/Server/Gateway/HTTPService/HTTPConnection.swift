internal import HTTP
internal import Platform
internal import Networking
internal import Primitives
internal import Wire

/// The handler of a connection that speaks HTTP. It handles one request at a time. While it answers a request, it does not read
/// later requests from the socket.
final class HTTPConnection {
  /// The maximum number of pieces of a request's body that are handled before other connections continue.
  private static let bodyPiecesPerStep = 1_024
  /// The maximum length of an answer's body that is appended to the head, so that one call writes both.
  private static let joinedBodyBytes = 16_384
  /// The maximum number of parts of an answer that are written before other connections continue.
  private static let piecesPerPump = 4

  /// The request that is being read or answered. This state is part of a transfer to another reactor.
  struct RequestState {
    var reader: RequestReader
    var exchange: HTTPExchange?
    /// The time at which the head of the current request was complete.
    var headReadAt = MonotonicTime.distantPast
    /// The kind of the current request, and the time at which its head was complete; nil if its duration is not measured.
    var timed: (kind: RequestTimes.Kind, since: MonotonicTime)?
  }

  let connection: Connection
  let service: HTTPService
  var request: RequestState
  /// True while an asynchronous task produces the answer.
  var awaitsAnswer = false
  private var output: [HTTPResponse.Output] = []
  /// True if the connection must be closed after `output` was sent.
  var closesAfterOutput = false
  /// True if a long body was refused while the client still sends it. Before the close, much of the body is then read and
  /// discarded; otherwise, a TCP reset could prevent the client from reading the answer.
  var lingersLong = false

  init(_ connection: Connection, _ service: HTTPService, _ request: RequestState) {
    self.connection = connection
    self.service = service
    self.request = request
  }

  var io: ConnectionIO { service.io }
  var now: MonotonicTime { service.now }
  var limits: Limits { service.limits }

  /// True while this object handles the connection: until the connection closes, lingers, becomes a WebSocket or is transferred.
  var isActive: Bool { connection.handler === self }

  /// True while input must stay unread: an answer is being produced or sent, or an upload cannot accept more of its body.
  var isBusy: Bool {
    awaitsAnswer || !output.isEmpty || closesAfterOutput || (upload?.isHoldingBody ?? false)
  }

  /// The upload of the present request; nil if the request is not an upload.
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
        case .answer, .session, .attachments, .history, .metrics, nil: break
        }
        guard isActive else { return }
        guard pieces < Self.bodyPiecesPerStep || position == end || isBusy else {
          io.deferInput(connection, buffer, from: position, upTo: end, isExpensive: true)
          return
        }
      case .end:
        if let exchange = request.exchange { complete(exchange, rest: buffer, from: position, upTo: end) }
        // After the last answer of a connection, `ConnectionIO` reads and discards the rest of the input.
        guard isActive else { return }
      }
    }
  }

  /// Checks if this object still handles the connection after a head was handled. If another handler has replaced this object,
  /// passes the input after the head to the new handler.
  ///
  /// - Returns: true if this object reads the request's body next.
  private func readsBody(_ buffer: inout [UInt8], from position: Int, upTo end: Int) -> Bool {
    guard isActive else {
      if position < end { connection.handler?.receive(&buffer, from: position, upTo: end) }
      return false
    }
    if upload == nil { extendDeadline() }
    return true
  }

  /// Sets the present request after its head was read.
  func setExchange(_ exchange: HTTPExchange) {
    request.exchange = exchange
    request.timed = RequestTimes.Kind(exchange.route, exchange.plan).map { ($0, request.headReadAt) }
  }

  /// Continues a request that another reactor transferred. Processes the head or the end of the request, as `step` says, and then
  /// handles the input that the other reactor has received.
  func resume(at step: ConnectionTransfer.Step, _ input: [UInt8]) {
    connection.hasServed = true
    var input = input
    switch step {
    case .head(let head):
      dispatch(head, Route(head.path), service.client(of: head, on: connection), available: input.count)
      guard readsBody(&input, from: 0, upTo: input.count) else { return }
    case .end(let place):
      extendDeadline()
      if let exchange = request.exchange {
        complete(exchange, at: place, rest: input, from: 0, upTo: input.count)
      }
      guard isActive else { return }
    }
    receive(&input, from: 0, upTo: input.count)
  }

  // MARK: - Sending

  /// Sends an answer. After the whole answer is written, the connection reads the next request, or closes.
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

  /// Sends `100 Continue`, which asks the client for the body of its request.
  func sendContinue() {
    let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    output.append(.bytes(bytes, 0..<bytes.count))
    pump()
  }

  /// Writes as much of the output as the socket accepts.
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
        // The connection stops counting for its client before the last bytes of the answer are sent. A client that has received
        // its answer may immediately open another connection, on any reactor, and that connection must not exceed the limit.
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

  /// Continues after all output was written: reads the next request, or lingers and closes.
  private func didWriteAll() {
    guard !awaitsAnswer else { return }
    if request.exchange == nil, let (kind, since) = request.timed {
      let time = MonotonicTime.now() - since
      service.counters.countLabel { $0.requestTimes.count(kind, time) }
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

// MARK: - ConnectionHandler and DownloadHandler

extension HTTPConnection: DownloadHandler {
  var isWebSocket: Bool { false }
  var isUploading: Bool { upload != nil }
  var hasUnhandledInput: Bool { false }
  var isQuiet: Bool { !isBusy && request.exchange == nil && request.reader.isBetweenRequests }

  /// The file that is being sent.
  var transfer: FileTransfer? {
    if case .file(let transfer)? = output.first { transfer } else { nil }
  }

  /// The number of bytes that are buffered for a request, and for a file that is being sent.
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
    io.hastenCheck(of: connection)
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
    // TLS may have decrypted more input together with the peer's `close_notify`. This input is handled first.
    guard !connection.hasDeferredInput, upload?.isHoldingBody != true else { return }
    // The peer has only closed its sending side and may still wait for its answer.
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
      // A resumable upload is interrupted, because the client can continue it later at its offset. All other requests may
      // continue within the time limit of the drain, because an interruption would lose the received bytes of their bodies.
      io.close(connection)
    } else if request.exchange != nil {
      // Nothing to do: the rest of the body is read, and `send` closes the connection after the answer.
    } else if isBusy {
      closesAfterOutput = true
    } else {
      io.close(connection)
    }
  }

  func willClose() { if let upload { service.uploads.disconnect(upload) } }

  func check() -> CheckSchedule.Ticks {
    if connection.isWriteBlocked { transfer?.releaseReadAhead() }
    if connection.deadline <= now { expire() }
    // While a connection is quiet, only its idle timeout runs: every other time limit starts when the client sends bytes.
    return isQuiet ? CheckSchedule.ticks(until: connection.deadline, from: now) : 1
  }

  /// Extends the time limit, because the peer sent or accepted bytes.
  func extendDeadline() { connection.deadline = now + .seconds(limits.bodyStallSeconds) }
}
