internal import HTTP
internal import WebSocket
internal import Wire

/// Validates the opening handshakes of WebSockets (RFC 6455 §4.2).
struct WebSocketUpgrade: Sendable {
  /// The purpose of a WebSocket.
  enum Target {
    /// A WebSocket of a session. If `closing` is not nil, the WebSocket is opened and closed immediately with this reason,
    /// because a browser cannot read the reason for a refused handshake.
    case session(SessionID?, closing: CloseReason? = nil)
    /// A WebSocket that sends each received message back.
    case echo
  }

  /// A valid handshake.
  struct Handshake {
    let request: UpgradeRequest
    /// The subprotocol that the gateway selected; nil if it selected none.
    let subprotocol: String?

    /// The bytes of the response. The values are written without a check for control characters: the subprotocol is a token, and
    /// the gateway makes the other values.
    var response: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(256)
      bytes.append(contentsOf: "HTTP/1.1 101 Switching Protocols\r\n".utf8)
      for field in request.responseFields(subprotocol: subprotocol) {
        bytes.append(field.name.utf8.span)
        bytes.append(": ".utf8.span)
        bytes.append(field.value.utf8.span)
        bytes.append("\r\n".utf8.span)
      }
      bytes.append("\r\n".utf8.span)
      return bytes
    }

    /// True if the client offers subprotocols, but not the one that this gateway supports.
    var offersOtherVersions: Bool {
      !request.subprotocols.isEmpty && !request.subprotocols.contains(WireVersion.subprotocol)
    }
  }

  enum Outcome {
    case accepted(Handshake)
    case refused(Answer)
  }

  /// True if `/echo` is enabled.
  let servesEcho: Bool

  /// Validates the head of an opening handshake.
  func evaluate(_ head: RequestHead, for target: Target) -> Outcome {
    if case .echo = target, !servesEcho { return .refused(.nothingHere) }
    do throws(UpgradeRequestError) {
      let request = try Self.request(head)
      switch target {
      case .session:
        let speaksVersion = request.subprotocols.contains(WireVersion.subprotocol)
        return .accepted(
          Handshake(request: request, subprotocol: speaksVersion ? WireVersion.subprotocol : nil))
      case .echo:
        return .accepted(Handshake(request: request, subprotocol: request.subprotocols.first))
      }
    } catch {
      return .refused(Self.answer(to: error))
    }
  }

  private static func request(_ head: RequestHead) throws(UpgradeRequestError) -> UpgradeRequest {
    switch head.body {
    case .none, .length(0): break
    case .length, .chunked: throw .hasBody
    }
    return try UpgradeRequest.evaluate(
      method: head.method.name, minorVersion: head.minorVersion, fields: head.fields.pairs)
  }

  private static func answer(to error: UpgradeRequestError) -> Answer {
    var refusal = Refusal(.badRequest, "This is not an opening handshake: \(error.reason).")
    refusal.status = error.status
    var answer = Answer.problem(refusal)
    for field in error.responseFields { answer.head.fields.append(field.name, field.value) }
    return answer
  }
}

extension HTTPService {
  /// The maximum size of a message to `/echo`. Conformance test suites send messages of this size.
  private static let echoMessageBytes = 16 << 20

  /// Changes a connection to a WebSocket after a valid handshake: sends the response, and replaces the connection's handler.
  func openWebSocket(
    _ connection: Connection, _ handshake: WebSocketUpgrade.Handshake, _ target: WebSocketUpgrade.Target
  ) {
    counters.count(StatusLabel(101)) { $0.answers.increment($1) }
    switch target {
    case .session(let id, var refusal):
      counters.count(RequestCounts.Kind.socket) { $0.requests.count($1, status: 101) }
      if handshake.offersOtherVersions {
        counters.countLabel { $0.refusals[.unsupportedVersion] += 1 }
        refusal = .unsupportedVersion()
      }
      sessions.openSocket(
        to: id, connection, response: handshake.response, deflate: handshake.request.deflate,
        refusal: refusal)
    case .echo:
      counters.countLabel { $0.requests.count(.echo, status: 101) }
      _ = sessions.sockets.open(
        connection, response: handshake.response, deflate: handshake.request.deflate, phase: .echo,
        limits: MessageLimits(messageBytes: Self.echoMessageBytes))
    }
  }
}

extension Answer {
  /// The answer to a request whose path has no resource.
  static var nothingHere: Answer { .problem(Refusal(.notFound, "There is no resource at this address.")) }
}
