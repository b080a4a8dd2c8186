/// A response's status code (RFC 9110 §15), 100–999.
package struct Status: Equatable, Hashable, Sendable {
  package let code: Int

  package init(_ code: Int) {
    precondition((100...999).contains(code), "a status code must have three digits")
    self.code = code
  }

  /// True for an interim response; any number of interim responses may precede the final one.
  package var isInformational: Bool { code < 200 }

  /// True if a response of this status never has content, even if its fields announce some (RFC 9112 §6.3).
  package var forbidsContent: Bool { code < 200 || code == 204 || code == 304 }

  /// The reason phrase from RFC 9110 §15, IANA's registry or tus; empty for other codes.
  package var reasonPhrase: String { Self.reasonPhrases[code] ?? "" }

  package static let `continue` = Status(100)
  package static let switchingProtocols = Status(101)
  package static let ok = Status(200)
  package static let created = Status(201)
  package static let noContent = Status(204)
  package static let partialContent = Status(206)
  package static let notModified = Status(304)
  package static let permanentRedirect = Status(308)
  package static let badRequest = Status(400)
  package static let notFound = Status(404)
  package static let methodNotAllowed = Status(405)
  package static let gone = Status(410)
  package static let preconditionFailed = Status(412)
  package static let contentTooLarge = Status(413)
  package static let uriTooLong = Status(414)
  package static let rangeNotSatisfiable = Status(416)
  package static let expectationFailed = Status(417)
  package static let requestHeaderFieldsTooLarge = Status(431)
  package static let notImplemented = Status(501)
  package static let httpVersionNotSupported = Status(505)

  private static let reasonPhrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
    205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
    413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
    425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    460: "Checksum Mismatch",  // tus 1.0.0: the content does not match `Upload-Checksum`
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
  ]
}

extension Status: ExpressibleByIntegerLiteral {
  package init(integerLiteral code: Int) {
    self.init(code)
  }
}
