internal import Primitives

/// What one socket is still to be sent, besides the log that it shares with everybody.
///
/// Frames are never torn: what was begun is finished first (`rest`), then the outbox goes, then catch-up and log.
/// A subscriber belongs to one reactor. Bounded: `rest` by one frame, the outbox by `outboxBytes` and one message.
package final class Subscriber {
  /// Above this, nothing more is read from the socket until the outbox is smaller.
  package static let outboxBytes = 16_384

  /// Where the subscriber's entries come from.
  enum Source {
    /// It is sent no entries: not joined, or not yet caught up.
    case none
    case catchingUp(CatchUpProgress)
    /// The log, at the member's cursor.
    case live
    /// The segment at its cursor went; it waits to be caught up anew.
    case evicted
  }

  /// Where in the log `caughtUp` is due.
  final class CaughtUpMark {
    let cursor: Cursor
    let sequence: UInt64

    init(cursor: Cursor, sequence: UInt64) {
      self.cursor = cursor
      self.sequence = sequence
    }
  }

  /// What waits for this socket alone.
  private final class OutputBuffer {
    var rest: [UInt8] = []
    var restOffset = 0
    /// Entries that are delivered when the rest has gone.
    var restEntries = 0
    var outbox: [UInt8] = []
    var outboxOffset = 0

    var isEmpty: Bool { restOffset == rest.count && outboxOffset == outbox.count }
  }

  /// The shell's own name for the socket: never given to another one.
  package let connection: UInt64
  var source = Source.none
  /// Where in the log `caughtUp` is due, after a tail.
  var caughtUpAt: CaughtUpMark?
  /// Nil while nothing waits, as it is for nearly all of the time.
  private var outputBuffer: OutputBuffer?
  /// Its row among the session's members, or -1.
  var memberIndex: Int {
    get { Int(row) }
    set { row = Int32(newValue) }
  }
  private var row: Int32 = -1
  /// Control messages that could not be understood, in a row.
  package var badControlMessages: Int32 = 0
  /// It agreed on compression, with the largest window.
  package let acceptsCompression: Bool
  /// Nothing follows what is queued now: a close frame is the last of it.
  package private(set) var isClosing = false

  package init(connection: UInt64, acceptsCompression: Bool = false) {
    self.connection = connection
    self.acceptsCompression = acceptsCompression
  }

  /// It is being sent what there was before it came.
  package var isCatchingUp: Bool {
    if case .catchingUp = source { true } else { false }
  }

  /// It has not been sent anything of its catch-up.
  var isBeforeCatchUp: Bool {
    switch source {
    case .none: true
    case .catchingUp(let progress): !progress.isBegun
    case .live, .evicted: false
    }
  }

  /// It has been sent all that there was before it came, and that this is so.
  package var isCaughtUp: Bool {
    if case .live = source { caughtUpAt == nil && outputBuffer == nil } else { false }
  }

  package var hasBufferedOutput: Bool { outputBuffer != nil }
  /// The bytes that wait for this socket alone.
  package var bufferedOutputBytes: Int { outputBuffer.map { $0.rest.count + $0.outbox.count } ?? 0 }
  package var outboxCount: Int { outputBuffer.map { $0.outbox.count - $0.outboxOffset } ?? 0 }
  package var isOutboxFull: Bool { outboxCount > Self.outboxBytes }

  /// Queues a frame for this socket alone.
  package func enqueue(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
    guard !isClosing else { return }
    let outputBuffer = openOutputBuffer()
    FrameHeader.append(opcode, length: payload.count, to: &outputBuffer.outbox)
    outputBuffer.outbox.append(contentsOf: payload)
    if opcode == .close { isClosing = true }
  }

  /// Queues frames that are complete already.
  package func enqueue(frames: [UInt8]) {
    guard !isClosing, !frames.isEmpty else { return }
    openOutputBuffer().outbox.append(contentsOf: frames)
  }

  /// Takes what must be sent before anything else: the rest of a begun frame, or whole frames on a boundary.
  func prepend(_ bytes: [UInt8], entries: Int) {
    guard !bytes.isEmpty else { return }
    let outputBuffer = openOutputBuffer()
    if outputBuffer.restOffset == outputBuffer.rest.count {
      outputBuffer.rest = bytes
      outputBuffer.restOffset = 0
    } else {
      outputBuffer.rest.append(contentsOf: bytes)
    }
    outputBuffer.restEntries += entries
  }

  /// Entries that are delivered when the rest has gone.
  var restEntries: Int { outputBuffer?.restEntries ?? 0 }

  private func openOutputBuffer() -> OutputBuffer {
    if let outputBuffer { return outputBuffer }
    let made = OutputBuffer()
    outputBuffer = made
    return made
  }

  /// The private bytes that are due now; nil when there are none.
  ///
  /// `onBoundary` says whether the shared bytes sent so far end on a frame boundary.
  func outputPiece(onBoundary: Bool) -> Piece? {
    guard let outputBuffer else { return nil }
    if outputBuffer.outboxOffset == 0, outputBuffer.restOffset < outputBuffer.rest.count {
      return Piece(.rest, outputBuffer.rest, outputBuffer.restOffset..<outputBuffer.rest.count)
    }
    guard outputBuffer.outboxOffset < outputBuffer.outbox.count, onBoundary || outputBuffer.outboxOffset > 0
    else { return nil }
    return Piece(.outbox, outputBuffer.outbox, outputBuffer.outboxOffset..<outputBuffer.outbox.count)
  }

  /// What is due to a socket that is in no session.
  package func nextOutputPiece() -> Piece? { outputPiece(onBoundary: true) }

  /// A socket that is in no session took `count` bytes of its piece.
  package func didSendOutput(_ piece: Piece, _ count: Int) {
    if case .rest = piece.origin { _ = sentRest(count) } else { sentOutbox(count) }
  }

  /// - Returns: how many entries have been delivered by it.
  func sentRest(_ count: Int) -> Int {
    guard let outputBuffer else { return 0 }
    outputBuffer.restOffset += count
    guard outputBuffer.restOffset == outputBuffer.rest.count else { return 0 }
    let entries = outputBuffer.restEntries
    outputBuffer.rest = []
    outputBuffer.restOffset = 0
    outputBuffer.restEntries = 0
    if outputBuffer.isEmpty { self.outputBuffer = nil }
    return entries
  }

  func sentOutbox(_ count: Int) {
    guard let outputBuffer else { return }
    outputBuffer.outboxOffset += count
    guard outputBuffer.outboxOffset == outputBuffer.outbox.count else { return }
    outputBuffer.outbox = []
    outputBuffer.outboxOffset = 0
    if outputBuffer.isEmpty { self.outputBuffer = nil }
  }
}

/// Bytes that are to be sent next to one subscriber: a range of an array that others may be sent too.
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
