/// A rule that a response broke. The rest of the connection is unreadable.
package enum ResponseError: Error, Equatable, Sendable {
  /// A rule for requests and responses: fields, framing, chunks.
  case malformed(MessageFault)
  /// The status line is not `HTTP/1.x`, a status of three digits and a phrase (RFC 9112 §4).
  case malformedStatusLine
  /// The status line is longer than `requestLineBytes`.
  case statusLineTooLong(limit: Int)
  /// Too many interim responses (1xx) before the final one.
  case tooManyInterimResponses(limit: Int)
  /// The connection ended inside a response (RFC 9112 §8).
  case cutShort
}

extension ResponseError: CustomStringConvertible {
  /// A sentence for people.
  package var description: String {
    switch self {
    case .malformed(let fault): fault.description
    case .malformedStatusLine: "The first line is not a status line of HTTP/1.1 or HTTP/1.0."
    case .statusLineTooLong(let limit): "The status line is longer than \(limit) bytes."
    case .tooManyInterimResponses(let limit):
      "More than \(limit) interim responses precede the final one."
    case .cutShort: "The connection ended before the response did."
    }
  }
}
