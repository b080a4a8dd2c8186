/// A rule that a response broke. After it nothing more can be read from the connection.
package enum ResponseError: Error, Equatable, Sendable {
  /// A rule that requests keep as well: fields, framing, chunks.
  case malformed(MessageFault)
  /// RFC 9112 §4: not `HTTP/1.x`, a status of three digits and a phrase.
  case malformedStatusLine
  /// The status line is longer than `requestLineBytes`.
  case statusLineTooLong(limit: Int)
  /// More interim responses (1xx) than anybody has a use for.
  case tooManyInterimResponses(limit: Int)
  /// The connection ended inside a response (RFC 9112 §8).
  case cutShort
}

extension ResponseError: CustomStringConvertible {
  /// One sentence for people.
  package var description: String {
    switch self {
    case .malformed(let fault): fault.description
    case .malformedStatusLine: "The first line is no status line of HTTP/1.1 or HTTP/1.0."
    case .statusLineTooLong(let limit): "The status line is longer than \(limit) bytes."
    case .tooManyInterimResponses(let limit):
      "More than \(limit) interim responses came before the final one."
    case .cutShort: "The connection ended before the response did."
    }
  }
}
