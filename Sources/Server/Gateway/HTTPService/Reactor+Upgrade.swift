internal import Networking
internal import HTTP
internal import SessionCore
internal import WebSocket
internal import Wire

/// Opening handshakes of WebSockets (RFC 6455 §4).
extension Reactor {
  /// The most bytes of a message to `/echo`: what conformance suites send.
  private static let echoMessageBytes = 16 << 20

  /// Opens the WebSocket of a session of this reactor.
  ///
  /// - Parameters:
  ///   - connection: the connection of the request.
  ///   - head: the request.
  ///   - id: the session; nil if the path names none.
  ///   - closing: the reason for closing the socket at once; nil to open it.
  /// - Returns: the answer to a faulty request; nil when the connection speaks WebSocket now.
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
    var refusal = closing
    if !request.subprotocols.isEmpty, !speaksVersion {
      counters.values.refusals[.unsupportedVersion] += 1
      refusal = .unsupportedVersion()
    }
    sessions.openSocket(
      to: id, connection,
      response: response(to: request, subprotocol: speaksVersion ? WireVersion.subprotocol : nil, .socket),
      deflate: request.deflate, refusal: refusal)
    return nil
  }

  /// Opens the WebSocket that sends back what it receives.
  func upgradeToEcho(_ connection: Connection, _ head: RequestHead) -> Answer? {
    guard shared.configuration.servesEcho else {
      return .problem(Refusal(.notFound, "There is nothing at this address."))
    }
    do throws(UpgradeRequestError) {
      let request = try UpgradeRequest.evaluate(head)
      _ = sockets.open(
        connection, response: response(to: request, subprotocol: request.subprotocols.first, .echo),
        deflate: request.deflate, phase: .echo, limits: MessageLimits(messageBytes: Self.echoMessageBytes))
      return nil
    } catch {
      return .refusedUpgrade(error)
    }
  }

  /// Returns the bytes of the response to an opening handshake, and counts it.
  private func response(
    to request: UpgradeRequest, subprotocol: String?, _ route: RequestCounts.Kind
  ) -> [UInt8] {
    var fields = FieldList()
    for field in request.responseFields(subprotocol: subprotocol) { fields.append(field.name, field.value) }
    var bytes: [UInt8] = []
    ResponseHead(.switchingProtocols, fields: fields).append(to: &bytes)
    counters.values.answers[StatusLabel(101)] += 1
    counters.values.requests.count(route, status: 101)
    return bytes
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

extension Answer {
  static func refusedUpgrade(_ error: UpgradeRequestError) -> Answer {
    var refusal = Refusal(.badRequest, "This is not an opening handshake: \(error.reason).")
    refusal.status = error.status
    var answer = problem(refusal)
    for field in error.responseFields { answer.head.fields.append(field.name, field.value) }
    return answer
  }
}
