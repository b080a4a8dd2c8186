/// A client's opening handshake: what it asks with, and how it judges the answer (RFC 6455 §4.1).
package struct UpgradeAttempt: Sendable {
  /// What the server agreed to.
  package struct Agreement: Equatable, Sendable {
    /// The subprotocol to speak; nil when the server selected none.
    package let subprotocol: String?

    /// How messages may be compressed; nil when they may not.
    package let deflate: DeflateParameters?
  }

  private let key: String
  private let subprotocols: [String]
  private let offersDeflate: Bool

  /// Asks with a key of its own.
  ///
  /// - Parameters:
  ///   - subprotocols: those that the client speaks, the one it likes best first.
  ///   - offersDeflate: whether to offer `permessage-deflate`.
  ///   - nonce: 16 bytes that nobody can foresee; by default from OpenSSL's generator.
  package init(subprotocols: [String] = [], offersDeflate: Bool = false, nonce: [UInt8]? = nil) {
    let nonce = nonce ?? randomBytes(count: 16)
    precondition(nonce.count == 16, "a key is made of 16 bytes")
    precondition(subprotocols.allSatisfy(isToken), "a subprotocol's name is a token")
    key = base64(nonce)
    self.subprotocols = subprotocols
    self.offersDeflate = offersDeflate
  }

  /// The fields of the GET request, beside `Host` and what else the caller sends.
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

  /// Judges the answer by its status and header fields. Throws the first thing that is wrong with it; then the
  /// connection is no WebSocket and must be given up.
  package func check(status: Int, fields: [HandshakeField]) throws(UpgradeResponseError) -> Agreement {
    guard status == 101 else { throw .refused(status: status) }
    guard values(of: "upgrade", in: fields).map({ trimmed($0).lowercased() }) == ["websocket"] else {
      throw .upgradeMissing
    }
    guard listElements(of: "connection", in: fields).contains(where: { $0.lowercased() == "upgrade" }) else {
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
    let deflate = try DeflateParameters.check(answer: extensions)
    guard offersDeflate || deflate == nil else {
      throw .unacceptableExtension(extensions.joined(separator: ", "))
    }
    return Agreement(subprotocol: selected.first, deflate: deflate)
  }
}

/// What is wrong with a server's answer to an opening handshake (RFC 6455 §4.1).
package enum UpgradeResponseError: Error, Equatable, Sendable {
  /// Another status than 101.
  case refused(status: Int)
  /// `Upgrade` is not `websocket`.
  case upgradeMissing
  /// No token `upgrade` in `Connection`.
  case connectionWithoutUpgrade
  /// `Sec-WebSocket-Accept` was not made from our key, or is missing.
  case wrongAccept
  /// A subprotocol that was not offered; what came.
  case subprotocolNotOffered(String)
  /// An extension, or parameters of one, that were not offered; what came.
  case unacceptableExtension(String)
}
