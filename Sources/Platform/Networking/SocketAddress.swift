internal import CLinux

/// An IP address and a TCP port.
package struct SocketAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The address without the port.
  package let ip: IPAddress
  /// The port; 0 makes a listener choose a free port.
  package let port: UInt16
  /// The interface of a link-local IPv6 address; else 0.
  package let scope: UInt32

  /// Creates an address from its parts.
  package init(ip: IPAddress, port: UInt16, scope: UInt32 = 0) {
    self.ip = ip
    self.port = port
    self.scope = scope
  }

  /// Parses `HOST:PORT` and returns the first address that `resolve` returns.
  package init(_ text: String) throws(AddressError) {
    guard let first = try Self.resolve(text).first else { throw .hostHasNoAddress }
    self = first
  }

  init(_ raw: clinux_address) {
    self.init(ip: IPAddress(raw), port: raw.port, scope: raw.scope)
  }

  /// Returns the addresses of `HOST:PORT`. HOST is an IPv4 address, an IPv6 address in brackets, or a name, which the
  /// system resolves; this may block for seconds. PORT is a number from 0 to 65535.
  package static func resolve(_ text: String) throws(AddressError) -> [SocketAddress] {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { throw .missingPort }
    let digits = text[text.utf8.index(after: colon)...]
    // UInt16 would accept a sign.
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits) else { throw .badPort }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { throw .missingHost }
    guard isBracketed == host.utf8.contains(UInt8(ascii: ":")) else { throw .badBrackets }
    guard !host.utf8.contains(0) else { throw .hostHasNoAddress }
    return try lookUp(String(host), isNumeric: isBracketed).map { found in
      SocketAddress(ip: IPAddress(found), port: port, scope: found.scope)
    }
  }

  /// True for a loopback address.
  package var isLoopback: Bool { ip.isLoopback }

  /// The address without the port; an IPv4-mapped address as IPv4.
  package var host: String { ip.description }

  /// `192.0.2.1:8080` or `[2001:db8::1]:8080`.
  package var description: String {
    ip.isV6 ? "[\(ip)]:\(port)" : "\(ip):\(port)"
  }

  var raw: clinux_address {
    var raw = clinux_address()
    raw.is_v6 = ip.isV6 ? 1 : 0
    raw.high = ip.high
    raw.low = ip.low
    raw.port = port
    raw.scope = scope
    return raw
  }

  private static func lookUp(
    _ host: String, isNumeric: Bool
  ) throws(AddressError) -> ArraySlice<clinux_address> {
    let capacity = 16
    var found = [clinux_address](repeating: clinux_address(), count: capacity)
    let count = unsafe found.withUnsafeMutableBufferPointer { found in
      unsafe clinux_resolve(host, isNumeric ? 1 : 0, found.baseAddress, capacity)
    }
    guard count >= 0 else { throw .unknownHost(code: count) }
    return found.prefix(Int(count))
  }
}

/// The reason why a text is not an address to listen on or to connect to.
package enum AddressError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text has no colon with a port after it.
  case missingPort
  /// The port is not a number from 0 to 65535.
  case badPort
  /// The text has no host before the port.
  case missingHost
  /// An IPv6 address is not in brackets, or a host that is not an IPv6 address is in brackets.
  case badBrackets
  /// The resolver does not know the name; the code is that of `getaddrinfo`.
  case unknownHost(code: CInt)
  /// The name has neither an IPv4 nor an IPv6 address.
  case hostHasNoAddress

  /// The problem as a phrase to append to the refused text, such as `has no port`.
  package var description: String {
    switch self {
    case .missingPort: "has no port; write HOST:PORT"
    case .badPort: "has no port from 0 to 65535 after its last colon"
    case .missingHost: "has no host before the port; write 0.0.0.0 for every address"
    case .badBrackets: "must have an IPv6 address, and nothing else, in brackets: [::1]:8080"
    case .unknownHost(let code): "names a host that was not found: \(Self.words(for: code))"
    case .hostHasNoAddress: "names a host that has no IP address"
    }
  }

  private static func words(for code: CInt) -> String {
    guard let text = unsafe clinux_resolve_error(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
