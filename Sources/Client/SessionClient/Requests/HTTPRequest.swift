internal import FoundationEssentials
internal import HTTP

/// A request to a gateway.
struct HTTPRequest: Sendable {
  let method: Method
  let path: String
  var fields: FieldList = [:]
  /// The body; nil for none.
  var content: Data?
  /// The maximum length of a collected response body in bytes.
  var responseLimit = 1 << 20

  /// Returns the head to be sent.
  func head(to gateway: GatewayAddress) -> RequestHead {
    var fields = fields
    fields.append("Host", gateway.authority)
    fields.append("User-Agent", "drawtogether")
    fields.append("Connection", "close")
    if content != nil || method != .get && method != .head {
      fields.append("Content-Length", "\(content?.count ?? 0)")
    }
    guard let head = RequestHead(method, path, fields: fields) else {
      preconditionFailure("a path that consists of ids must be a valid request target")
    }
    return head
  }
}

/// The response to a request.
struct HTTPResponse: Sendable {
  let head: ResponseHead
  /// The collected body.
  var body: [UInt8] = []

  /// The status code.
  var status: Int { head.status.code }
}

extension ResponseHead {
  /// Returns the value of a header field as a number; nil unless the value consists of digits.
  func number(_ name: String) -> UInt64? {
    guard let text = fields.first(name), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return UInt64(text)
  }

  /// The delay that the gateway asks for, at most one hour (RFC 9110 §10.2.3); nil if `Retry-After` is missing or contains a
  /// date.
  var retryAfter: Duration? { number("Retry-After").map { .seconds(min($0, 3600)) } }
}
