internal import Networking
internal import Platform

/// Computes pseudonyms of addresses. Equal addresses have equal pseudonyms; without the key, a pseudonym does not reveal its
/// address.
///
/// Sessions' records contain pseudonyms instead of addresses, so that the sessions of an address are counted over restarts.
struct AddressPseudonyms: Sendable {
  /// The length of the key in bytes.
  static let keyLength = 32

  private let key: [UInt8]

  init(key: [UInt8]) {
    precondition(key.count == Self.keyLength, "a key for addresses has \(Self.keyLength) bytes")
    self.key = key
  }

  /// Returns 32 hexadecimal digits: the same for all addresses that are counted as one client.
  func pseudonym(of address: IPAddress) -> String {
    let network = address.network
    // Key and message have fixed lengths, so a plain digest of both is as secure as an HMAC.
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
