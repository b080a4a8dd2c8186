internal import Platform
internal import CLinux

/// An IPv4 or IPv6 address without a port. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes the IPv4 address.
package struct IPAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The first 64 bits of an IPv6 address; 0 for IPv4.
  package let high: UInt64
  /// The last 64 bits of an IPv6 address, or the 32 bits of an IPv4 address.
  package let low: UInt64
  /// True for an IPv6 address.
  package let isV6: Bool

  /// Creates an IPv4 address from its 32 bits: 127.0.0.1 is 0x7f00_0001.
  package init(v4 bits: UInt32) {
    isV6 = false
    high = 0
    low = UInt64(bits)
  }

  /// Creates an IPv6 address from its two halves, or the IPv4 address that is mapped in it (RFC 4291 §2.5.5.2).
  package init(v6High high: UInt64, low: UInt64) {
    let isMapped = high == 0 && low >> 32 == 0xffff
    isV6 = !isMapped
    self.high = high
    self.low = isMapped ? low & 0xffff_ffff : low
  }

  /// Parses a numeric address, `192.0.2.1` or `2001:db8::1`; `nil` for any other text, such as a host name.
  package init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    var raw = clinux_address()
    guard unsafe clinux_resolve(text, 1, &raw, 1) == 1 else { return nil }
    self.init(raw)
  }

  init(_ raw: clinux_address) {
    if raw.is_v6 != 0 {
      self.init(v6High: raw.high, low: raw.low)
    } else {
      self.init(v4: UInt32(truncatingIfNeeded: raw.low))
    }
  }

  /// True for a loopback address: 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    isV6 ? high == 0 && low == 1 : low >> 24 == 127
  }

  /// True for the unspecified address, which means every address of the machine: 0.0.0.0 or ::.
  package var isUnspecified: Bool {
    high == 0 && low == 0
  }

  /// True for a link-local address: 169.254.0.0/16 or fe80::/10.
  package var isLinkLocal: Bool {
    isV6 ? high >> 54 == 0xfe80 >> 6 : low >> 16 == 0xa9fe
  }

  /// True for an address that is not routed on the Internet: private (RFC 1918 §3, RFC 4193 §3.1) or link-local.
  package var isPrivate: Bool {
    if isLinkLocal { return true }
    if isV6 { return high >> 57 == 0xfc >> 1 }
    return low >> 24 == 10 || low >> 20 == 0xac1 || low >> 16 == 0xc0a8
  }

  /// The network that counts as one client: an IPv4 address itself, or the /64 of an IPv6 address, because one client may use
  /// any of the 2^64 addresses of its /64.
  package var network: IPAddress {
    isV6 ? IPAddress(v6High: high, low: 0) : self
  }

  /// The network of the address: 24 bits of an IPv4 address, 48 bits of an IPv6 address. These bits show where many
  /// clients come from, but do not identify a person.
  package var masked: IPAddress {
    isV6 ? IPAddress(v6High: high & ~0xffff, low: 0) : IPAddress(v4: UInt32(truncatingIfNeeded: low) & ~0xff)
  }

  /// The numeric address, IPv6 as in RFC 5952, without brackets.
  package var description: String {
    var raw = clinux_address()
    raw.is_v6 = isV6 ? 1 : 0
    raw.high = high
    raw.low = low
    var text = [CChar](repeating: 0, count: Int(clinux_address_text_capacity))
    let status = unsafe text.withUnsafeMutableBufferPointer { text in
      unsafe clinux_address_text(&raw, text.baseAddress)
    }
    precondition(status == 0, "the text of an address exceeds its buffer")
    return SystemError.text(text)
  }
}
