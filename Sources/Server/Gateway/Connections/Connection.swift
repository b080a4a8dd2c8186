internal import Wire
internal import Networking
internal import Platform
internal import Primitives

/// One socket of a reactor. Its handler speaks the protocol.
final class Connection {
  /// The identity of a connection in its reactor: the generation tells connections in the same slot apart.
  struct Key: Hashable, Sendable, BitwiseCopyable {
    let slot: Int32
    let generation: UInt32

    var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: slot)) }
  }

  // In an order with few gaps in memory, because there is one object per socket.
  let key: Key
  let peer: SocketAddress
  /// The address of the client of the present or last request: the peer's, unless trusted proxies reported another one.
  var clientAddress: IPAddress
  /// True while the connection is counted for its client behind a trusted proxy: during a request, or as long as it is a WebSocket.
  var isCountedForClient = false
  var isReadingPaused = false
  /// True when the connection was accepted beyond the limit `connections`: see `ReservedConnections`. No limit counts it.
  let isReserved: Bool
  /// True while it is in the `ReadQueue`.
  var isQueuedForReading = false
  /// True when its last input cost much more than its length. The rest of its input is read in steps.
  var isExpensive = false
  /// True after an event for input, until a read found none.
  var mayHaveInput = false
  var sawHangUp = false
  /// True when the peer sends no more bytes.
  var hasEnded = false
  /// Stored beside the bytes, because every send reads it.
  private(set) var hasPendingWrites = false
  var isWriteBlocked = false
  /// True while it is in the `WriteQueue`.
  var isQueuedForWriting = false
  /// True while it is in the `HandshakeTable`.
  var isHandshaking = false
  /// True after the first complete head. Before, the time for a head runs from the start.
  var hasServed = false
  /// True after the first byte arrived: a TLS port recognises plain text by it.
  var hasReceived = false
  /// The bytes that are still read and dropped after the last answer, while it lingers.
  var lingerBytesLeft: Int32 = 0

  let socket: Socket
  /// Nil on a plain socket.
  let tls: TLSConnection?
  /// Nil while the connection lingers, and after it closed. Only `ConnectionIO` changes it.
  var handler: (any ConnectionHandler)?
  /// The time at which the sweep acts, unless something happens before.
  var deadline: MonotonicTime
  /// The time of the first byte of a TLS handshake.
  var handshakeBegan = MonotonicTime.distantFuture
  /// Input that the handler could not take when it arrived.
  var deferredInput: [UInt8] = []
  /// Bytes that the kernel has not accepted yet. They are written before all others.
  private(set) var pendingWrites: [UInt8] = []
  private(set) var pendingWriteOffset = 0
  /// The buffered bytes that the limit `incompleteBytes` counts.
  var countedBytes = 0
  private var descriptor: OwnedDescriptor?

  /// The bytes of a head, or of output, that are not counted: nearly every connection has them now and then.
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
  /// True while its input belongs to an attachment, or is read and dropped.
  var isUploading: Bool { handler?.isUploading ?? true }
  var pendingWriteCount: Int { pendingWrites.count - pendingWriteOffset }
  /// The bytes that it buffers of incomplete input and unsent output. The buffers of uploads have a limit of their own.
  var bufferedBytes: Int {
    guard let handler else { return pendingWrites.count }
    return pendingWrites.count + handler.bufferedBytes + (handler.isUploading ? 0 : deferredInput.count)
  }
  /// True while some received input is not handled yet.
  var hasDeferredInput: Bool { !deferredInput.isEmpty || handler?.hasUnhandledInput ?? false }

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

  /// Takes the descriptor out, to give it to another reactor or to close it.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
