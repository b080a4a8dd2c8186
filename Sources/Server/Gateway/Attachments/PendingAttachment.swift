/// An attachment whose bytes are incomplete, or whose file was not moved to its final folder. It outlives the requests that send
/// its bytes.
final class PendingAttachment {
  let file: UploadFileActor
  /// The upload that has the lease.
  var upload: Upload?
  /// The fencing token of the newest lease; 0 before the first lease.
  var fencingToken: UInt64 = 0
  /// The number of requests that wait until the file begins at offset zero again.
  var restarting = 0
  /// True when all bytes have arrived and the file is being moved to its final folder.
  var isWhole = false
  /// True when the attachment is ready or removed, or its session is not in memory any more. Set by `PendingAttachments`.
  var isOver = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ file: UploadFileActor) {
    self.file = file
  }

  /// True while a request or the gateway works on the attachment. Its session then stays in memory.
  var isBusy: Bool { upload != nil || restarting > 0 || isWhole }

  /// Suspends a caller until the attachment is ready or removed.
  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiters.append(continuation)
  }

  /// Resumes the waiting callers.
  func end() {
    let waiting = waiters
    waiters = []
    for continuation in waiting { continuation.resume() }
  }
}
