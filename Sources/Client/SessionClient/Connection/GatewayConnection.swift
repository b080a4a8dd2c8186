internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket

/// A connection to a gateway: socket, optional TLS, WebSocket.
///
/// Only the loop's thread may use it.
final class GatewayConnection {
  /// The progress of the connection.
  enum Phase {
    /// Addresses and certificates are being looked up.
    case resolving
    /// One address is tried. If it fails, the other addresses are tried.
    case connecting(others: ArraySlice<SocketAddress>, tls: TLSClientContext?)
    /// The TLS handshake is in progress.
    case tlsHandshake
    /// The WebSocket is requested or open.
    case webSocket
    /// The last bytes are being sent. After them, the client waits until the gateway closes the TCP connection (RFC 6455 §7.1.1).
    case lingering
    /// The descriptor is closed.
    case closed
  }

  /// The membership; nil after it has released the connection.
  weak var owner: ActiveMembership?
  var phase = Phase.resolving
  /// The identifier of the socket in the event loop. Each attempt to connect to an address gets a new token.
  var token: UInt64 = 0
  var webSocket: ClientWebSocket
  var tls: TLSConnection?
  /// The errors of the addresses that were already tried.
  var failures: [String] = []
  let times: ConnectionTimeouts
  /// The end of the current phase's time limit.
  var deadline: MonotonicTime?
  /// The end of the time limit for connecting.
  let connectDeadline: MonotonicTime
  /// The time of the next keepalive; nil unless reading is paused.
  var nextKeepaliveAt: MonotonicTime?
  private var descriptor: OwnedDescriptor?
  private var outgoing: [UInt8] = []
  private var sent = 0

  init(of owner: ActiveMembership, webSocket: ClientWebSocket, now: MonotonicTime) {
    self.owner = owner
    self.webSocket = webSocket
    times = owner.configuration.times
    connectDeadline = now + times.connect
  }

  /// The number of pending bytes that was last reported to the session.
  var reportedPendingBytes = 0
  /// True once the peer has ended the TLS stream.
  var hasPeerClosed = false

  /// True when the socket is to be read. While the WebSocket is open, the value is false only if the session has paused reading.
  var shouldRead: Bool {
    switch phase {
    case .resolving, .connecting, .closed: false
    case .tlsHandshake, .lingering: true
    case .webSocket: owner?.isReading ?? true || !webSocket.isOpen
    }
  }

  /// True when received bytes belong to the WebSocket.
  var feedsWebSocket: Bool {
    switch phase {
    case .webSocket, .lingering: true
    case .resolving, .connecting, .tlsHandshake, .closed: false
    }
  }

  /// The socket; nil before it is opened and after it is closed.
  private(set) var socket: Socket?

  /// Takes ownership of a socket, which replaces the former socket.
  func use(_ descriptor: consuming OwnedDescriptor) {
    socket = Socket(descriptor.rawValue)
    self.descriptor = consume descriptor
  }

  /// Closes the socket.
  func close() {
    socket = nil
    descriptor = nil
    phase = .closed
    outgoing = []
    sent = 0
  }

  // MARK: - Writing

  /// The number of bytes that wait until the socket has room.
  var pendingBytes: Int { outgoing.count - sent }

  /// Queues a message.
  func sendMessage(_ kind: MessageKind, _ message: [UInt8]) {
    guard webSocket.isOpen else { return }
    webSocket.send(kind, message.span)
    reportedPendingBytes += message.count
  }

  /// Queues bytes, encrypted if the connection uses TLS.
  func append(_ bytes: [UInt8]) {
    guard let tls else {
      outgoing.append(contentsOf: bytes)
      return
    }
    var rest = bytes.span
    while !rest.isEmpty {
      let piece = rest.extracting(first: TLSConnection.encryptLimitInBytes)
      // Encryption fails only after a failed read, which closes the connection.
      do throws(TLSError) { try tls.encrypt(piece, into: &outgoing) } catch { return }
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }

  /// Queues bytes without encrypting them.
  func append(ciphertext bytes: [UInt8]) {
    outgoing.append(contentsOf: bytes)
  }

  /// Queues the TLS `close_notify` (RFC 8446 §6.1), once. Nothing may be queued after it.
  func appendCloseNotify() {
    tls?.close(into: &outgoing)
  }

  /// Writes pending bytes until the socket is full.
  func flush() throws(SystemError) {
    guard let socket else { return }
    while sent < outgoing.count, try writePending(to: socket) {}
    guard sent == outgoing.count else { return compact() }
    // A buffer that grew large during a burst is released.
    if outgoing.capacity > 65_536 { outgoing = [] } else { outgoing.removeAll(keepingCapacity: true) }
    sent = 0
  }

  /// Writes pending bytes. Returns true if the socket accepted bytes.
  private func writePending(to socket: Socket) throws(SystemError) -> Bool {
    let bytes = outgoing
    switch socket.send(bytes.span.extracting(sent..<bytes.count)) {
    case .sent(let count):
      sent += count
      return true
    case .wouldBlock: return false
    case .failed(let error): throw error
    }
  }

  /// Removes sent bytes when they fill more than half of the buffer. Because of this condition, bytes are rarely moved.
  private func compact() {
    guard sent > 65_536, sent > outgoing.count / 2 else { return }
    outgoing.removeSubrange(..<sent)
    sent = 0
  }
}
