internal import FoundationEssentials
internal import HTTP
internal import Wire

extension GatewayAPI {
  /// Why an answer is none of those that were expected.
  func error(for response: HTTPResponse) -> SessionClientError {
    if (300..<400).contains(response.status) { return redirectError(response) }
    if let refusal = refusal(in: response) { return .refused(refusal) }
    switch response.status {
    case 502, 503, 504:
      return .unreachable(
        "a proxy before \(gateway) answers \(response.status): the gateway behind it is away")
    default:
      return .noGateway(
        "what answers at \(gateway) is no gateway: it answers \(response.head.status.text)\(plainText(of: response))"
      )
    }
  }

  /// What an answer in plain text says; a gateway's own port for https answers so to http.
  private func plainText(of response: HTTPResponse) -> String {
    let type = response.head.fields.first("Content-Type").flatMap { MediaType(parsing: $0) }
    guard type?.essence == "text/plain" else { return "" }
    let text = String(decoding: response.body.prefix(200), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).first.map { ": “\($0)”" } ?? ""
  }

  /// A redirect is not followed: what was asked would go to somebody whom nobody named.
  private func redirectError(_ response: HTTPResponse) -> SessionClientError {
    let target = response.head.fields.first("Location").flatMap { URL(string: $0) }
    // No address of a gateway is as bad as no address.
    let other = target.flatMap { try? GatewayAddress(authorityOf: $0, certificates: gateway.certificates) }
    guard let other, other != gateway else {
      return .noGateway("\(gateway) sends requests on, which no gateway does (\(response.head.status.text))")
    }
    return other.isSecure && !gateway.isSecure && other.host == gateway.host
      ? .noGateway("\(gateway) wants https: its address is \(other)")
      : .noGateway("\(gateway) sends requests on to \(other): is that the gateway's address?")
  }

  /// The refusal that an answer holds (RFC 9457); nil when it holds none.
  private func refusal(in response: HTTPResponse) -> Refusal? {
    let type = response.head.fields.first("Content-Type").flatMap { MediaType(parsing: $0) }
    // What cannot be read says as little as no words at all.
    guard type?.essence == "application/problem+json",
      case .object(let members)? = try? JSONParser.parse(response.body.span),
      let code = try? members.text("code"), let detail = try? members.text("detail")
    else { return nil }
    // A later version may have more codes than this one knows.
    var refusal =
      (try? WireJSON.decode(Refusal.self, from: response.body.span))
      ?? Refusal(response.status < 500 ? .badRequest : .unavailable, "\(detail) (\(code))")
    refusal.status = response.status
    if refusal.retryAfterMs == nil, let delay = response.head.retryAfter {
      refusal.retryAfterMs = UInt64(delay.components.seconds) * 1000
    }
    return refusal
  }
}

extension Status {
  /// The code with its phrase.
  fileprivate var text: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }
}
