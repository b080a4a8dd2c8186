internal import FoundationEssentials
internal import Networking
internal import Primitives
internal import Wire

/// A request that sends bytes of an attachment. `UploadService` implements its state machine.
final class Upload {
  let request: UploadRequest
  let session: SessionID
  let connection: Connection.Key
  /// The client's address, for the log.
  let clientAddress: IPAddress
  /// The address whose number of uploads includes this one; nil for this machine.
  let countedAddress: IPAddress?
  var state = UploadState.opening
  /// The attachment, if the upload has ever had a lease; for the log.
  var attachment: UUID?

  /// False once the request was answered or its connection has closed.
  var isConnected = true
  /// The entry in the table of uploads; nil while the upload is not in the table.
  var slot: UploadTable.ID?
  /// The received bytes that no write contains yet.
  var pending: [UInt8] = []
  /// The number of received bytes of the body.
  var received: UInt64 = 0
  /// The offset in the attachment up to which the file has all bytes.
  var written: UInt64 = 0
  /// The offset in the attachment up to which the session's quota is reserved, if the size is unknown.
  var reserved: UInt64 = 0
  /// True while the file actor writes bytes of this upload.
  var isWriting = false
  var hasWholeBody = false
  /// True when the log has a line about the failure.
  var isFailureLogged = false
  /// The cause to log if the request is interrupted now.
  var cutCause = UploadCut.gone
  /// The time of the last progress report to the session.
  var reportedAt: MonotonicTime?
  /// The maximum number of pending bytes during a write. At this limit, the gateway stops reading from the socket.
  var pendingLimit = Upload.manyPendingBytes

  /// The number of uploads up to which each may use `fewPendingBytes`, which is faster; with more uploads, `manyPendingBytes`.
  static let few = 32
  static let fewPendingBytes = 262_144
  static let manyPendingBytes = 65_536

  init(
    _ request: UploadRequest, to session: SessionID, over connection: Connection.Key, from client: IPAddress,
    countedAs countedAddress: IPAddress?
  ) {
    self.request = request
    self.session = session
    self.connection = connection
    clientAddress = client
    self.countedAddress = countedAddress
  }

  /// Removes and returns the bytes to write next.
  func takePending() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// True while the gateway must not read more of the body.
  var isHoldingBody: Bool {
    switch state {
    case .opening: true
    case .streaming: pending.count >= pendingLimit
    case .answered, .finishing, .leaving, .over: false
    }
  }

  /// The lease; nil while the upload has none.
  var lease: UploadLease? {
    switch state {
    case .streaming(let lease), .finishing(let lease), .leaving(let lease): lease
    case .opening, .answered, .over: nil
    }
  }
}

/// The states of an upload, in their order. From each state except `leaving`, an upload may go to `over`.
enum UploadState {
  /// The session decides about a lease. The gateway does not read the body.
  case opening
  /// The answer is known. Before it is sent, the rest of the body is read and discarded.
  case answered(Answer)
  /// The body is read, and its bytes are written under the lease.
  case streaming(UploadLease)
  /// All bytes are written. The attachment or its piece is being completed, even if the client has disconnected.
  case finishing(UploadLease)
  /// The request was interrupted. Its last bytes are written under the lease.
  case leaving(UploadLease)
  /// The upload is answered, or another request has replaced it.
  case over
}

/// The right of one upload to write to the file of an attachment.
///
/// The lease ends when the file actor issues a higher fencing token, or when the session removes the attachment.
struct UploadLease {
  let hosted: SessionHost
  let attachment: UUID
  let pending: PendingAttachment
  let fencingToken: UInt64
  /// The offset at which the upload begins.
  let offset: UInt64
  /// The size of the whole attachment, if known.
  let size: UInt64?

  /// True while no newer request has a lease and the attachment is not removed.
  var isCurrent: Bool { isPending && pending.fencingToken == fencingToken }

  /// True while the attachment is neither removed nor completed.
  var isPending: Bool { !hosted.isRemoved && !pending.isOver }

  /// Returns the offset at which the upload ends: the announced size, or the size limit of an attachment.
  func end(limit: Int) -> UInt64 { max(offset, min(size ?? .max, UInt64(clamping: limit))) }
}

/// The outcome of a request for a lease.
enum UploadOpening {
  case lease(UploadLease)
  /// The attachment is complete already: the body is not needed.
  case repeated(Answer)
}

/// An action for the connection of an upload.
enum UploadEffect: Sendable {
  /// Send `100 Continue` if the client waits for it, and read up to this number of bytes.
  case readBody(limit: UInt64)
  /// Continue to read the body.
  case resumeBody
  /// Do not read; wait for the disk.
  case awaitDisk
  /// Wait for the answer. The body is complete.
  case awaitAnswer
  /// Read and discard the rest of the body. If the client waits for `100 Continue`, send the answer instead.
  case dropBody(Answer)
  case answer(Answer)
  /// Answer before the body is complete, and close the connection. A part of the body is still read and discarded.
  case refuse(Answer)
  case close
}
