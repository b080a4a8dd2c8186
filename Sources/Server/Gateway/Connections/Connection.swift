internal import SessionCore
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// One socket of a reactor. What it speaks, and what only that needs, is in its `state`.
final class Connection {
  enum State {
    case http(HTTPConversation)
    case webSocket(WebSocketConversation)
    /// Nothing more is sent; what arrives is read and dropped, so that the last answer is not lost to a reset.
    case lingering(bytesLeft: Int)
  }

  /// Names it in one reactor: a slot is used again, so the generation tells its users apart.
  struct Key: Hashable, Sendable, BitwiseCopyable {
    let slot: Int32
    let generation: UInt32

    var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: slot)) }
  }

  // In an order that leaves few gaps in memory: there are as many of these as sockets.
  let key: Key
  let peer: SocketAddress
  /// Whose request it carries, or carried last, as far as that is believed: the peer's address unless trusted proxies told another.
  var clientAddress: IPAddress
  /// Nil on a plain socket.
  let tls: TLSConnection?
  var state: State

  /// Counted among the client's, behind a trusted proxy: while it has a request in hand, or is a WebSocket.
  var isCountedForClient = false
  var isReadingPaused = false
  /// Accepted beyond the limit `connections`: see `ReservedConnections`. It is in no count of connections.
  let isReserved: Bool
  /// It stands among those that are to be read.
  var isToRead = false
  /// True when its last input cost much more than its length. The rest of its input waits in `ExpensiveInput`.
  var isExpensive = false
  /// An edge said that there is input, and not all of it was read.
  var mayHaveInput = false
  var sawHangUp = false
  /// The peer sends nothing more.
  var hasEnded = false
  /// Kept beside the bytes: it is asked for before every send.
  private(set) var hasPendingWrites = false
  var isWriteBlocked = false
  /// It stands among those that are to be sent something.
  var isToFlush = false
  /// Counted among the handshakes under way.
  var isHandshaking = false
  /// Whether a whole head came in: before the first, the time for a head runs from the start.
  var hasServed = false
  /// Whether a first byte arrived: a TLS port tells plain text by it.
  var hasReceived = false

  let socket: Socket
  /// When something must have happened; the sweep acts when it has not.
  var deadline: MonotonicTime
  /// When the first byte of a handshake came.
  var handshakeBegan = MonotonicTime.distantFuture
  /// What was received while the conversation could take nothing.
  var heldInput: [UInt8] = []
  /// What the kernel has not taken yet: always sent before anything else.
  private(set) var pendingWrites: [UInt8] = []
  private(set) var pendingWriteOffset = 0
  /// The bytes counted for it toward `incompleteBytes`.
  var countedBytes = 0
  private var descriptor: OwnedDescriptor?

  /// So much of a head, or of what waits for a socket, is not counted: what nearly every connection holds now and then is a part of
  /// what a connection costs.
  static let freeBytes = 1_024
  /// The bytes that a connection may hold regardless of the others: they too are part of the cost of a connection.
  static let littleBytes = 4_096

  init(
    key: Key, descriptor: consuming OwnedDescriptor, peer: SocketAddress, tls: TLSConnection?,
    state: State, deadline: MonotonicTime, isReserved: Bool = false
  ) {
    self.key = key
    self.isReserved = isReserved
    socket = Socket(descriptor.rawValue)
    self.descriptor = consume descriptor
    self.peer = peer
    clientAddress = peer.ip
    self.tls = tls
    self.state = state
    self.deadline = deadline
  }

  var isSecure: Bool { tls != nil }
  /// Its present request brings an attachment, or brought one that was refused.
  var isUploading: Bool {
    switch state {
    case .http(let http): http.upload != nil
    case .lingering: true
    case .webSocket: false
    }
  }
  var pendingWriteCount: Int { pendingWrites.count - pendingWriteOffset }
  /// The bytes that it holds of what its peer has not sent to the end, or has not taken. What uploads hold has a bound of its own.
  var heldBytes: Int {
    switch state {
    case .http(let http): pendingWrites.count + http.heldBytes + (http.upload == nil ? heldInput.count : 0)
    case .webSocket(let conversation): pendingWrites.count + conversation.heldBytes + heldInput.count
    case .lingering: pendingWrites.count
    }
  }
  /// True while some received input is not handled yet.
  var hasHeldInput: Bool {
    if !heldInput.isEmpty { return true }
    guard case .webSocket(let conversation) = state else { return false }
    return conversation.hasUnfinishedMessage
  }

  func bufferPendingWrites(_ bytes: Span<UInt8>) {
    if !hasPendingWrites {
      pendingWrites.removeAll(keepingCapacity: false)
      pendingWriteOffset = 0
    }
    pendingWrites.append(bytes)
    hasPendingWrites = pendingWriteOffset < pendingWrites.count
  }

  func didWritePending(_ count: Int) {
    pendingWriteOffset += count
    hasPendingWrites = pendingWriteOffset < pendingWrites.count
    guard !hasPendingWrites else { return }
    pendingWrites = []
    pendingWriteOffset = 0
  }

  /// Gives the descriptor away: to another reactor, or to be closed.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
