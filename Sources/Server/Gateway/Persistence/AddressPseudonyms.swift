internal import Networking
internal import Platform

/// Computes pseudonyms of addresses. Equal addresses have equal pseudonyms; without the key, a pseudonym does not reveal its
/// address.
///
/// The records of sessions contain pseudonyms instead of addresses. With these pseudonyms, the gateway can count the sessions of
/// each address even after a restart.
struct AddressPseudonyms: Sendable {
  /// The length of the key in bytes.
  static let keyLength = 32

  private let key: [UInt8]

  init(key: [UInt8]) {
    precondition(key.count == Self.keyLength, "the pseudonym key must have \(Self.keyLength) bytes")
    self.key = key
  }

  /// Returns the pseudonym of an address: 32 hexadecimal digits. All addresses of one network count as one client and have the
  /// same pseudonym.
  func pseudonym(of address: IPAddress) -> String {
    let network = address.network
    // Key and address have fixed lengths, so a plain digest of their concatenation is as secure as an HMAC.
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
