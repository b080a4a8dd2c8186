internal import Wire
internal import Networking
internal import Platform
internal import Primitives

/// One socket of a reactor. Its handler implements the protocol.
final class Connection {
  /// The identity of a connection in its reactor. The generation distinguishes connections that use the same slot one after
  /// another.
  struct Key: Hashable, Sendable, BitwiseCopyable {
    let slot: Int32
    let generation: UInt32

    var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: slot)) }
  }

  // The properties are ordered so that memory has few gaps, because there is one object per socket.
  let key: Key
  let peer: SocketAddress
  /// The address of the client of the present or last request. It is the peer's address, unless trusted proxies reported another
  /// one.
  var clientAddress: IPAddress
  /// True while the connection is counted for its client behind a trusted proxy: during a request, or while it is a WebSocket.
  var isCountedForClient = false
  var isReadingPaused = false
  /// True when the connection was accepted beyond the limit `connections`: see `ReservedConnections`. Such a connection is not
  /// counted.
  let isReserved: Bool
  /// True while the connection is in the `ReadQueue`.
  var isQueuedForReading = false
  /// True when handling the last input was expensive for its length. The rest of the input is then handled in steps.
  var isExpensive = false
  /// True from an event for input until a read finds no more input.
  var mayHaveInput = false
  var sawHangUp = false
  /// True when the peer sends no more bytes.
  var hasEnded = false
  /// True when there are pending writes. The value is stored in addition to the bytes, because every send reads it.
  private(set) var hasPendingWrites = false
  var isWriteBlocked = false
  /// True while the connection is in the `WriteQueue`.
  var isQueuedForWriting = false
  /// True while the connection is in the `HandshakeTable`.
  var isHandshaking = false
  /// True after the first complete head. Before that, the time limit of the head begins at the start of the connection.
  var hasServed = false
  /// True after the first byte arrived: a TLS port uses this byte to detect plain text.
  var hasReceived = false
  /// The number of bytes that are still read and discarded after the last answer, while the connection lingers.
  var lingerBytesLeft: Int32 = 0

  let socket: Socket
  /// The TLS state; nil for a socket without TLS.
  let tls: TLSConnection?
  /// The handler; nil while the connection lingers, and after it has closed. Only `ConnectionIO` changes this property.
  var handler: (any ConnectionHandler)?
  /// The time at which the sweep closes the connection, unless there is progress before.
  var deadline: MonotonicTime
  /// Input that the handler could not handle when it arrived.
  var deferredInput: [UInt8] = []
  /// Bytes that the kernel has not accepted yet. They are written before all others.
  private(set) var pendingWrites: [UInt8] = []
  /// The buffered bytes that the limit `incompleteBytes` counts.
  var countedBytes = 0
  private var descriptor: OwnedDescriptor?

  /// The bytes of a head or of output that are not counted, because nearly every connection has some at times.
  static let freeBytes = 1_024
  /// The bytes that a connection may buffer regardless of the other connections.
  static let littleBytes = 4_096

  init(
    key: Key, descriptor: consuming OwnedDescriptor, peer: SocketAddress, tls: TLSConnection?,
    deadline: MonotonicTime, isReserved: Bool = false
  ) {
    self.key = key
    self.isReserved = isReserved
    socket = Socket(descriptor.rawValue)
    self.descriptor = consume descriptor
    self.peer = peer
    clientAddress = peer.ip
    self.tls = tls
    self.deadline = deadline
  }

  var isSecure: Bool { tls != nil }
  /// True while the input belongs to an attachment, or is read and discarded.
  var isUploading: Bool { handler?.isUploading ?? true }
  /// The buffered bytes of incomplete input and unsent output. The buffers of uploads have their own limit.
  var bufferedBytes: Int {
    guard let handler else { return pendingWrites.count }
    return pendingWrites.count + handler.bufferedBytes + (handler.isUploading ? 0 : deferredInput.count)
  }
  /// True while some received input is not handled yet.
  var hasDeferredInput: Bool { !deferredInput.isEmpty || handler?.hasUnhandledInput ?? false }

  func bufferPendingWrites(_ bytes: Span<UInt8>) {
    pendingWrites.append(bytes)
    hasPendingWrites = !pendingWrites.isEmpty
  }

  /// Removes the first bytes, which the kernel has accepted. The rest is short: at most the bytes that are encrypted at a time,
  /// and the bytes of handshakes and refusals.
  func didWritePending(_ count: Int) {
    pendingWrites.removeFirst(count)
    guard pendingWrites.isEmpty else { return }
    pendingWrites = []
    hasPendingWrites = false
  }

  /// Removes and returns the descriptor, to transfer it to another reactor or to close it.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
