internal import Networking
internal import HTTP
internal import SessionCore
internal import Platform
internal import Primitives
internal import WebSocket
internal import Wire

/// From HTTP to WebSocket.
extension Reactor {
  /// The most bytes of a message to `/echo`: what conformance suites send.
  static let echoMessageBytes = 16 << 20

  /// Opens the socket of a session of this reactor's. What is wrong with the session is told by closing, after the upgrade,
  /// for a browser cannot see why one was refused.
  /// It is closed again at once when there is a reason for `closing` it.
  /// - Returns: nil when the connection speaks WebSocket now, else what to answer.
  func upgrade(
    _ connection: Connection, _ head: RequestHead, to id: SessionID?, closing: CloseReason? = nil
  ) -> Answer? {
    let request: UpgradeRequest
    do throws(UpgradeRequestError) {
      request = try .evaluate(head)
    } catch {
      return .refusedUpgrade(error)
    }
    let speaksVersion = request.subprotocols.contains(WireVersion.subprotocol)
    let hosted = id.flatMap { sessions[$0] }
    let conversation = open(
      connection, request, subprotocol: speaksVersion ? WireVersion.subprotocol : nil,
      phase: hosted.map { .opened($0) } ?? .finding,
      limits: MessageLimits(
        messageBytes: ClientEntry.maximumMessageLength, textBytes: ClientControl.maximumLength))
    conversation.session = id
    if !request.subprotocols.isEmpty, !speaksVersion {
      counters.values.refusals[.unsupportedVersion] += 1
      close(connection, conversation, .unsupportedVersion())
    } else if let closing {
      close(connection, conversation, closing)
    } else if shared.isDraining {
      close(connection, conversation, .restarting(retryAfterMs: restartDelayMs()))
    } else if hosted == nil {
      find(id, for: connection, conversation)
    }
    return nil
  }

  /// The session is not in memory: what the peer says waits until it is, or is known not to be.
  private func find(
    _ id: SessionID?, for connection: Connection, _ conversation: WebSocketConversation
  ) {
    guard let id else {
      counters.values.refusals[.notFound] += 1
      close(connection, conversation, .unknownSession)
      return
    }
    connection.isReadingPaused = true
    let key = connection.key
    Task {
      settle(await find(id), key)
    }
  }

  private func settle(_ found: Found, _ key: Connection.Key) {
    guard let connection = connections[key], let conversation = connection.handler as? WebSocketConversation,
      case .finding = conversation.phase
    else { return }
    switch found {
    case .open(let hosted) where !shared.isDraining:
      conversation.phase = .opened(hosted)
      conversation.joinableSince = now
      hosted.idleSince = nil
      resumeReading(connection)
    case .open:
      close(connection, conversation, .restarting(retryAfterMs: restartDelayMs()))
    case .ended:
      counters.values.refusals[.ended] += 1
      close(connection, conversation, .ended)
    case .none where shared.isDraining:
      close(connection, conversation, .restarting(retryAfterMs: restartDelayMs()))
    case .none(let refusal):
      counters.values.refusals[refusal.code] += 1
      close(connection, conversation, .noSession(refusal))
    }
  }

  /// Opens the socket that sends back what it gets.
  func upgradeToEcho(_ connection: Connection, _ head: RequestHead) -> Answer? {
    guard shared.configuration.servesEcho else {
      return .problem(Refusal(.notFound, "There is nothing at this address."))
    }
    do throws(UpgradeRequestError) {
      let request = try UpgradeRequest.evaluate(head)
      _ = open(
        connection, request, subprotocol: request.subprotocols.first, phase: .echo,
        limits: MessageLimits(messageBytes: Self.echoMessageBytes))
      return nil
    } catch {
      return .refusedUpgrade(error)
    }
  }

  private func open(
    _ connection: Connection, _ request: UpgradeRequest, subprotocol: String?,
    phase: WebSocketConversation.Phase, limits: MessageLimits
  ) -> WebSocketConversation {
    var fields = FieldList()
    for field in request.responseFields(subprotocol: subprotocol) { fields.append(field.name, field.value) }
    var bytes: [UInt8] = []
    ResponseHead(.switchingProtocols, fields: fields).append(to: &bytes)
    counters.values.answers[StatusLabel(101)] += 1
    counters.values.requests.count(phase.isEcho ? .echo : .socket, status: 101)
    let conversation = WebSocketConversation(
      connection, hooks, phase: phase,
      subscriber: Subscriber(
        connection: connection.key.token, acceptsCompression: request.deflate?.serverWindowBits == 15),
      limits: limits, deflate: request.deflate, now: now)
    io.setHandler(conversation, of: connection)
    connection.deadline = .distantFuture
    conversation.subscriber.enqueue(frames: bytes)
    flush(connection, conversation)
    return conversation
  }

  /// When a client should come back after a restart: spread over time, so that not all do at once.
  func restartDelayMs() -> UInt64 {
    200 + UInt64(SecureRandom.bytes(2).span.uint16(at: 0)) % 2800
  }
}

extension UpgradeRequest {
  static func evaluate(_ head: RequestHead) throws(UpgradeRequestError) -> UpgradeRequest {
    guard head.body == .none || head.body == .length(0) else { throw .hasBody }
    return try evaluate(
      method: head.method.name, minorVersion: head.minorVersion,
      fields: head.fields.map { (name: $0.name, value: $0.value) })
  }
}

extension CloseReason {
  /// Why a session could not be found, as the reason to close.
  static func noSession(_ refusal: Refusal) -> CloseReason {
    switch refusal.code {
    case .notFound: .unknownSession
    case .ended: .ended
    case .internal: CloseReason(1011, .internal, "This session cannot be read.")
    default:
      CloseReason(1013, refusal.code, "Not now: try again later.", retryAfterMs: refusal.retryAfterMs ?? 5000)
    }
  }
}

extension Answer {
  static func refusedUpgrade(_ error: UpgradeRequestError) -> Answer {
    var refusal = Refusal(.badRequest, "This is not an opening handshake: \(error.reason).")
    refusal.status = error.status
    var answer = problem(refusal)
    for field in error.responseFields { answer.head.fields.append(field.name, field.value) }
    return answer
  }
}
