/// A rule for requests and responses that a peer broke: fields, framing and chunks.
package enum MessageFault: Error, Equatable, Sendable {
  // RFC 9112 §2.2
  case bareLineFeed
  case bareCarriageReturn

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
}

extension MessageFault {
  /// The status of a server's refusal.
  package var status: Status {
    switch self {
    case .headTooLarge, .trailersTooLarge, .fieldTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
    case .bodyTooLarge: .contentTooLarge
    case .unknownTransferCoding: .notImplemented
    default: .badRequest
    }
  }
}

extension MessageFault: CustomStringConvertible {
  /// A sentence for people, with the limit and the actual number where they explain it.
  package var description: String {
    switch self {
    case .bareLineFeed:
      "A line ends in LF only; lines must end in CR LF."
    case .bareCarriageReturn:
      "A CR is not followed by LF."
    case .whitespaceBeforeFirstField:
      "The line after the first one begins with a blank."
    case .foldedField:
      "A field continues on a second line; this obsolete form is refused."
    case .spaceBeforeColon:
      "There is a blank between a field's name and its colon."
    case .invalidFieldNameByte(let byte):
      "A field's name has the byte \(byte), which is not allowed there."
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
      "Transfer-Encoding does not end in chunked, once."
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
      "A chunk is longer than its size."
    }
  }
}
