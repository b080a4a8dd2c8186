import Networking
import Platform
import TestSupport

/// A TLS server that sends all received bytes back. It runs on an event loop. In the tests, its client is the program `openssl`.
actor EchoServer {
  nonisolated let address: SocketAddress
  private nonisolated let loop: EventLoopThread
  private nonisolated let listener: Listener
  private let context: TLSServerContext
  private let closed: Queue<Ended>
  private var connections: [UInt64: Connection] = [:]
  private var lastToken: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// The properties of a connection at its end.
  struct Ended: Sendable {
    var version: TLSVersion?
    var wasResumed = false
    var negotiatedProtocol: String?
    var hasPeerClosed = false
    var error: TLSError?
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  init(context: TLSServerContext, closed: Queue<Ended>) throws {
    self.context = context
    self.closed = closed
    loop = try EventLoopThread(name: "test-echo")
    listener = try Listener(on: TCP.anyPort)
    address = listener.address
  }

  nonisolated func start() throws {
    try loop.register(listener.descriptor, token: 0)
    try loop.start { [weak self] events, _ in
      self?.turn(events)
      return nil
    }
  }

  nonisolated func stop() {
    loop.stop()
    loop.join()
  }

  private nonisolated func turn(_ events: [ReadyEvent]) {
    assumeIsolated { server in
      for event in events {
        if event.token == 0 {
          server.acceptAll()
        } else {
          server.handle(event)
        }
      }
    }
  }

  private func acceptAll() {
    while case .accepted(let descriptor, _) = listener.accept() {
      lastToken += 1
      let connection = Connection(descriptor, tls: context.makeConnection())
      connections[lastToken] = connection
      do {
        try loop.register(connection.socket.descriptor, token: lastToken)
      } catch {
        connections[lastToken] = nil
      }
    }
  }

  private func handle(_ event: ReadyEvent) {
    guard let connection = connections[event.token] else { return }
    if connection.pump(&buffer) {
      closed.put(connection.ended)
      connections[event.token] = nil
    }
  }
}

private final class Connection {
  private let descriptor: OwnedDescriptor
  private let tls: TLSConnection
  private var waiting: [UInt8] = []
  private(set) var ended = EchoServer.Ended()

  var socket: Socket { Socket(descriptor.rawValue) }

  init(_ descriptor: consuming OwnedDescriptor, tls: TLSConnection) {
    self.descriptor = descriptor
    self.tls = tls
  }

  /// Receives all available bytes and sends them back. Returns true at the end of the connection.
  func pump(_ buffer: inout [UInt8]) -> Bool {
    var isEnd = flush()
    receiving: while !isEnd {
      switch socket.receive(into: &buffer) {
      case .received(let count): isEnd = take(buffer.span.extracting(first: count)) || flush()
      case .wouldBlock: break receiving
      case .endOfStream, .failed: isEnd = true
      }
    }
    // The TLS alert with the reason for the end may still have to be sent.
    if isEnd { _ = flush() }
    return isEnd
  }

  private func take(_ ciphertext: Span<UInt8>) -> Bool {
    var plaintext: [UInt8] = []
    var answer: [UInt8] = []
    defer { waiting += answer }
    do throws(TLSError) {
      let progress = try tls.receive(ciphertext, plaintext: &plaintext, ciphertextOut: &answer)
      if progress.hasCompletedHandshake {
        ended.version = tls.version
        ended.wasResumed = tls.wasResumed
        ended.negotiatedProtocol = tls.negotiatedProtocol
      }
      if !plaintext.isEmpty { try tls.encrypt(plaintext.span, into: &answer) }
      if progress.hasPeerClosed {
        ended.hasPeerClosed = true
        tls.close(into: &answer)
      }
      return progress.hasPeerClosed
    } catch {
      ended.error = error
      return true
    }
  }

  private func flush() -> Bool {
    while !waiting.isEmpty {
      switch socket.send(waiting.span) {
      case .sent(let count): waiting.removeFirst(count)
      case .wouldBlock: return false
      case .failed: return true
      }
    }
    return false
  }
}
