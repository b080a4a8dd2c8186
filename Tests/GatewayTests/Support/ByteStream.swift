import Glibc
import Testing
import Networking
import Platform
import Primitives
import TestSupport

/// An unexpected event in the client of a test.
enum ClientError: Error {
  case outOfPatience(waitingFor: String)
  case streamEnded
  case broken(SystemError)
  case closed(code: UInt16?, reason: String)
  case answered(status: Int)
}

/// A blocking connection to a gateway, with or without TLS. Every wait has a deadline.
final class ByteStream {
  let gateway: RunningGateway
  let isSecure: Bool
  /// Received bytes that are not consumed yet. The codecs consume bytes from the front.
  var unread: [UInt8] = []
  private let socket: Socket
  private let tls: TLSConnection?
  private var descriptor: OwnedDescriptor?
  private var buffer = [UInt8](repeating: 0, count: 131_072)

  /// Connects. With TLS, also completes the handshake if `shakesHands` is true.
  init(to gateway: RunningGateway, isSecure: Bool = false, shakesHands: Bool = true) throws {
    let descriptor = try Socket.connect(to: isSecure ? gateway.https : gateway.http)
    self.gateway = gateway
    self.isSecure = isSecure
    socket = Socket(descriptor.rawValue)
    self.descriptor = consume descriptor
    tls = isSecure && shakesHands ? gateway.trust.makeConnection(to: "127.0.0.1") : nil
    try socket.apply(SocketOptions())
    guard try socket.wait(until: .writable, atMost: TestTimeout.limit) else {
      throw ClientError.outOfPatience(waitingFor: "a connection")
    }
    try socket.pendingError()
    if let tls {
      try advance(tls, [])
      let deadline = TestTimeout.deadline
      while !tls.isHandshakeComplete { try receiveMore(by: deadline) }
    }
  }

  /// Sends all bytes.
  func send(_ bytes: [UInt8]) throws {
    guard let tls else {
      try sendRaw(bytes)
      return
    }
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + TLSConnection.encryptLimitInBytes)
      var ciphertext: [UInt8] = []
      try tls.encrypt(bytes.span.extracting(start..<end), into: &ciphertext)
      try sendRaw(ciphertext)
      start = end
    }
  }

  /// Sends all bytes and half-closes the connection. With TLS, the bytes and the `close_notify` alert are sent together.
  func sendLast(_ bytes: [UInt8]) throws {
    guard let tls else {
      try sendRaw(bytes)
      return try endWriting()
    }
    var ciphertext: [UInt8] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + TLSConnection.encryptLimitInBytes)
      try tls.encrypt(bytes.span.extracting(start..<end), into: &ciphertext)
      start = end
    }
    tls.close(into: &ciphertext)
    try sendRaw(ciphertext)
    try endWriting()
  }

  /// Sends two parts in separate TLS records, but only the first bytes of the second record.
  /// - Returns: the rest of the second record, which the caller sends with `sendRaw`.
  func sendCut(_ first: [UInt8], _ second: [UInt8]) throws -> [UInt8] {
    var ciphertext: [UInt8] = []
    try tls?.encrypt(first.span, into: &ciphertext)
    let end = ciphertext.count
    try tls?.encrypt(second.span, into: &ciphertext)
    // The header of the record has five bytes. The record is cut after its header, within its content.
    try sendRaw(Array(ciphertext[..<(end + 9)]))
    return Array(ciphertext[(end + 9)...])
  }

  /// Sends bytes unchanged, below TLS.
  func sendRaw(_ bytes: [UInt8]) throws {
    let deadline = TestTimeout.deadline
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
      case .sent(let count): sent += count
      case .failed(let error): throw ClientError.broken(error)
      case .wouldBlock:
        guard try socket.wait(until: .writable, atMost: deadline - .now()), .now() < deadline else {
          throw ClientError.outOfPatience(waitingFor: "room to send")
        }
      }
    }
  }

  /// Sends bytes without TLS. Returns true when all bytes are accepted, and false if no bytes are accepted for the given
  /// time.
  func offer(_ bytes: [UInt8], within limit: Duration) throws -> Bool {
    var sent = 0
    while sent < bytes.count {
      switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
      case .sent(let count): sent += count
      case .failed(let error): throw ClientError.broken(error)
      case .wouldBlock:
        guard try socket.wait(until: .writable, atMost: limit) else { return false }
      }
    }
    return true
  }

  /// Sends the first message of a TLS handshake, and does not read the response.
  func sendHello() throws {
    var plaintext: [UInt8] = []
    var hello: [UInt8] = []
    let none: [UInt8] = []
    _ = try gateway.trust.makeConnection(to: "127.0.0.1").receive(
      none.span, plaintext: &plaintext, ciphertextOut: &hello)
    try sendRaw(hello)
  }

  /// Waits for more bytes and adds them to `unread`; throws at the end of the stream.
  func receiveMore(by deadline: MonotonicTime) throws {
    while true {
      switch socket.receive(into: &buffer) {
      case .received(let count):
        if let tls {
          try advance(tls, Array(buffer[..<count]))
        } else {
          unread.append(contentsOf: buffer[..<count])
        }
        return
      case .endOfStream: throw ClientError.streamEnded
      case .failed(let error): throw ClientError.broken(error)
      case .wouldBlock:
        let left = deadline - .now()
        guard left > .zero, try socket.wait(until: .readable, atMost: left) else {
          throw ClientError.outOfPatience(waitingFor: "bytes")
        }
      }
    }
  }

  /// Returns true if bytes arrive, or the stream ends, within the given time.
  func isReadable(within limit: Duration) throws -> Bool {
    try socket.wait(until: .readable, atMost: limit)
  }

  /// Reads and drops bytes until the peer has closed the connection.
  func drainToEnd() throws {
    let deadline = TestTimeout.deadline
    do {
      while true {
        try receiveMore(by: deadline)
        unread = []
      }
    } catch ClientError.streamEnded {
    } catch ClientError.broken {
    }
  }

  /// Half-closes the connection: no more bytes are sent.
  func endWriting() throws {
    try socket.shutdownWrite()
  }

  /// Closes the connection with a TCP reset, as the kernel does for a killed process that has unread input.
  func cut() {
    // The call fails only for a socket that is already broken.
    try? socket.resetOnClose()
    descriptor = nil
  }

  /// Closes the connection, like the kernel when a process ends.
  func close() {
    descriptor = nil
  }

  private func advance(_ tls: TLSConnection, _ bytes: [UInt8]) throws {
    var out: [UInt8] = []
    let progress = try tls.receive(bytes.span, plaintext: &unread, ciphertextOut: &out)
    if !out.isEmpty { try sendRaw(out) }
    if progress.hasPeerClosed, unread.isEmpty { throw ClientError.streamEnded }
  }
}
