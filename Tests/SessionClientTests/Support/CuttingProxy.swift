import Networking
import Platform

/// A TCP proxy that cuts each connection after a random number of bytes, counted in both directions together.
///
/// A cut is a TCP reset or an end of the stream, at any point of a message.
actor CuttingProxy {
  /// The random seed, and the range of byte counts after which connections are cut.
  typealias Plan = (seed: UInt64, after: ClosedRange<Int>)

  nonisolated let address: SocketAddress
  private nonisolated let loop: EventLoopThread
  private nonisolated let listener: Listener
  private nonisolated let shared: Guarded<Shared>
  private var generator: SeededGenerator
  private let range: ClosedRange<Int>
  private var pairs: [UInt64: Pair] = [:]
  private var lastToken: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  private struct Shared {
    var target: SocketAddress
    var isCutting: Bool
    var cutsAll = false
    /// The number of bytes that pass before all connections stall, or nil.
    var allowance: Int?
    var isReleased = false
    var cuts = 0
    var connections = 0
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Starts to listen.
  init(to target: SocketAddress, cutting plan: Plan? = nil) throws {
    shared = Guarded(Shared(target: target, isCutting: plan != nil))
    generator = SeededGenerator(seed: plan?.seed ?? 0)
    range = plan?.after ?? 0...0
    loop = try EventLoopThread(name: "test-proxy")
    listener = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
    address = listener.address
  }

  nonisolated func start() throws {
    try loop.register(listener.descriptor, token: 0)
    try loop.start { [weak self] events, _ in
      self?.assumeIsolated { $0.turn(events) }
      return nil
    }
  }

  nonisolated func stop() {
    loop.stop()
    loop.join()
  }

  /// The number of cut connections.
  nonisolated var cuts: Int { shared.withLock { $0.cuts } }
  /// The number of accepted connections.
  nonisolated var connections: Int { shared.withLock { $0.connections } }

  /// Stops cutting connections.
  nonisolated func stopCutting() {
    shared.withLock { $0.isCutting = false }
  }

  /// Lets `count` more bytes pass, and then holds all bytes back until `release()`.
  nonisolated func hold(after count: Int) {
    shared.withLock { $0.allowance = count }
  }

  /// Forwards again what `hold(after:)` held back.
  nonisolated func release() {
    shared.withLock { ($0.allowance, $0.isReleased) = (nil, true) }
    loop.wake()
  }

  /// Cuts all open connections. Later connections are not affected.
  nonisolated func cutAll() {
    shared.withLock { $0.cutsAll = true }
    loop.wake()
  }

  /// Sets the server for new connections.
  nonisolated func turn(to target: SocketAddress) {
    shared.withLock { $0.target = target }
  }

  private func turn(_ events: [ReadyEvent]) {
    let (cutsAll, isReleased) = shared.withLock { shared in
      defer { (shared.cutsAll, shared.isReleased) = (false, false) }
      return (shared.cutsAll, shared.isReleased)
    }
    if cutsAll { for token in Array(pairs.keys) { cut(token) } }
    if isReleased { for token in Array(pairs.keys) { pump(token) } }
    for event in events {
      if event.token == 0 {
        acceptAll()
      } else {
        // The tokens of a pair's two sockets differ only in the last bit.
        pump(event.token & ~1)
      }
    }
  }

  private func acceptAll() {
    while case .accepted(let descriptor, _) = listener.accept() {
      let target = shared.withLock { shared in
        shared.connections += 1
        return shared.target
      }
      lastToken += 2
      do {
        let server = try Socket.connect(to: target)
        try loop.register(descriptor.rawValue, token: lastToken)
        try loop.register(server.rawValue, token: lastToken + 1)
        pairs[lastToken] = Pair(
          client: descriptor, server: server, budget: Int.random(in: range, using: &generator))
      } catch {
        // The connection to the server failed, so the proxy closes the connection of the client.
        pairs[lastToken] = nil
      }
    }
  }

  private func pump(_ token: UInt64) {
    guard let pair = pairs[token] else { return }
    let isCutting = shared.withLock { $0.isCutting }
    for direction in [pair.upwards, pair.downwards] {
      reading: while shared.withLock({ $0.allowance ?? 1 }) > 0 {
        switch direction.pass(&buffer, atMost: isCutting ? pair.budget : .max) {
        case .passed(let count):
          pair.budget -= count
          shared.withLock { $0.allowance? -= count }
          guard isCutting, pair.budget <= 0 else { continue }
          return cut(token)
        case .waiting: break reading
        case .ended:
          pairs[token] = nil
          return
        }
      }
    }
  }

  private func cut(_ token: UInt64) {
    guard let pair = pairs.removeValue(forKey: token) else { return }
    if Bool.random(using: &generator) { pair.reset() }
    shared.withLock { $0.cuts += 1 }
  }
}

/// The two ends of a proxied connection.
private final class Pair {
  let upwards: Direction
  let downwards: Direction
  var budget: Int
  private let client: OwnedDescriptor
  private let server: OwnedDescriptor

  init(client: consuming OwnedDescriptor, server: consuming OwnedDescriptor, budget: Int) {
    let (clientSocket, serverSocket) = (Socket(client.rawValue), Socket(server.rawValue))
    upwards = Direction(from: clientSocket, to: serverSocket)
    downwards = Direction(from: serverSocket, to: clientSocket)
    self.client = consume client
    self.server = consume server
    self.budget = budget
  }

  func reset() {
    // The call fails if the socket is already broken, and then no reset is needed.
    try? Socket(client.rawValue).resetOnClose()
    try? Socket(server.rawValue).resetOnClose()
  }
}

/// One direction of a connection.
private final class Direction {
  enum Outcome {
    case passed(Int)
    case waiting
    case ended
  }

  private let source: Socket
  private let sink: Socket
  private var waiting: ArraySlice<UInt8> = []

  init(from source: Socket, to sink: Socket) {
    self.source = source
    self.sink = sink
  }

  /// Forwards the pending bytes; without pending bytes, receives and forwards new ones.
  func pass(_ buffer: inout [UInt8], atMost limit: Int) -> Outcome {
    if waiting.isEmpty {
      switch source.receive(into: &buffer) {
      case .received(let count): waiting = buffer[..<min(count, limit)]
      case .wouldBlock: return .waiting
      case .endOfStream, .failed: return .ended
      }
    }
    let bytes = waiting
    switch sink.send(bytes.span) {
    case .sent(let count):
      waiting = bytes.dropFirst(count)
      return .passed(count)
    case .wouldBlock: return .waiting
    case .failed: return .ended
    }
  }
}
