internal import FoundationEssentials
internal import HTTP
internal import WebSocket
internal import Wire

/// The client's side of the WebSocket upgrade without I/O. It receives bytes and finally returns a result.
struct UpgradeHandshake {
  /// The result of the handshake.
  enum Verdict: Equatable {
    /// The connection is a WebSocket now.
    case agreed(UpgradeAttempt.Agreement)
    /// The upgrade failed.
    case refused(SocketEnd)
  }

  private enum State {
    case awaitingHead
    /// The body of a refusal is being received.
    case readingRefusal(ResponseHead, body: [UInt8])
  }

  /// The subprotocol of this client.
  private static let subprotocol = "drawtogether.v1"
  /// The maximum length of a refusal's body, far above the usual length.
  private static let refusalBytes = 16_384

  /// The bytes of the request.
  let request: [UInt8]
  private let attempt = UpgradeAttempt(subprotocols: [Self.subprotocol], offersDeflate: true)
  private var reader = ResponseReader()
  private var state = State.awaitingHead

  /// Creates a request for the WebSocket at a path.
  init(path: String, authority: String) {
    var text = "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n"
    for field in attempt.requestFields { text += "\(field.name): \(field.value)\r\n" }
    request = Array((text + "\r\n").utf8)
    reader.expect(.get)
    reader.bodyLimit = Self.refusalBytes
  }

  /// Reads from `position`, and moves `position` to the end of the bytes that belong to the answer. Returns nil when more bytes
  /// are needed.
  mutating func next(in bytes: Span<UInt8>, at position: inout Int) -> Verdict? {
    do throws(MessageError) {
      while let event = try reader.next(in: bytes, at: &position) {
        switch (event, state) {
        case (.interim, _):
          continue
        case (.head(let head), _):
          guard head.status != .switchingProtocols else { return verdict(on: head) }
          state = .readingRefusal(head, body: [])
        case (.body(let range), .readingRefusal(let head, var body)):
          // This assignment makes `body` the only reference to the bytes, so `append` does not copy them.
          state = .awaitingHead
          for index in range { body.append(bytes[index]) }
          state = .readingRefusal(head, body: body)
        case (.end, .readingRefusal(let head, let body)):
          return Self.refusal(head, body)
        case (.body, .awaitingHead), (.end, .awaitingHead):
          preconditionFailure("a response began without its head")
        }
      }
      return nil
    } catch {
      return endOfAnswer(because: error.description)
    }
  }

  /// Handles the end of the connection before a result is known.
  func finish() -> Verdict {
    endOfAnswer(because: nil)
  }

  /// Returns the result for an incomplete answer. If the head of a refusal has arrived, the result is that refusal, even if its
  /// body is incomplete.
  private func endOfAnswer(because words: String?) -> Verdict {
    switch state {
    case .readingRefusal(let head, let body): Self.refusal(head, body)
    case .awaitingHead:
      if let words {
        .refused(.noGateway("The server at this address does not answer with HTTP: \(words)"))
      } else {
        .refused(.broken("The connection ended before the WebSocket upgrade request was answered."))
      }
    }
  }

  private func verdict(on head: ResponseHead) -> Verdict {
    do throws(UpgradeResponseError) {
      let fields = head.fields.map { (name: $0.name, value: $0.value) }
      return .agreed(try attempt.check(status: head.status.code, fields: fields))
    } catch {
      return .refused(.noGateway("The answer to the WebSocket upgrade request is invalid: \(error)."))
    }
  }

  private static func refusal(_ head: ResponseHead, _ body: [UInt8]) -> Verdict {
    let status = head.status.code
    switch status {
    case 300...399:
      // The message contains only the target's authority: the path of a redirect may contain the session id, and so reveal the
      // link.
      let target = head.fields.first("Location").flatMap { URL(string: $0) }
        .flatMap { try? GatewayAddress(authorityOf: $0, certificates: nil) }
      let place = target.map { " to \($0)" } ?? ""
      return .refused(.noGateway("The server redirects\(place) (status \(status))."))
    case 400...:
      return .refused(
        .refused(status: status, detail: detail(of: head, body), retryAfter: head.retryAfter))
    default:
      return .refused(.noGateway("The server answers the WebSocket upgrade request with status \(status)."))
    }
  }

  /// Returns the detail of a problem document (RFC 9457 §3), or else the status line's reason phrase.
  private static func detail(of head: ResponseHead, _ body: [UInt8]) -> String {
    // A body that is not a problem document has no detail.
    if case .object(let members)? = try? JSONParser.parse(body.span),
      case .string(let detail)? = members["detail"]
    {
      return detail
    }
    return head.reason.isEmpty ? "Status \(head.status.code)" : "\(head.reason) (status \(head.status.code))"
  }
}
