internal import Storage
internal import Wire

/// An upload under way, as the owner of its session knows it: where its bytes go, and whose connection brings them.
final class UploadSlot {
  let writer: UploadWriter
  var holder: UploadHolder?
  /// The turn of whoever holds it, or held it last.
  var turn: UInt64 = 0
  /// How many requests have asked for the file to be begun anew, and not got it yet.
  var pendingStarts = 0
  /// All bytes have come, and are being put in their place.
  var isWhole = false
  /// Those who wait until the attachment is ready, or gone.
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ writer: UploadWriter) {
    self.writer = writer
  }

  /// Has somebody wait for the end of the upload.
  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiters.append(continuation)
  }

  /// The upload has come to its end, good or bad.
  func end() {
    let waiting = waiters
    waiters = []
    for continuation in waiting { continuation.resume() }
  }
}

extension UploadWriter.Fault {
  /// What the client is told.
  var refusal: Refusal {
    switch self {
    case .finished:
      return Refusal(.offsetMismatch, "This upload is whole already.")
    case .removed:
      return .noAttachment
    case .superseded:
      return Refusal(.offsetMismatch, "A newer request goes on with this upload.")
    case .offset(let offset):
      return .offsetMismatch(offset)
    case .checksum(let offset):
      var refusal = Refusal(
        .digestMismatch, "The bytes are not what Upload-Checksum says; they were dropped.")
      refusal.offset = offset
      refusal.status = 460
      return refusal
    case .reserve(let free, let reserve):
      return Refusal(
        .storageFull,
        "The gateway's disk is full: \(free) bytes are left, and \(reserve) have to stay free.",
        limit: Int(clamping: reserve), actual: Int(clamping: free))
    case .storage(let error):
      if error.isOutOfDescriptors { return .outOfDescriptors }
      return error.isFull
        ? Refusal(.storageFull, "There is no space left for attachments.")
        : Refusal(.internal, "The file could not be written.")
    }
  }
}
