import Networking
import Platform

/// A TCP connection for a thread that may block. Every wait has a deadline.
final class BlockingStream {
  /// The reason why bytes could not be sent or received.
  enum Failure: Error {
    case timeout
    case ended
    case broken(SystemError)
  }

  private var descriptor: OwnedDescriptor?
  private let socket: Socket
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(connectingTo address: SocketAddress) throws {
    let descriptor = try Socket.connect(to: address)
    socket = Socket(descriptor.rawValue)
    self.descriptor = consume descriptor
    guard try socket.wait(until: .writable, atMost: TestTimeout.limit) else { throw Failure.timeout }
    try socket.pendingError()
  }

  init(owning descriptor: consuming OwnedDescriptor) {
    socket = Socket(descriptor.rawValue)
    self.descriptor = consume descriptor
  }

  /// Sends all bytes.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
      case .sent(let count): sent += count
      case .failed(let error): throw Failure.broken(error)
      case .wouldBlock:
        guard try socket.wait(until: .writable, atMost: TestTimeout.limit) else { throw Failure.timeout }
      }
    }
  }

  /// Waits for bytes.
  func receive() throws -> [UInt8] {
    while true {
      switch socket.receive(into: &buffer) {
      case .received(let count): return Array(buffer[..<count])
      case .endOfStream: throw Failure.ended
      case .failed(let error): throw Failure.broken(error)
      case .wouldBlock:
        guard try socket.wait(until: .readable, atMost: TestTimeout.limit) else { throw Failure.timeout }
      }
    }
  }

  /// Discards received bytes until the peer closes or resets the connection.
  func drain() throws {
    do {
      while true { _ = try receive() }
    } catch Failure.ended {
    } catch Failure.broken {
    }
  }

  func close() { descriptor = nil }
}
