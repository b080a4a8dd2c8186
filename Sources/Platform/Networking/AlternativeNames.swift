internal import Platform
internal import CLinux

/// The host names and addresses that a certificate is valid for (RFC 5280 §4.2.1.6).
package struct AlternativeNames: Equatable, Sendable {
  /// The host names, in order, without duplicates.
  package private(set) var hosts: [String] = []
  /// The addresses, in order, without duplicates.
  package private(set) var addresses: [IPAddress] = []

  /// Creates a list of names and addresses. Omits texts that are not host names.
  package init(hosts: [String], addresses: [IPAddress]) {
    for host in hosts where Self.isHostName(host) && !self.hosts.contains(host) {
      self.hosts.append(host)
    }
    for address in addresses where !self.addresses.contains(address) {
      self.addresses.append(address)
    }
  }

  /// Returns the names and addresses of this machine: `localhost`, its host name (complete, the first label alone, and this
  /// label with `.local`, which other machines on the network use), and the addresses of its interfaces.
  package static func ofThisMachine() -> AlternativeNames {
    let host = hostName()
    let first = host.prefix { $0 != "." }
    return AlternativeNames(
      hosts: ["localhost", host, String(first), "\(first).local"],
      addresses: [IPAddress(v4: 0x7f00_0001), IPAddress(v6High: 0, low: 1)]
        // A URL cannot contain a link-local address.
        + interfaceAddresses().filter { !$0.isLinkLocal && !$0.isUnspecified })
  }

  /// The list in the syntax of OpenSSL's configuration. `isHostName` has excluded names with a comma, which would end an
  /// element.
  var notation: String {
    (hosts.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(separator: ",")
  }

  /// Returns true if the text consists of labels of letters, digits and hyphens (RFC 1123 §2.1), and is not a numeric address.
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
