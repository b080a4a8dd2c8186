/// What both ends agreed on about `permessage-deflate` (RFC 7692 §7.1). Neither keeps its window between two
/// messages, in either direction: so one compressor serves all connections.
package struct DeflateParameters: Equatable, Sendable {
  /// The extension's name in `Sec-WebSocket-Extensions`.
  package static let extensionName = "permessage-deflate"

  /// The base-2 logarithm of the window that the server compresses with: 9 to 15, or 8 when another's server does.
  package var serverWindowBits: Int { Int(serverWindow) }

  /// The same for the client; nil when the server did not say.
  package var clientMaxWindowBits: Int? { clientMaxWindow.map { Int($0) } }

  // Every socket has one of these.
  private let serverWindow: UInt8
  private let clientMaxWindow: UInt8?
  private let namesServerWindow: Bool

  /// What a client offers (§7.1): no window kept on either side. It names no limit for its own window, so that no
  /// server asks for one of 256 bytes, which zlib cannot make.
  package static let clientOffer =
    "\(extensionName); server_no_context_takeover; client_no_context_takeover"

  /// The window that `role` compresses with.
  package func windowBits(for role: Role) -> Int {
    switch role {
    case .server: serverWindowBits
    case .client: clientMaxWindowBits ?? 15
    }
  }

  /// The server's answer in `Sec-WebSocket-Extensions` (§7.1).
  package var responseValue: String {
    var value = "\(Self.extensionName); server_no_context_takeover; client_no_context_takeover"
    if namesServerWindow { value += "; server_max_window_bits=\(serverWindowBits)" }
    if let bits = clientMaxWindowBits { value += "; client_max_window_bits=\(bits)" }
    return value
  }

  /// Answers a client's offers, given as the values of its `Sec-WebSocket-Extensions` fields: takes the first that
  /// can be met (§5.1). Nil when none is; then the connection goes on without compression.
  package static func negotiate(offers: [String]) -> DeflateParameters? {
    for element in offers.flatMap(extensionElements(in:)) {
      if let element, let parameters = DeflateParameters(offer: element) { return parameters }
    }
    return nil
  }

  /// Checks a server's answer to `clientOffer`, given as the values of its `Sec-WebSocket-Extensions` fields. Nil
  /// when it declined; throws when it agreed to what was not offered (§7.1), which fails the connection.
  package static func check(answer: [String]) throws(UpgradeResponseError) -> DeflateParameters? {
    let elements = answer.flatMap(extensionElements(in:))
    guard let element = elements.first else { return nil }
    guard elements.count == 1, let element, let parameters = DeflateParameters(answer: element) else {
      throw .unacceptableExtension(answer.joined(separator: ", "))
    }
    return parameters
  }

  /// An offer that this end can meet. Nil for another extension, a parameter that is unknown, given twice or has a
  /// wrong value (§7.1), and for a window of 256 bytes, with which zlib cannot make a raw stream.
  private init?(offer: ExtensionElement) {
    guard let given = Given(offer) else { return nil }
    switch given.serverMaxWindowBits {
    case .absent:
      (serverWindow, namesServerWindow) = (15, false)
    case .bits(let bits) where bits >= 9:
      (serverWindow, namesServerWindow) = (bits, true)
    case .bits, .withoutValue:
      return nil
    }
    // A window is only limited where the client says it can (§7.1.2.2). Ours to inflate with is the largest, so
    // there is nothing to ask for beyond what it named.
    switch given.clientMaxWindowBits {
    case .absent, .withoutValue: clientMaxWindow = nil
    case .bits(let bits): clientMaxWindow = bits
    }
  }

  /// An answer that fits `clientOffer`.
  private init?(answer: ExtensionElement) {
    guard let given = Given(answer) else { return nil }
    // The server has to repeat that it keeps no window (§7.1.1.1); that we keep none is ours to hold to.
    guard given.serverNoContextTakeover, given.clientMaxWindowBits == .absent else { return nil }
    switch given.serverMaxWindowBits {
    case .absent: (serverWindow, namesServerWindow) = (15, false)
    case .bits(let bits): (serverWindow, namesServerWindow) = (bits, true)
    case .withoutValue: return nil
    }
    clientMaxWindow = nil
  }
}

/// The parameters of one element, each given at most once and with a value that it may have (§7.1).
private struct Given {
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

  /// §7.1.2: a decimal number from 8 to 15 without leading zeros.
  private static func windowBits(_ value: String?) -> WindowBits? {
    guard let value else { return .withoutValue }
    guard let bits = UInt8(value), (8...15).contains(bits), String(bits) == value else { return nil }
    return .bits(bits)
  }
}
