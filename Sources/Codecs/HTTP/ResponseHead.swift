/// A response without its body: status line and fields (RFC 9112 §4, §5).
package struct ResponseHead: Equatable, Sendable {
  package var status: Status
  /// 1 for HTTP/1.1, which is all that is ever sent; 0 only in what was received.
  package let minorVersion: Int
  /// What a received status line said; what is sent is the status' own phrase.
  package let reason: String
  package var fields: FieldList

  /// A response to send. The caller sees to `Content-Length` or `Transfer-Encoding`, `Connection` and `Date`.
  package init(_ status: Status, fields: FieldList = [:]) {
    self.init(status: status, minorVersion: 1, reason: status.reasonPhrase, fields: fields)
  }

  init(status: Status, minorVersion: Int, reason: String, fields: FieldList) {
    self.status = status
    self.minorVersion = minorVersion
    self.reason = reason
    self.fields = fields
  }

  /// Whether the connection goes on after this response (RFC 9112 §9.3), as far as its head can say.
  package var keepsAlive: Bool {
    if fields.contains("close", in: "Connection") { return false }
    return minorVersion >= 1 || fields.contains("keep-alive", in: "Connection")
  }

  /// Appends the head as it stands on the wire, with the empty line that ends it. A control character in a value is
  /// written as a blank: no value can end the head or begin another field.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8)
    fields.append(to: &bytes)
    bytes.append(contentsOf: "\r\n".utf8)
  }
}
