/// A response without its body: the status line and the fields (RFC 9112 §4, §5).
package struct ResponseHead: Equatable, Sendable {
  package var status: Status
  /// 1 for HTTP/1.1, 0 for HTTP/1.0. A sent response always has 1.
  package let minorVersion: Int
  /// The reason phrase: in a received response, the phrase of its status line; in a sent response, the standard phrase of its
  /// status.
  package let reason: String
  package var fields: FieldList

  /// Creates a response to send. The caller adds `Content-Length` or `Transfer-Encoding`, `Connection` and `Date`.
  package init(_ status: Status, fields: FieldList = [:]) {
    self.init(status: status, minorVersion: 1, reason: status.reasonPhrase, fields: fields)
  }

  init(status: Status, minorVersion: Int, reason: String, fields: FieldList) {
    self.status = status
    self.minorVersion = minorVersion
    self.reason = reason
    self.fields = fields
  }

  /// True if the connection stays open after this response (RFC 9112 §9.3), according to its head.
  package var keepsAlive: Bool {
    if fields.contains("close", in: "Connection") { return false }
    return minorVersion >= 1 || fields.contains("keep-alive", in: "Connection")
  }

  /// Appends the head as it is on the wire, with the empty line at its end. A control character in a value is written as a
  /// blank, so that no value can end the head or begin another field.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8)
    fields.append(to: &bytes)
    bytes.append(contentsOf: "\r\n".utf8)
  }
}
