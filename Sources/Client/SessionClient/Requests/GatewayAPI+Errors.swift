internal import FoundationEssentials
internal import HTTP
internal import Wire

extension GatewayAPI {
  /// Returns the error for a response with an unexpected status.
  func error(for response: HTTPResponse) -> SessionClientError {
    if (300..<400).contains(response.status) { return redirectError(response) }
    if let refusal = refusal(in: response) { return .refused(refusal) }
    switch response.status {
    case 502, 503, 504:
      return .unreachable(
        "a proxy in front of \(gateway) responds with \(response.status): the gateway behind it is down")
    default:
      return .noGateway(
        "the server at \(gateway) is not a gateway: it responds with \(response.head.status.text)\(plainText(of: response))"
      )
    }
  }

  /// Returns the first line of a plain-text response. A gateway's https port sends such a response to a request without TLS.
  private func plainText(of response: HTTPResponse) -> String {
    let type = response.head.fields.first("Content-Type").flatMap { MediaType(parsing: $0) }
    guard type?.essence == "text/plain" else { return "" }
    let text = String(decoding: response.body.prefix(200), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).first.map { ": “\($0)”" } ?? ""
  }

  /// Returns the error for a redirect. Redirects are not followed, because they could lead to a server that the user did not
  /// choose.
  private func redirectError(_ response: HTTPResponse) -> SessionClientError {
    let target = response.head.fields.first("Location").flatMap { URL(string: $0) }
    // A target that is not a valid gateway address does not appear in the message.
    let other = target.flatMap { try? GatewayAddress(authorityOf: $0, certificates: gateway.certificates) }
    guard let other, other != gateway else {
      return .noGateway("\(gateway) redirects, but a gateway never redirects (\(response.head.status.text))")
    }
    return other.isSecure && !gateway.isSecure && other.host == gateway.host
      ? .noGateway("\(gateway) requires https: use its address \(other)")
      : .noGateway("\(gateway) redirects to \(other), which may be the gateway's address")
  }

  /// Returns the refusal in a response (RFC 9457); nil if the response contains no refusal.
  private func refusal(in response: HTTPResponse) -> Refusal? {
    let type = response.head.fields.first("Content-Type").flatMap { MediaType(parsing: $0) }
    // A body that cannot be decoded contains no refusal.
    guard type?.essence == "application/problem+json",
      case .object(let members)? = try? JSONParser.parse(response.body.span),
      let code = try? members.text("code"), let detail = try? members.text("detail")
    else { return nil }
    // A later version of the gateway may send codes that this version does not know.
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
  /// The status code and its reason phrase.
  fileprivate var text: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }
}
