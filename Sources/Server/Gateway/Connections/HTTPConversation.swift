internal import HTTP
internal import Primitives
internal import Wire

/// A connection that speaks HTTP: one request at a time, the next one waits in the kernel.
final class HTTPConversation {
  /// The request that is being read or answered.
  struct Exchange {
    let head: RequestHead
    let route: Route
    let client: ForwardedClient
    let plan: Plan
    var body: [UInt8] = []
  }

  /// What will be done once the request has been read to its end.
  enum Plan {
    case answer(Answer)
    /// The body is wanted first.
    case createSession
    /// The session is described or ended.
    case session(SessionID)
    /// A request without a body for the attachments of a session.
    case journal(AttachmentRequest, SessionID)
    /// Made on a thread of its own.
    case metrics
    /// The body goes to a file while it arrives.
    case upload(Upload)
  }

  /// A part of what is to be sent.
  enum Output {
    /// A range of an array that others may be sent too.
    case bytes([UInt8], Range<Int>)
    case file(FileTransfer)
    case list(AttachmentListBody)
  }

  let connection: Connection
  let hooks: ReactorHooks
  var reader: RequestReader
  var exchange: Exchange?
  /// The time at which the head of the current request was complete.
  var headReadAt = MonotonicTime.distantPast
  /// The current request, if its duration is measured: its kind, and the time at which its head was complete.
  var timed: (kind: RequestTimes.Kind, since: MonotonicTime)?
  /// The answer is made asynchronously.
  var awaitsAnswer = false
  var output: [Output] = []
  /// After what is in `output`, the connection is closed.
  var closesAfterOutput = false
  /// A long body was refused while the client sends it: more of it is read and dropped, so that the answer arrives.
  var lingersLong = false

  init(_ connection: Connection, _ hooks: ReactorHooks, limits: RequestLimits) {
    self.connection = connection
    self.hooks = hooks
    reader = RequestReader(limits: limits)
  }

  /// Continues the request of a connection that another reactor handed over.
  init(_ connection: Connection, _ hooks: ReactorHooks, continuing other: HTTPConversation) {
    self.connection = connection
    self.hooks = hooks
    reader = other.reader
    exchange = other.exchange
    headReadAt = other.headReadAt
    timed = other.timed
    awaitsAnswer = other.awaitsAnswer
    output = other.output
    closesAfterOutput = other.closesAfterOutput
    lingersLong = other.lingersLong
  }

  /// Nothing more is read until the present answer is with the kernel.
  var isBusy: Bool {
    awaitsAnswer || !output.isEmpty || closesAfterOutput || (upload?.isHoldingBody ?? false)
  }

  /// The bytes that it holds of a request and of a file that is being sent.
  var bufferedBytes: Int {
    var bytes = 0
    if exchange != nil || reader.isInHead { bytes += max(0, reader.headBytes - Connection.freeBytes) }
    if let exchange { bytes += exchange.body.count }
    if let transfer { bytes += transfer.piece.count + (transfer.nextPiece?.count ?? 0) }
    return bytes
  }

  /// The upload that the present request is.
  var upload: Upload? {
    if case .upload(let upload)? = exchange?.plan { upload } else { nil }
  }

  /// The file that is being sent at present.
  var transfer: FileTransfer? {
    if case .file(let transfer)? = output.first { transfer } else { nil }
  }
}
