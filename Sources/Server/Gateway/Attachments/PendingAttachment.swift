/// An attachment whose bytes have not all arrived, or are not in their place yet. It outlives the uploads that bring its bytes.
final class PendingAttachment {
  let file: UploadFileActor
  /// The upload that has the lease.
  var upload: Upload?
  /// The fencing token of the newest lease; 0 before the first.
  var fencingToken: UInt64 = 0
  /// The number of requests that wait for the file to begin at zero again.
  var restarting = 0
  /// True once all bytes are there and their content is moved to its place.
  var isWhole = false
  /// True once `PendingAttachments` has removed it: it is ready or removed, or its session is no longer in memory.
  var isOver = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ file: UploadFileActor) {
    self.file = file
  }

  /// True while a request or the gateway works on it, so that its session stays in memory.
  var isBusy: Bool { upload != nil || restarting > 0 || isWhole }

  /// Suspends a caller until the attachment is ready or removed.
  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiters.append(continuation)
  }

  /// Resumes the callers that wait.
  func end() {
    let waiting = waiters
    waiters = []
    for continuation in waiting { continuation.resume() }
  }
}
