internal import WebSocket

/// A function that runs the code under test with one input and checks invariants.
package struct FuzzTarget: Sendable {
  /// The name of the target, and of the folder with its corpus.
  package let name: String
  /// The maximum number of allocated bytes for an input with this length.
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

  /// Runs the code with an input.
  /// - Throws: `Finding` if an invariant is violated.
  package func run(_ input: [UInt8]) throws {
    try check(input)
  }

  /// All targets.
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

/// A violated invariant.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a finding with this text unless the condition is true.
func expect(_ condition: Bool, _ words: @autoclosure () -> String) throws {
  if !condition { throw Finding(words()) }
}
