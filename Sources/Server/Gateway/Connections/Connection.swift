internal import Wire
internal import Networking
internal import Platform
internal import Primitives

/// One open socket of a reactor. Its handler implements HTTP or WebSocket.
final class Connection {
  /// The identity of a connection in its reactor. The generation distinguishes a connection from earlier connections in the same
  /// slot.
  struct Key: Hashable, Sendable, BitwiseCopyable {
    let slot: Int32
    let generation: UInt32

    var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: slot)) }
  }

  // The order of the properties leaves few gaps in memory, which matters because there is one object per socket.
  let key: Key
  let peer: SocketAddress
  /// The address of the client that sent the present or last request. It is the peer's address, unless a trusted proxy reported a
  /// different address.
  var clientAddress: IPAddress
  /// True while the connection counts toward the limit of the client that is behind a trusted proxy. The connection counts during
  /// a request, and while it is a WebSocket.
  var isCountedForClient = false
  var isReadingPaused = false
  /// True when the connection was accepted beyond the limit `connections` (see `ReservedConnections`). A reserved connection does
  /// not count toward the limit.
  let isReserved: Bool
  /// True while the connection is in the `ReadQueue`.
  var isQueuedForReading = false
  /// True if the last input took long to handle, compared with its number of bytes. The rest of the input is then handled in
  /// steps.
  var isExpensive = false
  /// True after the event loop reported input, until a read finds no more input.
  var mayHaveInput = false
  var sawHangUp = false
  /// True after the peer has closed its direction of the connection.
  var hasEnded = false
  /// True when `pendingWrites` is not empty. The value is stored separately, because every send reads it.
  private(set) var hasPendingWrites = false
  var isWriteBlocked = false
  /// True while the connection is in the `WriteQueue`.
  var isQueuedForWriting = false
  /// True while the handler is a WebSocket. This is a stored copy of `handler.isWebSocket`, because each read from the socket
  /// needs the value, and calling the handler takes longer.
  private(set) var isWebSocket = false
  /// True while the connection is in the `HandshakeTable`.
  var isHandshaking = false
  /// True after the first request head was received. The time limit for the first head begins when the connection is accepted.
  var hasServed = false
  /// True after the first byte has arrived. On a TLS port, the first byte shows if the client speaks plain HTTP.
  var hasReceived = false
  /// The number of bytes that a lingering connection still reads and discards after its last answer.
  var lingerBytesLeft: Int32 = 0
  /// The tick of the next check. Only `CheckSchedule` changes this property.
  var checkTick: CheckSchedule.Ticks = 0
  private var counted: UInt32 = 0

  let socket: Socket
  /// The TLS state; nil for a socket without TLS.
  let tls: TLSConnection?
  /// The handler; nil while the connection lingers, and after it has closed. Only `ConnectionIO` changes this property.
  var handler: (any ConnectionHandler)? {
    didSet { isWebSocket = handler?.isWebSocket ?? false }
  }
  /// The time at which a check closes the connection, unless progress postpones the deadline. After setting an earlier deadline,
  /// call `ConnectionIO.hastenCheck(of:)`.
  var deadline: MonotonicTime
  /// Input that the handler could not handle when it arrived.
  private(set) var deferredInput: [UInt8] = []
  /// Bytes that the kernel has not accepted yet. They are written before any other output.
  ///
  /// To change this array or `deferredInput`, swap it into a local variable. Then the compiler can remove the run-time
  /// exclusivity checks from all accesses to the property.
  private(set) var pendingWrites: [UInt8] = []
  private var descriptor: OwnedDescriptor?

  /// The number of bytes of a request head or of output that do not count toward the limit `incompleteBytes`, because nearly
  /// every connection buffers a few bytes at times.
  static let freeBytes = 1_024
  /// The number of bytes that a connection may buffer even if all connections together exceed the limit `incompleteBytes`.
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

  /// The number of this connection's buffered bytes that count toward the limit `incompleteBytes`.
  var countedBytes: Int {
    get { Int(counted) }
    set { counted = UInt32(newValue) }
  }
  var isSecure: Bool { tls != nil }
  /// True while the input belongs to an attachment, or is read and discarded because the connection lingers.
  var isUploading: Bool { !isWebSocket && (handler?.isUploading ?? true) }
  /// The number of buffered bytes of incomplete input and unsent output. Input of an upload is not included, because it has its
  /// own limit.
  var bufferedBytes: Int {
    guard let handler else { return pendingWrites.count }
    return pendingWrites.count + handler.bufferedBytes + (handler.isUploading ? 0 : deferredInput.count)
  }
  /// True while some received input has not been handled.
  var hasDeferredInput: Bool { !deferredInput.isEmpty || handler?.hasUnhandledInput ?? false }

  func appendDeferredInput(_ bytes: ArraySlice<UInt8>) {
    var input = takeDeferredInput()
    input.append(contentsOf: bytes)
    swap(&input, &deferredInput)
  }

  func takeDeferredInput() -> [UInt8] {
    var input: [UInt8] = []
    swap(&input, &deferredInput)
    return input
  }

  func bufferPendingWrites(_ bytes: Span<UInt8>) {
    changePendingWrites { $0.append(bytes) }
  }

  /// Removes the first `count` pending bytes, which the kernel has accepted. Moving the remaining bytes to the front is cheap,
  /// because few bytes are pending: at most the encrypted output of one call, the bytes of a TLS handshake, and a refusal.
  func didWritePending(_ count: Int) {
    changePendingWrites { bytes in
      bytes.removeFirst(count)
      if bytes.isEmpty { bytes = [] }
    }
  }

  private func changePendingWrites(_ change: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    swap(&bytes, &pendingWrites)
    change(&bytes)
    hasPendingWrites = !bytes.isEmpty
    swap(&bytes, &pendingWrites)
  }

  /// Removes and returns the descriptor, to transfer it to another reactor or to close it.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
