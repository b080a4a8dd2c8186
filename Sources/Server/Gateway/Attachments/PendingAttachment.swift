/// An attachment that is not ready yet: some of its bytes are missing, or its file has not been moved to the final folder yet.
/// Several requests may send the bytes one after another. This object outlives each of these requests.
final class PendingAttachment {
  let file: UploadFileActor
  /// The upload that has the lease; nil if no upload has it.
  var upload: Upload?
  /// The fencing token of the newest lease; 0 before the first lease.
  var fencingToken: UInt64 = 0
  /// The number of requests that wait for the file actor to empty the file, so that the upload starts again at offset 0.
  var restarting = 0
  /// True once all bytes have arrived, while the file is being moved to its final folder.
  var isWhole = false
  /// True once the attachment is ready or removed, or its session is not in memory any more. Set by `PendingAttachments`.
  var isOver = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ file: UploadFileActor) {
    self.file = file
  }

  /// True while a request or the gateway works on the attachment. During this time, its session stays in memory.
  var isBusy: Bool { upload != nil || restarting > 0 || isWhole }

  /// Adds a task that waits until the attachment is ready or removed.
  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiters.append(continuation)
  }

  /// Resumes all waiting tasks.
  func end() {
    let waiting = waiters
    waiters = []
    for continuation in waiting { continuation.resume() }
  }
}
