internal import FoundationEssentials
internal import Networking
internal import Primitives
internal import Wire

/// A request that brings bytes of an attachment: what the connection's reactor knows of it.
final class UploadExchange {
  enum Phase {
    /// The session's owner is asked; nothing of the body is read.
    case asking
    /// The answer is known already: the body is read to its end and dropped.
    case answered(Answer)
    case streaming(UploadGrant)
    /// Answered, cut, or taken over.
    case over
  }

  let request: UploadRequest
  let session: SessionID
  let owner: Reactor
  /// In whose share it is counted; nil for this machine's own.
  let countedAddress: IPAddress?
  /// Who brings it, for the log.
  var clientAddress: IPAddress?
  var phase = Phase.asking

  /// What arrived and is not being written yet.
  var pending: [UInt8] = []
  /// Bytes of the body that arrived.
  var received: UInt64 = 0
  /// How much of what arrived is in the file, counted from the beginning of the attachment.
  var written: UInt64 = 0
  /// For a size that is not known: how much the session's quota has room for.
  var reserved: UInt64 = 0
  var isWriting = false
  var hasWholeBody = false
  /// All of it is written, and the session is told.
  var isFinishing = false
  /// The request broke off: what is still to be written goes first, then the session hears of it.
  var cutGrant: UploadGrant?
  /// The log has been told why it comes to nothing.
  var isNoted = false
  /// The upload's identifier in the table of uploads, once it has a slot.
  var id: UploadTable.ID = 0
  /// The cause to be logged if the request breaks off now.
  var cutCause = UploadCut.gone
  /// When the session was told last how far it is.
  var toldAt: MonotonicTime?

  /// How much is collected while a write goes on; beyond it nothing more is read from the socket.
  var pendingLimit = UploadExchange.manyPendingBytes

  /// With so many uploads at once, each may collect the larger amount, which is faster; with more, the smaller one.
  static let few = 32
  static let fewPendingBytes = 262_144
  static let manyPendingBytes = 65_536

  init(_ request: UploadRequest, from countedAddress: IPAddress?, session: SessionID, owner: Reactor) {
    self.request = request
    self.countedAddress = countedAddress
    self.session = session
    self.owner = owner
  }

  /// Leave to write, while there is.
  var grant: UploadGrant? {
    if case .streaming(let grant) = phase { grant } else { nil }
  }

  /// What arrived and is to be written.
  func takePending() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &pending)
    return bytes
  }

  /// Whether the body has to wait.
  var isHoldingBody: Bool {
    switch phase {
    case .asking: true
    case .streaming: pending.count >= pendingLimit
    case .answered, .over: false
    }
  }
}

/// Leave to write to an upload.
struct UploadGrant: Sendable {
  let attachment: UUID
  let writer: UploadWriter
  /// Named with every write: who has an older one is overtaken.
  let turn: UInt64
  /// Where the bytes go on.
  let offset: UInt64
  /// How many bytes the whole will have, if that is known.
  let size: UInt64?
}

/// What became of the wish to upload.
enum UploadStart: Sendable {
  case granted(UploadGrant)
  /// It is there already, or on its way: the body is not needed.
  case repeated(Answer)
  case refused(Answer)
}

/// Whose connection writes to an upload.
struct UploadHolder: Sendable {
  let reactor: Reactor
  let connection: Connection.Key
  /// Whose it is, for the log.
  let client: IPAddress
}
