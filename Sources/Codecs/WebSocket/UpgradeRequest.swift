/// A client's opening handshake that a server can accept (RFC 6455 §4.2.1).
package struct UpgradeRequest: Equatable, Sendable {
  /// The value of `Sec-WebSocket-Accept` (§4.2.2).
  package let accept: String

  /// The subprotocols that the client supports, in order of preference; may be empty.
  package let subprotocols: [String]

  /// The negotiated compression; nil if the client offered no acceptable compression.
  package let deflate: DeflateParameters?

  /// Checks the request for a WebSocket.
  ///
  /// - Parameters:
  ///   - method: the method; must be GET.
  ///   - minorVersion: the minor version of HTTP; 1 for HTTP/1.1.
  ///   - fields: all header fields in order; names in any case.
  /// - Returns: the accepted handshake; see `responseFields(subprotocol:)`.
  /// - Throws: the rule that the request breaks, with its HTTP status.
  package static func evaluate(
    method: String, minorVersion: Int, fields: [HandshakeField]
  ) throws(UpgradeRequestError) -> UpgradeRequest {
    guard method == "GET" else { throw .methodNotGet }  // RFC 6455 §4.1, item 2
    guard minorVersion >= 1 else { throw .httpVersionTooOld }  // RFC 6455 §4.1, item 2; RFC 9110 §7.8
    // RFC 6455 §4.2.1, item 3.
    guard hasElement("websocket", of: "upgrade", in: fields) else { throw .notAnUpgrade }
    guard hasElement("upgrade", of: "connection", in: fields) else {
      throw .connectionWithoutUpgrade  // RFC 6455 §4.2.1, item 4
    }
    let versions = values(of: "sec-websocket-version", in: fields)
    guard versions.count == 1, trimmed(versions[0]) == "13" else {
      throw .unsupportedVersion(versions.joined(separator: ", "))  // RFC 6455 §4.2.1, item 6; §4.4
    }
    let keys = values(of: "sec-websocket-key", in: fields).map(trimmed)
    guard keys.count == 1 else { throw .keyCount(keys.count) }  // RFC 6455 §11.3.1
    // RFC 6455 §4.2.1, item 5.
    guard isBase64OfSixteenBytes(keys[0]) else { throw .invalidKey(length: keys[0].utf8.count) }
    let subprotocols = listElements(of: "sec-websocket-protocol", in: fields)
    guard subprotocols.allSatisfy(isToken),
      subprotocols.count < 2 || Set(subprotocols).count == subprotocols.count
    else {
      throw .invalidSubprotocols  // RFC 6455 §4.1, item 10
    }
    let deflate = DeflateParameters.negotiate(offers: values(of: "sec-websocket-extensions", in: fields))
    return UpgradeRequest(accept: acceptValue(forKey: keys[0]), subprotocols: subprotocols, deflate: deflate)
  }

  /// Returns the fields of the response with status 101 (§4.2.2). `subprotocol` is one of `subprotocols`, or nil for
  /// none.
  package func responseFields(subprotocol: String? = nil) -> [HandshakeField] {
    precondition(subprotocol.map(subprotocols.contains) ?? true, "the client did not offer the subprotocol")
    var fields: [HandshakeField] = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept),
    ]
    if let subprotocol { fields.append(("Sec-WebSocket-Protocol", subprotocol)) }
    if let deflate { fields.append(("Sec-WebSocket-Extensions", deflate.responseValue)) }
    return fields
  }
}

/// A defect of a request for a WebSocket, with the wrong value.
package enum UpgradeRequestError: Error, Equatable, Sendable {
  /// The method is not GET.
  case methodNotGet
  /// The version is HTTP/1.0, which has no upgrade.
  case httpVersionTooOld
  /// `Upgrade: websocket` is missing: the request is an ordinary HTTP request.
  case notAnUpgrade
  /// `Connection` has no token `upgrade`.
  case connectionWithoutUpgrade
  /// `Sec-WebSocket-Version` is not 13. The value is empty if the field is missing.
  case unsupportedVersion(String)
  /// `Sec-WebSocket-Key` is missing or repeated. The value is the number of fields.
  case keyCount(Int)
  /// The key is not the base64 of 16 bytes. The value is the length of the key.
  case invalidKey(length: Int)
  /// A subprotocol is not a token, or is named twice.
  case invalidSubprotocols
  /// The request has a body. A proxy would read the bytes after the head as this body, but the server would read them as frames.
  case hasBody

  /// The HTTP status of the refusal.
  package var status: Int {
    switch self {
    case .methodNotGet: 405
    case .httpVersionTooOld, .notAnUpgrade, .unsupportedVersion: 426
    case .connectionWithoutUpgrade, .keyCount, .invalidKey, .invalidSubprotocols, .hasBody: 400
    }
  }

  /// The header fields of the response to the refused request. They name values that the server accepts (RFC 6455 §4.4, RFC 9110
  /// §15.5.22).
  package var responseFields: [HandshakeField] {
    switch status {
    case 405: [("Allow", "GET")]
    case 426: [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")]
    default: []
    }
  }

  /// The defect in words.
  package var reason: String {
    switch self {
    case .methodNotGet: "a request for a WebSocket must use GET"
    case .httpVersionTooOld: "a WebSocket requires HTTP/1.1"
    case .notAnUpgrade: "this path is for WebSockets, but the request has no field Upgrade: websocket"
    case .connectionWithoutUpgrade: "Connection does not contain the token upgrade"
    case .unsupportedVersion(""): "Sec-WebSocket-Version is missing; version 13 is supported"
    case .unsupportedVersion: "only version 13 of WebSocket is supported"
    case .keyCount(let count): "expected one Sec-WebSocket-Key, not \(count)"
    case .invalidKey: "Sec-WebSocket-Key is not the base64 of 16 bytes"
    case .hasBody: "an opening handshake must not have a body"
    case .invalidSubprotocols: "Sec-WebSocket-Protocol is not a list of distinct tokens"
    }
  }
}
