internal import Transport

/// Makes pseudonyms of addresses: whoever has the key can tell whether two are of the same address, and nobody else can.
///
/// They stand in sessions' records, so that an address is counted over restarts and no address is kept.
struct AddressPseudonyms: Sendable {
  /// The length of the key in bytes.
  static let keyLength = 32

  private let key: [UInt8]

  init(key: [UInt8]) {
    precondition(key.count == Self.keyLength, "a key for addresses has \(Self.keyLength) bytes")
    self.key = key
  }

  /// Returns 32 hexadecimal digits, the same for all addresses that count as one client.
  func pseudonym(of address: IPAddress) -> String {
    let network = address.network
    // Key and message have one length each, so that a plain digest of both is as good as an HMAC.
    var message = key
    message.append(network.isV6 ? 6 : 4)
    for half in [network.high, network.low] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        message.append(UInt8(truncatingIfNeeded: half >> shift))
      }
    }
    return String(SHA256Digest(of: message.span).description.prefix(32))
  }
}
