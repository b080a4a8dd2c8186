/// The way in which the end of a body is determined (RFC 9112 §6).
package enum BodyFraming: Equatable, Sendable {
  /// No body: no field announces one.
  case none
  /// A body with this number of bytes, as in `Content-Length`.
  case length(Int)
  /// A body in any number of chunks.
  case chunked
}

/// The framing of a body according to `Content-Length` and `Transfer-Encoding`. Refuses contradictory fields, because two readers
/// that disagree about the end of a body see different requests (RFC 9112 §11.2).
struct BodyFields: Sendable {
  private(set) var framing = BodyFraming.none

  /// Processes a field. Called for every field of a head, in order.
  mutating func receive(_ field: Field) throws(MessageError) {
    if field.name.equalsIgnoringCase("content-length") {
      switch framing {
      case .none: break
      case .length: throw .repeatedContentLength
      case .chunked: throw .transferEncodingAndContentLength
      }
      // RFC 9110 §8.6: the value is one number. A list of equal numbers is refused too; RFC 9112 §6.3 permits this refusal.
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

  /// Checks that `chunked` is the last transfer coding and that it occurs only once (§6.1). Otherwise, the end of the body is
  /// undefined (§6.3). A valid list with other codings before `chunked` is refused as unsupported.
  private static func checkTransferEncoding(_ value: String) throws(MessageError) {
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
