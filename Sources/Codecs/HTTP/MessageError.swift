/// A rule of HTTP that a message broke. Later messages on the connection cannot be read, so a server responds with
/// `status` and closes the connection.
package enum MessageError: Error, Equatable, Sendable {
  // Lines: RFC 9112 §2.2
  case bareLineFeed
  case bareCarriageReturn

  // The request line: RFC 9112 §3
  case emptyLines
  case invalidMethodByte(UInt8)
  case methodTooLong(limit: Int)
  case connectRefused
  case invalidTargetByte(UInt8)
  case malformedTarget
  case requestLineTooLong(limit: Int)
  case malformedVersion
  case versionNotSupported(major: Int)

  // Host: RFC 9112 §3.2, RFC 9110 §7.2
  case missingHost
  case repeatedHost
  case malformedHost

  /// `Expect` has a value other than `100-continue` (RFC 9110 §10.1.1).
  case unknownExpectation

  // Fields: RFC 9112 §5, RFC 9110 §5.5
  case whitespaceBeforeFirstField
  case foldedField
  case spaceBeforeColon
  case invalidFieldNameByte(UInt8)
  case missingColon
  case controlCharacter(UInt8)
  case headTooLarge(limit: Int)
  case trailersTooLarge(limit: Int)
  case fieldTooLarge(limit: Int)
  case tooManyFields(limit: Int)

  // Framing: RFC 9112 §6
  case repeatedContentLength
  case malformedContentLength
  case repeatedTransferEncoding
  case malformedTransferEncoding
  case transferEncodingAndContentLength
  case transferEncodingBefore11
  case unknownTransferCoding
  case bodyTooLarge(limit: Int, actual: Int)

  // Chunks: RFC 9112 §7.1
  case malformedChunkSize
  case chunkSizeTooLong(limit: Int)
  case malformedChunkExtension(UInt8)
  case chunkExtensionsTooLong(limit: Int)
  case missingLineEndAfterChunk

  // Responses: RFC 9112 §4, §8

  /// The status line does not consist of `HTTP/1.x`, a status of three digits, and a phrase.
  case malformedStatusLine
  /// The status line is longer than `requestLineBytes`.
  case statusLineTooLong(limit: Int)
  /// Too many interim responses (1xx) before the final one.
  case tooManyInterimResponses(limit: Int)
  /// The connection ended inside a response.
  case cutShort
}

extension MessageError {
  /// The status of a server's refusal.
  package var status: Status {
    switch self {
    case .methodTooLong, .connectRefused, .unknownTransferCoding: .notImplemented
    case .requestLineTooLong: .uriTooLong
    case .versionNotSupported: .httpVersionNotSupported
    case .unknownExpectation: .expectationFailed
    case .headTooLarge, .trailersTooLarge, .fieldTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
    case .bodyTooLarge: .contentTooLarge
    default: .badRequest
    }
  }
}

extension MessageError: CustomStringConvertible {
  /// A sentence for human readers. It contains the limit and the actual number if these explain the error.
  package var description: String {
    switch self {
    case .bareLineFeed:
      "A line ends in LF only; lines must end in CR LF."
    case .bareCarriageReturn:
      "A CR is not followed by LF."
    case .emptyLines:
      "More than one empty line precedes the request."
    case .invalidMethodByte(let byte):
      "The method has the byte \(byte), which is not allowed in a method."
    case .methodTooLong(let limit):
      "The method is longer than \(limit) bytes, so it is not a supported method."
    case .connectRefused:
      "CONNECT is not supported: this server is not a proxy."
    case .invalidTargetByte(let byte):
      "The request target has the byte \(byte), which must be percent-encoded."
    case .malformedTarget:
      "The request target is neither a path nor an http or https address."
    case .requestLineTooLong(let limit):
      "The request line is longer than \(limit) bytes."
    case .malformedVersion:
      "The request line does not end in HTTP/1.1."
    case .versionNotSupported(let major):
      "HTTP version \(major) is not supported; use HTTP/1.1 or HTTP/1.0."
    case .missingHost:
      "The field Host is missing."
    case .repeatedHost:
      "The field Host is given more than once."
    case .malformedHost:
      "The field Host is not a host name or address with an optional port."
    case .unknownExpectation:
      "The only supported value of Expect is 100-continue."
    case .whitespaceBeforeFirstField:
      "The line after the request line or status line begins with a blank."
    case .foldedField:
      "A field continues on a second line; this obsolete form is refused."
    case .spaceBeforeColon:
      "There is a blank between a field's name and its colon."
    case .invalidFieldNameByte(let byte):
      "A field's name has the byte \(byte), which is not allowed in a name."
    case .missingColon:
      "A field line has no colon."
    case .controlCharacter(let byte):
      "A line has the control character \(byte)."
    case .headTooLarge(let limit):
      "The head is longer than \(limit) bytes."
    case .trailersTooLarge(let limit):
      "The trailers are longer than \(limit) bytes."
    case .fieldTooLarge(let limit):
      "A field is longer than \(limit) bytes."
    case .tooManyFields(let limit):
      "There are more than \(limit) fields."
    case .repeatedContentLength:
      "Content-Length is given more than once."
    case .malformedContentLength:
      "Content-Length is not a number."
    case .repeatedTransferEncoding:
      "Transfer-Encoding is given more than once."
    case .malformedTransferEncoding:
      "Transfer-Encoding must end in chunked, and contain it only once."
    case .transferEncodingAndContentLength:
      "Both Transfer-Encoding and Content-Length are given."
    case .transferEncodingBefore11:
      "Transfer-Encoding is not allowed in HTTP/1.0."
    case .unknownTransferCoding:
      "The only supported transfer coding is chunked."
    case .bodyTooLarge(let limit, let actual):
      "The body of \(actual) bytes is over the limit of \(limit)."
    case .malformedChunkSize:
      "A chunk's size is not a hexadecimal number."
    case .chunkSizeTooLong(let limit):
      "A chunk's size has more than \(limit) digits."
    case .malformedChunkExtension(let byte):
      "A chunk extension has the control character \(byte)."
    case .chunkExtensionsTooLong(let limit):
      "The chunk extensions of the body are longer than \(limit) bytes."
    case .missingLineEndAfterChunk:
      "A chunk is longer than its declared size."
    case .malformedStatusLine: "The first line is not a status line of HTTP/1.1 or HTTP/1.0."
    case .statusLineTooLong(let limit): "The status line is longer than \(limit) bytes."
    case .tooManyInterimResponses(let limit):
      "More than \(limit) interim responses precede the final one."
    case .cutShort: "The connection ended before the response was complete."
    }
  }
}
