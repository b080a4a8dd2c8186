/// A close code (RFC 6455 §7.4): any number. `isValidOnTheWire` is true for the codes that may be sent.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  /// Wraps any number, valid or not.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// 1000: the purpose of the connection is fulfilled.
  package static let normalClosure = CloseCode(rawValue: 1000)
  /// 1001: the user left the page, or the server shuts down.
  package static let goingAway = CloseCode(rawValue: 1001)
  /// 1002: the peer broke a rule of the protocol.
  package static let protocolError = CloseCode(rawValue: 1002)
  /// 1005: the value for a close frame without a code; never sent.
  package static let noStatusReceived = CloseCode(rawValue: 1005)
  /// 1007: the data does not match the kind of its message: text that is not UTF-8, or bytes that do not inflate.
  package static let invalidPayload = CloseCode(rawValue: 1007)
  /// 1009: the message is too large to process.
  package static let messageTooBig = CloseCode(rawValue: 1009)
  /// 1013: try again later (IANA's registry).
  package static let tryAgainLater = CloseCode(rawValue: 1013)

  /// True if a close frame may contain this code: a code that RFC 6455 §7.4.1 or IANA's registry defines for the wire
  /// (1000–1003, 1007–1014), or one for libraries and applications (3000–4999, §7.4.2).
  package var isValidOnTheWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
