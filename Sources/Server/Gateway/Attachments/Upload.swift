internal import FoundationEssentials
internal import Networking
internal import Primitives
internal import Wire

/// A request that brings bytes of an attachment. `UploadService` runs its state machine.
final class Upload {
  let request: UploadRequest
  let session: SessionID
  let connection: Connection.Key
  /// The client's address, for the log.
  let clientAddress: IPAddress
  /// The address in whose share of `uploads` the upload counts; nil for this machine.
  let countedAddress: IPAddress?
  var state = UploadState.opening
  /// The attachment, once the upload has had a lease; for the log.
  var attachment: UUID?

  /// False once the request is answered or its connection has closed.
  var isConnected = true
  /// The entry in the table of uploads; nil while the upload does not count there.
  var slot: UploadTable.ID?
  /// The received bytes that are not being written yet.
  var pending: [UInt8] = []
  /// The bytes of the body that were received.
  var received: UInt64 = 0
  /// The offset in the attachment up to which the file has all bytes.
  var written: UInt64 = 0
  /// The offset up to which the session's quota has room, for an attachment of unknown size.
  var reserved: UInt64 = 0
  /// True while the file actor writes bytes of this upload.
  var isWriting = false
  var hasWholeBody = false
  /// True when the log has a line about the failure.
  var isFailureLogged = false
  /// The cause that is logged if the request breaks off now.
  var cutCause = UploadCut.gone
  /// The time of the last progress report to the session.
  var reportedAt: MonotonicTime?
  /// The bytes that are collected during a write. With more, nothing is read from the socket.
  var pendingLimit = Upload.manyPendingBytes

  /// Up to this number of uploads, each may collect `fewPendingBytes`, which is faster; with more uploads, `manyPendingBytes`.
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

  /// Removes and returns the bytes that are to be written.
  func takePending() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// True while nothing more of the body may be read.
  var isHoldingBody: Bool {
    switch state {
    case .opening: true
    case .streaming: pending.count >= pendingLimit
    case .answered, .finishing, .leaving, .over: false
    }
  }

  /// The lease, while the upload has one.
  var lease: UploadLease? {
    switch state {
    case .streaming(let lease), .finishing(let lease), .leaving(let lease): lease
    case .opening, .answered, .over: nil
    }
  }
}

/// The states of an upload, in their order. Any state but `leaving` may be the last before `over`.
enum UploadState {
  /// The session decides about a lease. Nothing of the body is read.
  case opening
  /// The answer is known. The rest of the body is read and dropped before it is sent.
  case answered(Answer)
  /// The body is read, and written under the lease.
  case streaming(UploadLease)
  /// All bytes are written. The attachment or its piece is completed, also without the client.
  case finishing(UploadLease)
  /// The request broke off. Its last bytes are written under the lease.
  case leaving(UploadLease)
  /// The upload is answered, or another request has replaced it.
  case over
}

/// The right of one upload to write to the file of an attachment.
///
/// It ends when the file actor gives out a higher fencing token, or the session removes the attachment.
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

  /// Returns the offset at which the upload ends: the announced size, or the size of the largest attachment.
  func end(limit: Int) -> UInt64 { max(offset, min(size ?? .max, UInt64(clamping: limit))) }
}

/// The outcome of a request for a lease.
enum UploadOpening {
  case lease(UploadLease)
  /// The attachment exists: the body is not needed.
  case repeated(Answer)
}

/// An action of the connection that brings an upload.
enum UploadEffect: Sendable {
  /// Sends `100 Continue` if the client waits for it, and reads up to this number of bytes.
  case readBody(limit: UInt64)
  /// Continues to read the body.
  case resumeBody
  /// Waits for the disk, without reading.
  case awaitDisk
  /// Waits for the answer. The body is complete.
  case awaitAnswer
  /// Reads the rest of the body and drops it. If the client waits for `100 Continue`, sends the answer instead.
  case dropBody(Answer)
  case answer(Answer)
  /// Answers before the body is complete, and closes the connection. A part of the body is still read and dropped.
  case refuse(Answer)
  case close
}
