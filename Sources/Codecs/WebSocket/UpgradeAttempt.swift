/// A client's opening handshake: its request, and the check of the response (RFC 6455 §4.1).
package struct UpgradeAttempt: Sendable {
  /// The subprotocol and the compression on which client and server agreed.
  package struct Agreement: Equatable, Sendable {
    /// The negotiated subprotocol; nil if the server selected none.
    package let subprotocol: String?

    /// The negotiated compression; nil if messages must not be compressed.
    package let deflate: DeflateParameters?
  }

  private let key: String
  private let subprotocols: [String]
  private let offersDeflate: Bool

  /// Creates a request with its own key.
  ///
  /// - Parameters:
  ///   - subprotocols: the subprotocols that the client supports, in order of preference.
  ///   - offersDeflate: true to offer `permessage-deflate`.
  ///   - nonce: 16 unpredictable bytes; by default from OpenSSL's generator.
  package init(subprotocols: [String] = [], offersDeflate: Bool = false, nonce: [UInt8]? = nil) {
    let nonce = nonce ?? randomBytes(count: 16)
    precondition(nonce.count == 16, "the nonce of a key must have 16 bytes")
    precondition(subprotocols.allSatisfy(isToken), "the name of a subprotocol must be a token")
    key = base64(nonce)
    self.subprotocols = subprotocols
    self.offersDeflate = offersDeflate
  }

  /// The handshake's fields in the GET request. The caller adds `Host` and any other fields.
  package var requestFields: [HandshakeField] {
    var fields: [HandshakeField] = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key),
      ("Sec-WebSocket-Version", "13"),
    ]
    if !subprotocols.isEmpty {
      fields.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")))
    }
    if offersDeflate { fields.append(("Sec-WebSocket-Extensions", DeflateParameters.clientOffer)) }
    return fields
  }

  /// Checks the response by its status and header fields. Throws the first defect that it finds; the caller must then close the
  /// connection.
  package func check(status: Int, fields: [HandshakeField]) throws(UpgradeResponseError) -> Agreement {
    guard status == 101 else { throw .refused(status: status) }
    guard values(of: "upgrade", in: fields).map({ trimmed($0).lowercased() }) == ["websocket"] else {
      throw .upgradeMissing
    }
    guard hasElement("upgrade", of: "connection", in: fields) else {
      throw .connectionWithoutUpgrade
    }
    guard values(of: "sec-websocket-accept", in: fields).map(trimmed) == [acceptValue(forKey: key)] else {
      throw .wrongAccept
    }
    let selected = values(of: "sec-websocket-protocol", in: fields).map(trimmed)
    guard selected.count <= 1, selected.allSatisfy(subprotocols.contains) else {
      throw .subprotocolNotOffered(selected.joined(separator: ", "))
    }
    let extensions = values(of: "sec-websocket-extensions", in: fields)
    let deflate = try DeflateParameters.check(response: extensions)
    guard offersDeflate || deflate == nil else {
      throw .unacceptableExtension(extensions.joined(separator: ", "))
    }
    return Agreement(subprotocol: selected.first, deflate: deflate)
  }
}

/// A defect of a server's response to an opening handshake (RFC 6455 §4.1).
package enum UpgradeResponseError: Error, Equatable, Sendable {
  /// The status is not 101.
  case refused(status: Int)
  /// `Upgrade` is not `websocket`.
  case upgradeMissing
  /// `Connection` has no token `upgrade`.
  case connectionWithoutUpgrade
  /// `Sec-WebSocket-Accept` does not match our key, or is missing.
  case wrongAccept
  /// The subprotocol was not offered. The associated value is the value of `Sec-WebSocket-Protocol`.
  case subprotocolNotOffered(String)
  /// An extension, or a parameter of it, was not offered. The associated value is the value of
  /// `Sec-WebSocket-Extensions`.
  case unacceptableExtension(String)
}
