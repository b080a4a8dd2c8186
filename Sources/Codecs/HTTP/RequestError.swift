/// A rule that a request broke. The rest of the connection is unreadable: respond with `status` and close.
package enum RequestError: Error, Equatable, Sendable {
  /// A rule for requests and responses: fields, framing, chunks.
  case malformed(MessageFault)

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
}

extension RequestError {
  /// The status of the refusal.
  package var status: Status {
    switch self {
    case .malformed(let fault): fault.status
    case .methodTooLong, .connectRefused: .notImplemented
    case .requestLineTooLong: .uriTooLong
    case .versionNotSupported: .httpVersionNotSupported
    case .unknownExpectation: .expectationFailed
    case .emptyLines, .invalidMethodByte, .invalidTargetByte, .malformedTarget, .malformedVersion: .badRequest
    case .missingHost, .repeatedHost, .malformedHost: .badRequest
    }
  }
}

extension RequestError: CustomStringConvertible {
  /// A sentence for people, with the limit and the actual number where they explain it.
  package var description: String {
    switch self {
    case .malformed(let fault):
      fault.description
    case .emptyLines:
      "More than one empty line precedes the request."
    case .invalidMethodByte(let byte):
      "The method has the byte \(byte), which is not allowed there."
    case .methodTooLong(let limit):
      "The method is longer than \(limit) bytes; no supported method is."
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
      "HTTP version \(major) is not supported, only HTTP/1.1 and HTTP/1.0."
    case .missingHost:
      "Host is missing."
    case .repeatedHost:
      "Host is given more than once."
    case .malformedHost:
      "Host is not a host name or address with an optional port."
    case .unknownExpectation:
      "The only supported expectation is 100-continue."
    }
  }
}
