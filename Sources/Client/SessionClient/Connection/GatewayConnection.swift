internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket

/// One connection to a gateway, as the loop has it: a socket, TLS where wanted, and what is said over it.
///
/// It belongs to the loop and is touched on its thread only.
final class GatewayConnection {
  /// How far it has come.
  enum Phase {
    /// Addresses and certificates are looked up.
    case resolving
    /// One address is tried; the others would be next.
    case connecting(others: ArraySlice<SocketAddress>, tls: TLSClientContext?)
    /// TLS shakes hands.
    case tlsHandshake
    /// The WebSocket is asked for, or open.
    case webSocket
    /// All is said; what is left goes out, and the gateway closes first (RFC 6455 §7.1.1).
    case lingering
    /// The descriptor is given back.
    case closed
  }

  /// Whose it is; nil once that one has let go of it.
  weak var owner: ActiveMembership?
  var phase = Phase.resolving
  /// What its events are called by in the loop; another with each address that is tried.
  var token: UInt64 = 0
  var webSocket: ClientWebSocket
  var tls: TLSConnection?
  /// Why the addresses before could not be reached.
  var failures: [String] = []
  let times: ConnectionTimeouts
  /// When this phase takes too long.
  var deadline: MonotonicTime?
  /// When the whole of it takes too long to come about.
  let connectDeadline: MonotonicTime
  /// When a sign of life is due while nothing is read.
  var nextKeepaliveAt: MonotonicTime?
  private var descriptor: OwnedDescriptor?
  private var outgoing: [UInt8] = []
  private var sent = 0

  init(of owner: ActiveMembership, webSocket: ClientWebSocket, now: MonotonicTime) {
    self.owner = owner
    self.webSocket = webSocket
    times = owner.configuration.times
    connectDeadline = now + times.connecting
  }

  /// What the owner believes to wait for the socket; less may.
  var reportedPendingBytes = 0
  /// TLS said that nothing more comes.
  var hasPeerClosed = false

  /// Whether what comes is read: not while its session does not want to.
  var shouldRead: Bool {
    switch phase {
    case .resolving, .connecting, .closed: false
    case .tlsHandshake, .lingering: true
    case .webSocket: owner?.isReading ?? true || !webSocket.isOpen
    }
  }

  /// Whether what is read belongs to the conversation.
  var feedsWebSocket: Bool {
    switch phase {
    case .webSocket, .lingering: true
    case .resolving, .connecting, .tlsHandshake, .closed: false
    }
  }

  /// The socket; nil before there is one, and when it was closed.
  private(set) var socket: Socket?

  /// Takes over a socket in place of the one before, if any.
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

  /// How many bytes wait for the socket.
  var pendingBytes: Int { outgoing.count - sent }

  /// Says a message.
  func sendMessage(_ kind: MessageKind, _ message: [UInt8]) {
    guard webSocket.isOpen else { return }
    webSocket.send(kind, message.span)
    reportedPendingBytes += message.count
  }

  /// Puts bytes behind those that wait, encrypted where wanted.
  func append(_ bytes: [UInt8]) {
    guard let tls else {
      outgoing.append(contentsOf: bytes)
      return
    }
    var rest = bytes.span
    while !rest.isEmpty {
      let piece = rest.extracting(first: TLSConnection.encryptLimitInBytes)
      // It fails only where a read has failed before, which closes the connection.
      do throws(TLSError) { try tls.encrypt(piece, into: &outgoing) } catch { return }
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }

  /// Puts bytes behind those that wait, as they are.
  func append(ciphertext bytes: [UInt8]) {
    outgoing.append(contentsOf: bytes)
  }

  /// Says over TLS that nothing more comes (RFC 8446 §6.1), once; nothing may be appended after it.
  func appendCloseNotify() {
    tls?.close(into: &outgoing)
  }

  /// Gives the socket what it takes.
  func flush() throws(SystemError) {
    guard let socket else { return }
    while sent < outgoing.count, try writePending(to: socket) {}
    guard sent == outgoing.count else { return compact() }
    // A burst must not hold its memory for ever.
    if outgoing.capacity > 65_536 { outgoing = [] } else { outgoing.removeAll(keepingCapacity: true) }
    sent = 0
  }

  /// Whether the socket took something.
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

  /// Forgets what was sent, when that is most of it: seldom enough to cost nothing.
  private func compact() {
    guard sent > 65_536, sent > outgoing.count / 2 else { return }
    outgoing.removeSubrange(..<sent)
    sent = 0
  }
}
