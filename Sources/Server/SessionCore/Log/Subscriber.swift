internal import Primitives
package import WebSocket

/// The pending output of one socket: the bytes for this socket alone, and the socket's position in the log. All members share the
/// log.
///
/// No frame is interrupted: the rest of a partly sent frame is written first (`rest`), then the outbox, then catch-up and log. A
/// subscriber belongs to one reactor. `rest` is limited to one frame, and the outbox to `outboxBytes` plus one message.
package final class Subscriber {
  /// The outbox size above which the gateway stops reading from the socket.
  package static let outboxBytes = 16_384

  /// The source of the subscriber's entries.
  enum Source {
    /// The subscriber gets no entries: its socket has not joined, or its catch-up has not begun.
    case none
    case catchingUp(CatchUpProgress)
    /// The log: the member gets the entries that follow its cursor.
    case live
    /// The subscriber gets no entries: the segment at its cursor was dropped, and the subscriber waits for another catch-up.
    case evicted
  }

  /// The position in the log at which the control message `caughtUp` is sent.
  final class CaughtUpMark {
    let cursor: Cursor
    let sequence: UInt64

    init(cursor: Cursor, sequence: UInt64) {
      self.cursor = cursor
      self.sequence = sequence
    }
  }

  /// The bytes for this socket alone: the rest of a partly sent frame, and the outbox.
  ///
  /// To change an array, swap it into a local variable. Then the compiler can remove the run-time exclusivity checks from all
  /// accesses.
  private final class OutputBuffer {
    var rest: [UInt8] = []
    var restOffset = 0
    /// The number of entries that are delivered when `rest` is sent.
    var restEntries = 0
    var outbox: [UInt8] = []
    var outboxOffset = 0

    var isEmpty: Bool { restOffset == rest.count && outboxOffset == outbox.count }

    /// Removes and returns `rest`.
    func takeRest() -> [UInt8] {
      var bytes: [UInt8] = []
      swap(&bytes, &rest)
      return bytes
    }

    /// Removes and returns `outbox`.
    func takeOutbox() -> [UInt8] {
      var bytes: [UInt8] = []
      swap(&bytes, &outbox)
      return bytes
    }
  }

  // There is one `Subscriber` per socket. To save memory, its small properties come last: the object then needs no padding.
  /// The shell's identifier of the socket. The shell never reuses an identifier.
  package let connection: UInt64
  var source = Source.none
  /// The position in the log at which `caughtUp` is sent; nil after the message was sent, or if the snapshot contains the
  /// message.
  var caughtUpAt: CaughtUpMark?
  /// The bytes for this socket alone; nil while there are none, which is the usual case.
  private var outputBuffer: OutputBuffer?
  /// The index of the subscriber's row in `members`, or -1.
  var memberIndex: Int {
    get { Int(row) }
    set { row = Int32(newValue) }
  }
  private var row: Int32 = -1
  /// The number of consecutive control messages that could not be parsed.
  package var badControlMessages: UInt8 = 0
  /// True if the client negotiated compression with the largest window.
  package let acceptsCompression: Bool
  /// True after a close frame was enqueued: no bytes follow it.
  package private(set) var isClosing = false

  package init(connection: UInt64, acceptsCompression: Bool = false) {
    self.connection = connection
    self.acceptsCompression = acceptsCompression
  }

  /// True while the subscriber gets a snapshot.
  package var isCatchingUp: Bool {
    if case .catchingUp = source { true } else { false }
  }

  /// True if no byte of the catch-up has been sent to the subscriber.
  var isBeforeCatchUp: Bool {
    switch source {
    case .none: true
    case .catchingUp(let progress): !progress.isBegun
    case .live, .evicted: false
    }
  }

  /// True if the whole catch-up, including `caughtUp`, and all bytes for this socket alone were sent.
  package var isCaughtUp: Bool {
    if case .live = source { caughtUpAt == nil && outputBuffer == nil } else { false }
  }

  package var hasBufferedOutput: Bool { outputBuffer != nil }
  /// The number of buffered bytes for this socket alone.
  package var bufferedOutputBytes: Int { outputBuffer.map { $0.rest.count + $0.outbox.count } ?? 0 }
  package var outboxCount: Int { outputBuffer.map { $0.outbox.count - $0.outboxOffset } ?? 0 }
  package var isOutboxFull: Bool { outboxCount > Self.outboxBytes }

  /// Enqueues a frame for this socket alone.
  package func enqueue(_ opcode: Opcode, _ payload: [UInt8]) {
    guard !isClosing else { return }
    let outputBuffer = openOutputBuffer()
    var outbox = outputBuffer.takeOutbox()
    FrameHeader.append(opcode, length: payload.count, to: &outbox)
    outbox.append(contentsOf: payload)
    swap(&outbox, &outputBuffer.outbox)
    if opcode == .close { isClosing = true }
  }

  /// Enqueues complete frames.
  package func enqueue(frames: [UInt8]) {
    guard !isClosing, !frames.isEmpty else { return }
    let outputBuffer = openOutputBuffer()
    var outbox = outputBuffer.takeOutbox()
    if outbox.isEmpty { outbox = frames } else { outbox.append(contentsOf: frames) }
    swap(&outbox, &outputBuffer.outbox)
  }

  /// Adds bytes that are written before all others: the rest of a partly sent frame, or whole frames at a frame boundary.
  func prepend(_ bytes: [UInt8], entries: Int) {
    guard !bytes.isEmpty else { return }
    let outputBuffer = openOutputBuffer()
    var rest = outputBuffer.takeRest()
    if outputBuffer.restOffset == rest.count {
      rest = bytes
      outputBuffer.restOffset = 0
    } else {
      rest.append(contentsOf: bytes)
    }
    swap(&rest, &outputBuffer.rest)
    outputBuffer.restEntries += entries
  }

  /// The number of entries that are delivered when `rest` has been sent.
  var restEntries: Int { outputBuffer?.restEntries ?? 0 }

  private func openOutputBuffer() -> OutputBuffer {
    if let outputBuffer { return outputBuffer }
    let made = OutputBuffer()
    outputBuffer = made
    return made
  }

  /// Returns the buffered bytes to write now; nil if there are none.
  ///
  /// `onBoundary` is true if the bytes of the snapshot and the log that were written so far end at a frame boundary.
  func outputPiece(onBoundary: Bool) -> Piece? {
    guard let outputBuffer else { return nil }
    if outputBuffer.outboxOffset == 0, outputBuffer.restOffset < outputBuffer.rest.count {
      return Piece(.rest, outputBuffer.rest, outputBuffer.restOffset..<outputBuffer.rest.count)
    }
    guard outputBuffer.outboxOffset < outputBuffer.outbox.count, onBoundary || outputBuffer.outboxOffset > 0
    else { return nil }
    return Piece(.outbox, outputBuffer.outbox, outputBuffer.outboxOffset..<outputBuffer.outbox.count)
  }

  /// Returns the next bytes for a socket that is in no session.
  package func nextOutputPiece() -> Piece? { outputPiece(onBoundary: true) }

  /// Records that a socket outside of any session accepted `count` bytes of its piece.
  package func didSendOutput(_ piece: Piece, _ count: Int) {
    if case .rest = piece.origin { _ = sentRest(count) } else { sentOutbox(count) }
  }

  /// Records that the socket accepted `count` bytes of `rest`.
  ///
  /// - Returns: the number of entries that are now delivered; 0 while bytes of `rest` remain.
  func sentRest(_ count: Int) -> Int {
    guard let outputBuffer else { return 0 }
    outputBuffer.restOffset += count
    guard outputBuffer.restOffset == outputBuffer.rest.count else { return 0 }
    let entries = outputBuffer.restEntries
    _ = outputBuffer.takeRest()
    outputBuffer.restOffset = 0
    outputBuffer.restEntries = 0
    if outputBuffer.isEmpty { self.outputBuffer = nil }
    return entries
  }

  func sentOutbox(_ count: Int) {
    guard let outputBuffer else { return }
    outputBuffer.outboxOffset += count
    guard outputBuffer.outboxOffset == outputBuffer.outbox.count else { return }
    _ = outputBuffer.takeOutbox()
    outputBuffer.outboxOffset = 0
    if outputBuffer.isEmpty { self.outputBuffer = nil }
  }
}

/// The next bytes for one subscriber: a range of an array that other subscribers may share.
package struct Piece {
  enum Origin {
    case rest
    case outbox
    case catchUp
    case log
  }

  let origin: Origin
  package let bytes: [UInt8]
  package let range: Range<Int>

  init(_ origin: Origin, _ bytes: [UInt8], _ range: Range<Int>) {
    self.origin = origin
    self.bytes = bytes
    self.range = range
  }
}
