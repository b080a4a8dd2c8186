internal import WebSocket

/// Something that an input does to the code under test, and what must hold then.
package struct FuzzTarget: Sendable {
  /// The name of its corpus's folder.
  package let name: String
  /// How many bytes may be allocated at one time for an input of so many.
  package let memory: @Sendable (_ inputLength: Int) -> Int
  private let check: @Sendable ([UInt8]) throws -> Void

  init(
    _ name: String, memory: @escaping @Sendable (Int) -> Int = { 1 << 20 + 64 * $0 },
    _ check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.memory = memory
    self.check = check
  }

  /// Does it.
  ///
  /// - Throws: `Finding`, when something did not hold.
  package func run(_ input: [UInt8]) throws {
    try check(input)
  }

  /// All there are.
  package static let all: [FuzzTarget] = [
    FuzzTarget("requests", RequestStream.check),
    FuzzTarget("responses", ResponseStream.check),
    FuzzTarget("fields", FieldLines.check),
    FuzzTarget("uploads", UploadLines.check),
    FuzzTarget("handshakes", Handshakes.check),
    FuzzTarget("websocket-server", { try WebSocketStream.check($0, role: .server) }),
    FuzzTarget("websocket-client", { try WebSocketStream.check($0, role: .client) }),
    FuzzTarget("inflate", memory: { 4 << 20 + 64 * $0 }, Inflating.check),
    FuzzTarget("entries", Entries.check),
    FuzzTarget("json", JSONTexts.check),
    FuzzTarget("client-control", ClientControls.check),
    FuzzTarget("gateway-control", GatewayControls.check),
    FuzzTarget("records", Records.check),
    FuzzTarget("log", memory: { 16 << 20 + 64 * $0 }, Logs.check),
    FuzzTarget("restoring", memory: { 16 << 20 + 64 * $0 }, Restoring.check),
    FuzzTarget("session", memory: { 16 << 20 + 1024 * $0 }, SessionProgram.check),
  ]
}

/// What did not hold, in words.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Says what did not hold unless it does.
func expect(_ condition: Bool, _ words: @autoclosure () -> String) throws {
  if !condition { throw Finding(words()) }
}
