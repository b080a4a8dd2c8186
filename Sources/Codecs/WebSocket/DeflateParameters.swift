/// The negotiated parameters of `permessage-deflate` (RFC 7692 §7.1). Neither end keeps its window between two
/// messages, in either direction, so one compressor serves all connections.
package struct DeflateParameters: Equatable, Sendable {
  /// The extension's name in `Sec-WebSocket-Extensions`.
  package static let extensionName = "permessage-deflate"

  /// The base-2 logarithm of the window that the server uses to compress: 9 to 15 for a gateway; 8 is possible for other servers.
  package var serverWindowBits: Int { Int(serverWindow) }

  /// The base-2 logarithm of the window that the client uses to compress; nil if the server did not specify one.
  package var clientMaxWindowBits: Int? { clientMaxWindow.map { Int($0) } }

  // Small types, because every connection stores these parameters.
  private let serverWindow: UInt8
  private let clientMaxWindow: UInt8?
  private let namesServerWindow: Bool

  /// A client's offer (§7.1), without context takeover on either side. The offer does not contain `client_max_window_bits`. So
  /// no server can request a client window of 256 bytes, which zlib cannot create.
  package static let clientOffer =
    "\(extensionName); server_no_context_takeover; client_no_context_takeover"

  /// Returns the window that `role` uses to compress.
  package func windowBits(for role: Role) -> Int {
    switch role {
    case .server: serverWindowBits
    case .client: clientMaxWindowBits ?? 15
    }
  }

  /// The server's response in `Sec-WebSocket-Extensions` (§7.1).
  package var responseValue: String {
    var value = "\(Self.extensionName); server_no_context_takeover; client_no_context_takeover"
    if namesServerWindow { value += "; server_max_window_bits=\(serverWindowBits)" }
    if let bits = clientMaxWindowBits { value += "; client_max_window_bits=\(bits)" }
    return value
  }

  /// Accepts the first acceptable offer of a client (§5.1), given the values of its `Sec-WebSocket-Extensions` fields. Returns
  /// nil if no offer is acceptable; the connection then continues without compression.
  package static func negotiate(offers: [String]) -> DeflateParameters? {
    for element in offers.flatMap(extensionElements(in:)) {
      if let element, let parameters = DeflateParameters(offer: element) { return parameters }
    }
    return nil
  }

  /// Checks a server's response to `clientOffer`, given the values of its `Sec-WebSocket-Extensions` fields. Returns nil if the
  /// server declined. Throws if the server accepted parameters that were not offered (§7.1); the connection then fails.
  package static func check(response: [String]) throws(UpgradeResponseError) -> DeflateParameters? {
    let elements = response.flatMap(extensionElements(in:))
    guard let element = elements.first else { return nil }
    guard elements.count == 1, let element, let parameters = DeflateParameters(response: element) else {
      throw .unacceptableExtension(response.joined(separator: ", "))
    }
    return parameters
  }

  /// Accepts an offer. Returns nil for another extension, for a parameter that is unknown, repeated or has a wrong value (§7.1),
  /// and for a window of 256 bytes, because zlib cannot create a raw stream with it.
  private init?(offer: ExtensionElement) {
    guard let parsed = ParsedParameters(offer) else { return nil }
    switch parsed.serverMaxWindowBits {
    case .absent:
      (serverWindow, namesServerWindow) = (15, false)
    case .bits(let bits) where bits >= 9:
      (serverWindow, namesServerWindow) = (bits, true)
    case .bits, .withoutValue:
      return nil
    }
    // A server may limit the client's window only if the client offers `client_max_window_bits` (§7.1.2.2). Our own window for
    // inflating has the maximum size, so we never request a smaller window than the client offers.
    switch parsed.clientMaxWindowBits {
    case .absent, .withoutValue: clientMaxWindow = nil
    case .bits(let bits): clientMaxWindow = bits
    }
  }

  /// Accepts a response to `clientOffer`.
  private init?(response: ExtensionElement) {
    guard let parsed = ParsedParameters(response) else { return nil }
    // The server must confirm that it keeps no window (§7.1.1.1). The confirmation that the client keeps no window is optional.
    guard parsed.serverNoContextTakeover, parsed.clientMaxWindowBits == .absent else { return nil }
    switch parsed.serverMaxWindowBits {
    case .absent: (serverWindow, namesServerWindow) = (15, false)
    case .bits(let bits): (serverWindow, namesServerWindow) = (bits, true)
    case .withoutValue: return nil
    }
    clientMaxWindow = nil
  }
}

/// The parameters of one element, each at most once and with a valid value (§7.1).
private struct ParsedParameters {
  enum WindowBits: Equatable {
    case absent
    case withoutValue
    case bits(UInt8)
  }

  private(set) var serverNoContextTakeover = false
  private(set) var clientNoContextTakeover = false
  private(set) var serverMaxWindowBits = WindowBits.absent
  private(set) var clientMaxWindowBits = WindowBits.absent

  init?(_ element: ExtensionElement) {
    guard element.name.lowercased() == DeflateParameters.extensionName else { return nil }
    for parameter in element.parameters {
      switch parameter.name.lowercased() {
      case "server_no_context_takeover":
        guard !serverNoContextTakeover, parameter.value == nil else { return nil }
        serverNoContextTakeover = true
      case "client_no_context_takeover":
        guard !clientNoContextTakeover, parameter.value == nil else { return nil }
        clientNoContextTakeover = true
      case "server_max_window_bits":
        guard serverMaxWindowBits == .absent, let bits = Self.windowBits(parameter.value) else { return nil }
        serverMaxWindowBits = bits
      case "client_max_window_bits":
        guard clientMaxWindowBits == .absent, let bits = Self.windowBits(parameter.value) else { return nil }
        clientMaxWindowBits = bits
      default:
        return nil
      }
    }
  }

  /// Parses the size of a window (§7.1.2): a decimal number from 8 to 15 without leading zeros.
  private static func windowBits(_ value: String?) -> WindowBits? {
    guard let value else { return .withoutValue }
    guard let bits = UInt8(value), (8...15).contains(bits), String(bits) == value else { return nil }
    return .bits(bits)
  }
}
