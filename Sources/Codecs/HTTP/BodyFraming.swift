/// How the end of a request's body is known (RFC 9112 §6).
package enum BodyFraming: Equatable, Sendable {
  /// No field announces one: nothing follows the head.
  case none
  /// That many bytes follow, as `Content-Length` says.
  case length(Int)
  /// Chunks follow, of any number.
  case chunked
}

/// Gathers what `Content-Length` and `Transfer-Encoding` say, and refuses each field that contradicts another: two
/// readers that disagree about where a body ends see different requests (RFC 9112 §11.2).
struct BodyFields: Sendable {
  private(set) var framing = BodyFraming.none

  /// Takes note of a field. Call it for every field of a head, in order.
  mutating func receive(_ field: Field) throws(MessageFault) {
    if field.name.equalsIgnoringCase("content-length") {
      switch framing {
      case .none: break
      case .length: throw .repeatedContentLength
      case .chunked: throw .transferEncodingAndContentLength
      }
      // RFC 9110 §8.6; its lists of equal numbers are refused too, as §6.3 of RFC 9112 allows.
      guard let length = Grammar.decimal(field.value.utf8) else { throw .malformedContentLength }
      framing = .length(length)
    } else if field.name.equalsIgnoringCase("transfer-encoding") {
      switch framing {
      case .none: break
      case .length: throw .transferEncodingAndContentLength
      case .chunked: throw .repeatedTransferEncoding
      }
      try Self.checkTransferEncoding(field.value)
      framing = .chunked
    }
  }

  /// §6.1: chunked is the last coding, and there once. §6.3: else nobody could tell where the body ends. Codings
  /// before it are well-formed and merely unknown.
  private static func checkTransferEncoding(_ value: String) throws(MessageFault) {
    if value.equalsIgnoringCase("chunked") { return }
    let codings = value.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingBlanks() }
    guard codings.last?.equalsIgnoringCase("chunked") == true else { throw .malformedTransferEncoding }
    for coding in codings.dropLast() {
      guard !coding.isEmpty, coding.utf8.allSatisfy(Grammar.isToken), !coding.equalsIgnoringCase("chunked")
      else { throw .malformedTransferEncoding }
    }
    throw .unknownTransferCoding
  }
}
