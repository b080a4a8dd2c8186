package import Wire

/// An upload that the gateway has created. It continues in the background, even without references to it.
package final class Upload: Sendable {
  /// The gateway's description of the attachment when the upload was created.
  package let attachment: AttachmentObject
  private let promise = Promise<Void>()
  private let run: UploadTransfer
  private let task: Task<Void, Never>

  init(_ attachment: AttachmentObject, _ run: UploadTransfer) {
    self.attachment = attachment
    self.run = run
    task = Task { [promise] in
      do throws(SessionClientError) {
        if attachment.state != .ready { try await run.send(from: attachment.offset) }
        promise.resolve(.success(()))
      } catch {
        promise.resolve(.failure(error))
      }
    }
  }

  /// Waits until the upload is complete. A cancelled task stops waiting; the upload continues.
  ///
  /// - Throws: the cause of the failure; `cancelled` after `cancel`.
  package func finish() async throws(SessionClientError) {
    try await promise.value()
  }

  /// Cancels the upload and removes its bytes from the gateway in the background. Has no effect on a complete upload.
  package func cancel() {
    guard promise.resolve(.failure(.cancelled)) else { return }
    task.cancel()
    Task { [run] in await run.remove() }
  }
}
