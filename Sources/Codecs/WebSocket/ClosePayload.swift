/// The payload of a close frame (RFC 6455 §5.5.1).
package struct ClosePayload: Equatable, Sendable {
  /// The maximum number of bytes of a reason: the 125 payload bytes of a control frame, minus two bytes for the code.
  package static let maximumReasonLength = 123

  /// The close code; nil if the frame was empty.
  package let code: CloseCode?
  package let reason: String

  /// Creates a payload. A reason of more than 123 bytes is truncated after the last Unicode scalar that fits.
  package init(code: CloseCode, reason: String = "") {
    precondition(code.isValidOnTheWire, "the close code must be valid on the wire")
    self.code = code
    var length = 0
    let fitting = reason.unicodeScalars.prefix { scalar in
      length += scalar.utf8.count
      return length <= Self.maximumReasonLength
    }
    self.reason = String(String.UnicodeScalarView(fitting))
  }

  /// Creates the payload of an empty close frame, without a code.
  package init() {
    code = nil
    reason = ""
  }

  /// Parses the unmasked payload of a close frame. Throws for an incomplete code, a code that must not be sent
  /// (§7.4), and a reason that is not UTF-8.
  package init(parsing payload: [UInt8]) throws(ProtocolError) {
    guard let high = payload.first else {
      self.init()
      return
    }
    guard payload.count > 1 else { throw .closePayloadTooShort }
    let code = CloseCode(rawValue: UInt16(high) << 8 | UInt16(payload[1]))
    guard code.isValidOnTheWire else { throw .invalidCloseCode(code.rawValue) }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidCloseReason }
    self = ClosePayload(parsed: code, reason: reason)
  }

  private init(parsed code: CloseCode, reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The payload as it is in the frame, at most 125 bytes.
  package var bytes: [UInt8] {
    guard let code else { return [] }
    return [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + reason.utf8
  }
}
