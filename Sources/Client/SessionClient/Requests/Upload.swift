package import Wire

/// An upload that the gateway has taken on. It goes on by itself, whether or not anybody refers to it.
package final class Upload: Sendable {
  /// As the gateway described it when it took it on.
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

  /// Waits until all of it is there. Whose task is cancelled waits no longer; the upload goes on.
  ///
  /// - Throws: why it came to nothing, `cancelled` after `cancel`.
  package func finish() async throws(SessionClientError) {
    try await promise.value()
  }

  /// Gives it up; what came of it is removed, in the background. An upload that is at its end stays.
  package func cancel() {
    guard promise.resolve(.failure(.cancelled)) else { return }
    task.cancel()
    Task { [run] in await run.remove() }
  }
}
