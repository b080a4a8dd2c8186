internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket

/// What sockets bring.
extension Reactor {
  /// How many TLS handshakes a reactor has under way at most, counted from the first byte.
  static let handshakeLimit = 1024
  /// Who does not take what TLS has to answer is not listened to.
  private static let pendingWriteLimit = 65_536
  /// How many buffers are read from one socket in a turn.
  private static let readsPerTurn = 4
  /// The time in a turn for reading WebSockets, and for reading HTTP connections.
  private static let webSocketReadTime = Duration.milliseconds(4)
  private static let httpReadTime = Duration.milliseconds(2)

  func readable(_ connection: Connection, hasHungUp: Bool) {
    connection.mayHaveInput = true
    if hasHungUp { connection.sawHangUp = true }
    guard isOnlyEvent, webSocketReadQueue.isEmpty, httpReadQueue.isEmpty, expensive.waiting.isEmpty else {
      readLater(connection)
      return
    }
    // Nobody else waits.
    shareEnd = now + Self.webSocketReadTime
    read(connection)
  }

  /// Reads a socket without waiting for its turn. Must not be called while another socket is read.
  func readAtOnce(_ connection: Connection) {
    connection.mayHaveInput = true
    shareEnd = now + Self.httpReadTime
    read(connection)
  }

  /// Has a socket read when its turn comes: in this turn of the loop's, if its events are still being looked at.
  func readLater(_ connection: Connection) {
    guard !connection.isToRead else { return }
    connection.isToRead = true
    if connection.isExpensive {
      expensive.waiting.append(connection.key)
    } else if case .webSocket = connection.state {
      webSocketReadQueue.append(connection.key)
    } else {
      httpReadQueue.append(connection.key)
    }
  }

  /// Reads the waiting connections: WebSockets first, then HTTP connections, which may take a millisecond each, then expensive input.
  /// A connection with more input than its share continues in the next turn, behind the waiting ones.
  func readWaiting() {
    webSocketReadQueue.serve(for: Self.webSocketReadTime) { read($0, until: $1) }
    httpReadQueue.serve(for: Self.httpReadTime) { read($0, until: $1) }
    guard !expensive.waiting.isEmpty else { return }
    let began = MonotonicTime.now()
    expensive.waiting.serve(for: ExpensiveInput.time) { read($0, until: $1) }
    expensive.timeOfTurn = .now() - began
  }

  private func read(_ key: Connection.Key, until end: MonotonicTime) {
    guard let connection = connections[key] else { return }
    shareEnd = end
    connection.isToRead = false
    read(connection)
  }

  /// Whether the socket that is read has had its share, and others wait.
  var isShareOver: Bool { MonotonicTime.now() >= shareEnd }

  private func read(_ connection: Connection) {
    guard !connection.isReadingPaused else { return }
    if let tls = connection.tls, !tls.isHandshakeComplete, !budget.allowsHandshakeStep {
      readLater(connection)
      return
    }
    connection.isExpensive = false
    if connection.hasHeldInput {
      var held: [UInt8] = []
      swap(&held, &connection.heldInput)
      consume(connection, &held, from: 0, upTo: held.count)
      guard connections.isOpen(connection), !connection.hasHeldInput else { return }
    }
    if connection.hasEnded {
      ended(connection)
      return
    }
    var rounds = 0
    while connection.mayHaveInput, !connection.isReadingPaused, !connection.hasHeldInput,
      connection.pendingWriteCount <= Self.pendingWriteLimit
    {
      guard rounds < Self.readsPerTurn, rounds == 0 || !isShareOver,
        budget.allowsUploadBytes || !connection.isUploading
      else {
        readLater(connection)
        return
      }
      rounds += 1
      var buffer: [UInt8] = []
      swap(&buffer, &receiveBuffer)
      defer { swap(&buffer, &receiveBuffer) }
      switch connection.socket.receive(into: &buffer) {
      case .received(let count):
        counters.values.bytesReceived += UInt64(count)
        if connection.isUploading { budget.useUploadBytes(count) }
        // A short read empties the socket; with a hang-up in the event no further edge comes, so read on to the end.
        if count < buffer.count, !connection.sawHangUp { connection.mayHaveInput = false }
        received(connection, &buffer, count)
      case .wouldBlock:
        connection.mayHaveInput = false
      case .endOfStream:
        connection.mayHaveInput = false
        ended(connection)
      case .failed(let error):
        lost(connection, reason: "\(error)")
      }
      guard connections.isOpen(connection) else { return }
    }
  }

  private func received(_ connection: Connection, _ buffer: inout [UInt8], _ count: Int) {
    if case .lingering(let left) = connection.state {
      linger(connection, bytesLeft: left - count)
      return
    }
    guard let tls = connection.tls else {
      consume(connection, &buffer, from: 0, upTo: count)
      return
    }
    if !connection.hasReceived, TLSRecord.looksLikePlainHTTP(firstByte: buffer[0]) {
      refusePlainText(connection, buffer, count)
      return
    }
    if !connection.hasReceived {
      connection.hasReceived = true
      beginHandshake(connection)
    }
    decrypt(connection, tls, buffer.span.extracting(0..<count))
  }

  /// Adds a handshake to the table, and drops another one if the table is full.
  private func beginHandshake(_ connection: Connection) {
    if let dropped = handshakes.victim().flatMap({ connections[$0] }) {
      counters.values.handshakesFailed += 1
      counters.values.handshakesDropped += 1
      close(dropped, reason: "dropped: \(Self.handshakeLimit) TLS handshakes are under way in this reactor")
    }
    connection.isHandshaking = true
    connection.handshakeBegan = now
    handshakes.insert(connection.key, from: connection.peer.ip, at: now)
  }

  private func decrypt(_ connection: Connection, _ tls: TLSConnection, _ bytes: Span<UInt8>) {
    var input: [UInt8] = []
    swap(&input, &plaintext)
    defer {
      input.removeAll(keepingCapacity: true)
      swap(&input, &plaintext)
    }
    ciphertext.removeAll(keepingCapacity: true)
    var hasPeerClosed = false
    let isHandshaking = connection.isHandshaking
    // Called before the plaintext is consumed: a request in it may move the connection to another reactor.
    func countHandshakeStep() {
      if isHandshaking, !tls.isAwaitingHello { budget.useHandshakeStep() }
    }
    do throws(TLSError) {
      let progress = try tls.receive(bytes, plaintext: &input, ciphertextOut: &ciphertext)
      if progress.hasCompletedHandshake {
        endHandshake(connection)
        counters.values.handshakesCompleted += 1
        counters.values.handshakeTimes.count(.now() - connection.handshakeBegan)
        if tls.wasResumed { counters.values.handshakesResumed += 1 }
      }
      hasPeerClosed = progress.hasPeerClosed
      countHandshakeStep()
    } catch {
      countHandshakeStep()
      writeRaw(ciphertext.span, on: connection)
      if !tls.isHandshakeComplete {
        counters.values.handshakesFailed += 1
        shared.log(.debug, "handshake failed", ["reason": "\(error)"])
      }
      lost(connection, reason: "\(error)")
      return
    }
    writeRaw(ciphertext.span, on: connection)
    if !input.isEmpty { consume(connection, &input, from: 0, upTo: input.count) }
    if hasPeerClosed, connections.isOpen(connection) { ended(connection) }
  }

  /// Gives received bytes to the conversation, which may change while it reads them.
  func consume(_ connection: Connection, _ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    switch connection.state {
    case .http(let http): receive(connection, http, &buffer, from: start, upTo: end)
    case .webSocket(let conversation): receive(connection, conversation, &buffer, from: start, upTo: end)
    case .lingering: break
    }
  }

  /// Keeps what cannot be taken now; nothing more is read until `resumeReading`.
  func pauseWithInput(_ connection: Connection, _ bytes: [UInt8], from start: Int, upTo end: Int) {
    connection.isReadingPaused = true
    if start < end { connection.heldInput.append(contentsOf: bytes[start..<end]) }
  }

  /// Keeps input for the next turn, after the other sockets had theirs. Expensive input waits for its next step in its own queue.
  func deferInput(
    _ connection: Connection, _ bytes: [UInt8], from start: Int, upTo end: Int, isExpensive: Bool = false
  ) {
    if isExpensive { connection.isExpensive = true }
    if start < end { connection.heldInput.append(contentsOf: bytes[start..<end]) }
    readLater(connection)
  }

  /// Takes up reading again, in the next turn: never from within what is being read, however deep that is.
  func resumeReading(_ connection: Connection) {
    guard connection.isReadingPaused else { return }
    connection.isReadingPaused = false
    if connection.mayHaveInput || connection.hasEnded || connection.hasHeldInput {
      readLater(connection)
    }
  }

  /// The peer sends nothing more.
  private func ended(_ connection: Connection) {
    connection.hasEnded = true
    switch connection.state {
    case .http(let http) where http.isBusy:
      connection.isReadingPaused = true
      // What TLS brought together with the end has its turn first.
      guard !connection.hasHeldInput, http.upload?.isHoldingBody != true else { return }
      // It may still wait for its answer.
      http.closesAfterOutput = true
      pump(connection, http)
    case .lingering:
      close(connection)
    case .http, .webSocket:
      // So has what was set aside: `read` comes back here when it is taken.
      guard !connection.hasHeldInput else { return }
      if case .http = connection.state {
        close(connection)
      } else {
        lost(connection, reason: "the peer closed the connection")
      }
    }
  }

  /// Somebody speaks HTTP to the TLS port: tells them where to go (a browser shows it).
  private func refusePlainText(_ connection: Connection, _ buffer: [UInt8], _ count: Int) {
    endHandshake(connection)
    counters.values.handshakesFailed += 1
    var reader = RequestReader()
    var position = 0
    var address = shared.boundEndpoints.https.map { "https://\($0)/" } ?? "the https address"
    if case .head(let head)? = try? reader.next(in: buffer.span.extracting(0..<count), at: &position),
      let authority = head.authority
    {
      address = "https://\(authority)/"
    }
    let text = "This port speaks HTTPS only. Open \(address)\n"
    var bytes: [UInt8] = []
    var head = ResponseHead(
      .badRequest, fields: ["Content-Type": "text/plain; charset=utf-8", "Connection": "close"])
    head.fields.append("Content-Length", "\(text.utf8.count)")
    head.append(to: &bytes)
    bytes.append(contentsOf: text.utf8)
    counters.values.answers[StatusLabel(400)] += 1
    writeRaw(bytes.span, on: connection)
    startLingering(connection)
  }
}
