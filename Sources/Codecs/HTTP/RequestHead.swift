/// A request without its body: the request line and the fields (RFC 9112 §3, §5).
package struct RequestHead: Equatable, Sendable {
  package let method: Method
  /// 1 for HTTP/1.1 and later minor versions, 0 for HTTP/1.0.
  package let minorVersion: Int
  package var fields: FieldList
  private let requestTarget: RequestTarget

  /// Creates a request to send, or one for a test.
  ///
  /// - Returns: nil if the method does not allow the form of the target.
  package init?(_ method: Method, _ target: String, minorVersion: Int = 1, fields: FieldList = [:]) {
    guard let target = RequestTarget(target, for: method) else { return nil }
    self.init(method: method, target: target, minorVersion: minorVersion, fields: fields)
  }

  init(method: Method, target: RequestTarget, minorVersion: Int, fields: FieldList) {
    self.method = method
    self.requestTarget = target
    self.minorVersion = minorVersion
    self.fields = fields
  }

  /// The request target as it was sent.
  package var target: String { requestTarget.text }

  /// The path of the target, percent-encoded, without the query. Begins with `/`, or is `*` (OPTIONS only).
  package var path: String { requestTarget.path }

  /// The text after the target's first `?`, percent-encoded; nil without one.
  package var query: String? { requestTarget.query }

  /// The authority of the request: the host of an absolute target, else `Host` (RFC 9112 §3.3). Nil only in HTTP/1.0.
  package var authority: Authority? {
    requestTarget.authority ?? fields.first("Host").flatMap { Authority($0) }
  }

  /// The framing of the body. A request from `RequestReader` has at most one of the fields `Content-Length` and
  /// `Transfer-Encoding`.
  package var body: BodyFraming {
    if let length = fields.first("Content-Length").flatMap({ Grammar.decimal($0.utf8) }) {
      return .length(length)
    }
    return fields.first("Transfer-Encoding") == nil ? .none : .chunked
  }

  /// True if the client wants to keep the connection after the response (RFC 9112 §9.3): in HTTP/1.1, if `Connection` does not
  /// contain `close`; in HTTP/1.0, if `Connection` contains `keep-alive`. A response to HTTP/1.0 must then repeat `keep-alive`.
  package var keepsAlive: Bool {
    if fields.contains("close", in: "Connection") { return false }
    return minorVersion >= 1 || fields.contains("keep-alive", in: "Connection")
  }

  /// True if the client delays its body until it gets `100 Continue` or a refusal (RFC 9110 §10.1.1).
  package var expectsContinue: Bool {
    minorVersion >= 1 && body != .none && body != .length(0) && fields.contains("100-continue", in: "Expect")
  }

  /// Appends the head as it is on the wire, with the empty line at its end.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "\(method.name) \(target) HTTP/1.\(minorVersion)\r\n".utf8)
    fields.append(to: &bytes)
    bytes.append(contentsOf: "\r\n".utf8)
  }
}
