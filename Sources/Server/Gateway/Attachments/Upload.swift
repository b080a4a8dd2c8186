internal import FoundationEssentials
internal import Networking
internal import Primitives
internal import Wire

/// A request that sends bytes of an attachment, and the state of this request. `UploadService` changes the state.
final class Upload {
  let request: UploadRequest
  let session: SessionID
  let connection: Connection.Key
  /// The address of the client that sent the request. Log lines about the upload contain this address.
  let clientAddress: IPAddress
  /// The address whose limit of simultaneous uploads counts this upload; nil for a client on the gateway's machine, which has no
  /// such limit.
  let countedAddress: IPAddress?
  var state = UploadState.opening
  /// The id of the attachment, which log lines about the upload contain; nil before the upload gets a lease.
  var attachment: UUID?

  /// False once the request was answered or its connection has closed.
  var isConnected = true
  /// The upload's slot in the `UploadTable`; nil while the upload has no slot.
  var slot: UploadTable.ID?
  /// The received bytes that are not in the file yet.
  var buffer = UploadBuffer()
  /// The number of received bytes of the body.
  var received: UInt64 = 0
  /// The offset in the attachment up to which all bytes are written to the file.
  var written: UInt64 = 0
  /// The offset in the attachment up to which the session's quota is reserved, if the size is unknown.
  var reserved: UInt64 = 0
  /// True while the file actor writes bytes of this upload.
  var isWriting = false
  var hasWholeBody = false
  /// True once the failure of this upload has been logged.
  var isFailureLogged = false
  /// The cause to log if the request is interrupted.
  var cutCause = UploadCut.gone
  /// The time of the last progress report to the session.
  var reportedAt: MonotonicTime?
  /// The limit of the bytes in `buffer` that wait to be written. When it is reached, the gateway stops reading from the socket.
  var pendingLimit = Upload.manyPendingBytes

  /// The maximum number of uploads that counts as few. A new upload gets `fewPendingBytes` as its `pendingLimit` if the gateway
  /// has at most this number of uploads, and at most an eighth of the limit `uploads`. Otherwise, the new upload gets
  /// `manyPendingBytes`, which saves memory, but makes the upload slower.
  static let few = 32
  static let fewPendingBytes = 524_288
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

  /// The number of bytes that `buffer` accepts now.
  var bufferRoom: Int {
    if case .streaming = state { max(0, pendingLimit - buffer.count) } else { 0 }
  }

  /// True while the gateway must not read more of the body.
  var isHoldingBody: Bool {
    switch state {
    case .opening: true
    case .streaming: buffer.count >= pendingLimit
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

/// The states of an upload. An upload passes through some of them, in this order, and can go to `over` from any other state.
enum UploadState {
  /// The upload waits for its lease. The gateway does not read the body yet.
  case opening
  /// The upload got an answer instead of a lease. The body is read and discarded, and the answer is sent afterwards.
  case answered(Answer)
  /// The body is read, and its bytes are written under the lease.
  case streaming(UploadLease)
  /// All bytes of the request are written. The attachment, or the piece that this request sent, is being completed, even if the
  /// client has disconnected.
  case finishing(UploadLease)
  /// The request was interrupted. Its received bytes are still being written under the lease.
  case leaving(UploadLease)
  /// The upload has ended: it was answered or interrupted, or another request has got its lease.
  case over
}

/// The right of one upload to write to the file of an attachment.
///
/// The lease ends when a newer request gets a higher fencing token, or when the attachment is removed.
struct UploadLease {
  let hosted: SessionHost
  let attachment: UUID
  let pending: PendingAttachment
  let fencingToken: UInt64
  /// The offset at which the upload begins.
  let offset: UInt64
  /// The size of the whole attachment, if known.
  let size: UInt64?

  /// True while this is the newest lease, and the attachment is neither removed nor completed.
  var isCurrent: Bool { isPending && pending.fencingToken == fencingToken }

  /// True while the attachment is neither removed nor completed.
  var isPending: Bool { !hosted.isRemoved && !pending.isOver }

  /// Returns the offset that the upload must not exceed: the announced size, or the size limit of an attachment if that is
  /// smaller.
  func end(limit: Int) -> UInt64 { max(offset, min(size ?? .max, UInt64(clamping: limit))) }
}

/// The outcome of a request for a lease.
enum UploadOpening {
  case lease(UploadLease)
  /// The body is not needed, because an earlier request has sent the same bytes. The value is the answer.
  case repeated(Answer)
}

/// An action for the connection of an upload.
enum UploadEffect: Sendable {
  /// Send `100 Continue` if the client waits for it, and read the body, up to this number of bytes.
  case readBody(limit: UInt64)
  /// Continue to read the body.
  case resumeBody
  /// Stop reading the body until the received bytes are written to the file.
  case awaitDisk
  /// Wait for the answer, because the whole body has been received.
  case awaitAnswer
  /// Read and discard the rest of the body. If the client waits for `100 Continue`, send the answer instead.
  case dropBody(Answer)
  case answer(Answer)
  /// Send the answer before the body is complete, and close the connection. Before the close, a part of the remaining body is
  /// read and discarded.
  case refuse(Answer)
  case close
}
