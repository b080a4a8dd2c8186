internal import FoundationEssentials
internal import HTTP
internal import WebSocket
internal import Wire

/// The request for a WebSocket and the answer to it, from the client's side: bytes in, at last a verdict.
struct UpgradeHandshake {
  /// What came of it.
  enum Verdict: Equatable {
    /// It is a WebSocket now.
    case agreed(UpgradeAttempt.Agreement)
    /// It never will be.
    case refused(SocketEnd)
  }

  private enum State {
    case awaitingHead
    /// A refusal whose words are still to come.
    case readingRefusal(ResponseHead, body: [UInt8])
  }

  /// The subprotocol that we speak.
  private static let subprotocol = "drawtogether.v1"
  /// How much of a refusal's body is read: far more than its words take.
  private static let refusalBytes = 16_384

  /// The request as it stands on the wire.
  let request: [UInt8]
  private let attempt = UpgradeAttempt(subprotocols: [Self.subprotocol], offersDeflate: true)
  private var reader = ResponseReader()
  private var state = State.awaitingHead

  /// Asks for the WebSocket at a path.
  init(path: String, authority: String) {
    var text = "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n"
    for field in attempt.requestFields { text += "\(field.name): \(field.value)\r\n" }
    request = Array((text + "\r\n").utf8)
    reader.expect(.get)
    reader.bodyLimit = Self.refusalBytes
  }

  /// Reads on from `position`, which is moved behind what belongs to the answer; nil when more is needed.
  mutating func next(in bytes: Span<UInt8>, at position: inout Int) -> Verdict? {
    do throws(ResponseError) {
      while let event = try reader.next(in: bytes, at: &position) {
        switch (event, state) {
        case (.interim, _):
          continue
        case (.head(let head), _):
          guard head.status != .switchingProtocols else { return verdict(on: head) }
          state = .readingRefusal(head, body: [])
        case (.body(let range), .readingRefusal(let head, var body)):
          state = .awaitingHead  // so that `body` has one owner and grows in configuration
          for index in range { body.append(bytes[index]) }
          state = .readingRefusal(head, body: body)
        case (.end, .readingRefusal(let head, let body)):
          return Self.refusal(head, body)
        case (.body, .awaitingHead), (.end, .awaitingHead):
          preconditionFailure("a response begins with its head")
        }
      }
      return nil
    } catch {
      return endOfAnswer(because: error.description)
    }
  }

  /// The connection ended before there was a verdict.
  func finish() -> Verdict {
    endOfAnswer(because: nil)
  }

  /// What can be said of an answer that is not whole: its status is enough.
  private func endOfAnswer(because words: String?) -> Verdict {
    switch state {
    case .readingRefusal(let head, let body): Self.refusal(head, body)
    case .awaitingHead:
      if let words {
        .refused(.noGateway("What answers there does not speak HTTP: \(words)"))
      } else {
        .refused(.broken("The connection ended before the request for a WebSocket was answered."))
      }
    }
  }

  private func verdict(on head: ResponseHead) -> Verdict {
    do throws(UpgradeResponseError) {
      let fields = head.fields.map { (name: $0.name, value: $0.value) }
      return .agreed(try attempt.check(status: head.status.code, fields: fields))
    } catch {
      return .refused(.noGateway("The answer to the request for a WebSocket is wrong: \(error)."))
    }
  }

  private static func refusal(_ head: ResponseHead, _ body: [UInt8]) -> Verdict {
    let status = head.status.code
    switch status {
    case 300...399:
      // No more of it: where the request's own path is given back, that is the session's link.
      let target = head.fields.first("Location").flatMap { URL(string: $0) }
        .flatMap { try? GatewayAddress(authorityOf: $0, certificates: nil) }
      let configuration = target.map { " to \($0)" } ?? ""
      return .refused(.noGateway("It sends elsewhere\(configuration), with status \(status)."))
    case 400...:
      return .refused(
        .refused(status: status, detail: detail(of: head, body), retryAfter: head.retryAfter))
    default:
      return .refused(.noGateway("It answers the request for a WebSocket with status \(status)."))
    }
  }

  /// The words of a problem (RFC 9457 §3), else the status line's.
  private static func detail(of head: ResponseHead, _ body: [UInt8]) -> String {
    // What is no such JSON has no words of its own.
    if case .object(let members)? = try? JSONParser.parse(body.span),
      case .string(let detail)? = members["detail"]
    {
      return detail
    }
    return head.reason.isEmpty ? "Status \(head.status.code)" : "\(head.reason) (status \(head.status.code))"
  }
}
