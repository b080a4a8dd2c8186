internal import Platform
internal import CLinux

/// The names and addresses that a certificate is for (RFC 5280 §4.2.1.6).
package struct AlternativeNames: Equatable, Sendable {
  /// The names, in order and once each.
  package private(set) var hosts: [String] = []
  /// The addresses, in order and once each.
  package private(set) var addresses: [IPAddress] = []

  /// These names and addresses; what is no host name is left out.
  package init(hosts: [String], addresses: [IPAddress]) {
    for host in hosts where Self.isHostName(host) && !self.hosts.contains(host) {
      self.hosts.append(host)
    }
    for address in addresses where !self.addresses.contains(address) {
      self.addresses.append(address)
    }
  }

  /// What this machine may be reached by: `localhost`, its host name (alone, and as `.local`, which the
  /// neighbours on its network use), and the addresses of its interfaces.
  package static func ofThisMachine() -> AlternativeNames {
    let host = hostName()
    let first = host.prefix { $0 != "." }
    return AlternativeNames(
      hosts: ["localhost", host, String(first), "\(first).local"],
      addresses: [IPAddress(v4: 0x7f00_0001), IPAddress(v6High: 0, low: 1)]
        // Link-local addresses can stand in no URL.
        + interfaceAddresses().filter { !$0.isLinkLocal && !$0.isUnspecified })
  }

  /// In the notation of OpenSSL's configuration. Nothing in a name can end it early: see `isHostName`.
  var notation: String {
    (hosts.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(separator: ",")
  }

  /// Labels of letters, digits and hyphens (RFC 1123 §2.1), and what is no address in numbers.
  private static func isHostName(_ text: String) -> Bool {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= 253 && IPAddress(text) == nil
      && labels.allSatisfy { label in
        (1...63).contains(label.count)
          && label.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
              true
            default: false
            }
          }
      }
  }

  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    let status = unsafe name.withUnsafeMutableBufferPointer { name in
      unsafe clinux_host_name(name.baseAddress, name.count)
    }
    return status == 0 ? SystemError.text(name) : ""
  }

  private static func interfaceAddresses() -> [IPAddress] {
    var raw = [clinux_address](repeating: clinux_address(), count: 64)
    let count = unsafe raw.withUnsafeMutableBufferPointer { raw in
      unsafe clinux_interface_addresses(raw.baseAddress, raw.count)
    }
    return raw.prefix(max(0, Int(count))).map { IPAddress($0) }
  }
}
